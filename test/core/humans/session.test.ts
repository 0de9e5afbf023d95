/** How long a session lasts: twelve hours at most, half an hour without use, and no longer than its passkey. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { authenticate, callerOf } from "../../../core/humans/authenticate.ts"
import { Sessions } from "../../../core/humans/human-store.ts"
import { suspendPasskey } from "../../../core/humans/suspend-passkey.ts"
import { Secrets } from "../../../core/ports/secrets.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"
import { aHuman } from "../../support/enrolled-human.ts"
import { humanAccount } from "../../support/human-account.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"

const isIn = (token: string) =>
  Effect.map(Effect.result(authenticate(token)), ({ _tag }) => _tag === "Success")

layer(memoryTreasury)("a session", (it) => {
  it.effect("ends after half an hour without use, to the millisecond", () =>
    Effect.gen(function* () {
      const { human } = yield* humanAccount
      yield* TestClock.adjust("1799999 millis")
      assert.isTrue(yield* isIn(human.token))
      yield* TestClock.adjust("1799999 millis")
      assert.isTrue(yield* isIn(human.token))
      yield* TestClock.adjust("30 minutes")
      assert.isFalse(yield* isIn(human.token))
    })
  )

  it.effect("ends after twelve hours, however much it is used", () =>
    Effect.gen(function* () {
      const { human } = yield* humanAccount
      for (let quarters = 1; quarters < 48; quarters++) {
        yield* TestClock.adjust("15 minutes")
        assert.isTrue(yield* isIn(human.token), `${quarters} quarters`)
      }
      yield* TestClock.adjust("899999 millis")
      assert.isTrue(yield* isIn(human.token))
      yield* TestClock.adjust("1 millis")
      assert.isFalse(yield* isIn(human.token))
    })
  )

  it.effect("ends with the passkey it was opened with, and nobody else's does", () =>
    Effect.gen(function* () {
      const { accountId, human } = yield* humanAccount
      const ben = yield* aHuman(accountId, "Ben")
      yield* suspendPasskey(accountId, human.session.passkeyId, "revoked", "operator")
      assert.isFalse(yield* isIn(human.token))
      assert.isTrue(yield* isIn(ben.token))
      const kept = (token: string) =>
        Effect.gen(function* () {
          return yield* (yield* Sessions).findByDigest((yield* Secrets).digest(token))
        })
      assert.isUndefined(yield* kept(human.token))
      assert.strictEqual((yield* kept(ben.token))?.id, ben.session.id)
      for (const text of [undefined, "", "x".repeat(43), ben.session.id, `${ben.token}x`]) {
        const refused = yield* Effect.flip(authenticate(text))
        assert.strictEqual(refused._tag, "SIGN_IN_REQUIRED")
      }
    })
  )

  it.effect("calls operations as its human, on their account alone", () =>
    Effect.gen(function* () {
      const { accountId, human, wallet } = yield* humanAccount
      const call = callsOf(callerOf(human.signedIn))
      assert.strictEqual((yield* call.get_account({})).id, accountId)
      yield* call.set_wallet_metadata({ accountId: wallet.id, metadata: { team: "till" } })
      const { entries } = yield* call.list_audit_log({})
      assert.strictEqual(entries[0]?.actor, `human:${human.human.id}`)
    })
  )
})
