/** Pausing at a press, and going on by the passkey of whoever paused or of an owner; the operator's stays. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { isPaused, pauseAccount, resumeAccount } from "../../../core/accounts/pause.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { enrolled } from "../../support/console-people.ts"
import { AccountId } from "../../support/small-treasury.ts"
import * as Surfaces from "../../support/surfaces.ts"

layer(Surfaces.layer())("a pause in the console", (it) => {
  it.effect("is ended by whoever made it, with a passkey", () =>
    Effect.gen(function* () {
      const ada = yield* enrolled()
      const accountId = yield* AccountId
      yield* ada.post("pause")
      assert.isTrue(yield* isPaused(accountId))
      const lied = yield* ada.signing("resume/options", "resume/verify", {
        lie: { userVerified: false }
      })
      assert.notStrictEqual(lied.status, 200)
      assert.isTrue(yield* isPaused(accountId))
      const resumed = yield* ada.signing("resume/options", "resume/verify")
      assert.strictEqual(resumed.status, 200)
      assert.isFalse(yield* isPaused(accountId))
    })
  )

  it.effect("is ended by an owner, not by another approver, and the operator's by neither", () =>
    Effect.gen(function* () {
      const [ada, grace] = [yield* enrolled(), yield* enrolled({ role: "approver" })]
      yield* ada.post("pause")
      const refused = yield* grace.signing("resume/options", "resume/verify")
      assert.deepStrictEqual([refused.status, refused.body.error.code], [403, "ACCOUNT_PAUSED"])
      const accountId = yield* AccountId
      const { run } = yield* Atomically
      yield* run(resumeAccount(accountId))
      yield* grace.post("pause")
      assert.strictEqual((yield* ada.signing("resume/options", "resume/verify")).status, 200)
      yield* run(pauseAccount(accountId))
      const said = yield* ada.signing("resume/options", "resume/verify")
      assert.strictEqual(said.status, 403)
      assert.include(said.body.error.message, "the operator")
      yield* run(resumeAccount(accountId))
    })
  )

  it.effect("that somebody else has confirmed is nobody's own any more, whoever came first", () =>
    Effect.gen(function* () {
      const [ada, grace] = [yield* enrolled(), yield* enrolled({ role: "approver" })]
      const accountId = yield* AccountId
      const { run } = yield* Atomically
      const resume = (who: typeof ada) =>
        Effect.map(who.signing("resume/options", "resume/verify"), ({ status }) => status)
      for (const [first, second] of [
        [ada, grace],
        [grace, ada]
      ] as const) {
        yield* first.post("pause")
        yield* second.post("pause")
        assert.strictEqual(yield* resume(grace), 403)
        assert.isTrue(yield* isPaused(accountId))
        assert.strictEqual(yield* resume(ada), 200)
      }
      for (const [first, second] of [
        [grace.post("pause"), run(pauseAccount(accountId))],
        [run(pauseAccount(accountId)), grace.post("pause")]
      ]) {
        yield* first ?? Effect.void
        yield* second ?? Effect.void
        assert.strictEqual(yield* resume(grace), 403)
        assert.strictEqual(yield* resume(ada), 403)
        yield* run(resumeAccount(accountId))
      }
    })
  )
})
