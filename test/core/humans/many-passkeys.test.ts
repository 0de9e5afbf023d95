/** How many passkeys one human may have: those that still sign, so that what was taken away shuts nobody out. */
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { maxPasskeys } from "../../../core/humans/human.ts"
import { Humans } from "../../../core/humans/human-store.ts"
import { issueEnrolment } from "../../../core/humans/issue-enrolment.ts"
import { suspendPasskey } from "../../../core/humans/suspend-passkey.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { type AHuman, enrolledBy } from "../../support/enrolled-human.ts"
import { humanAccount } from "../../support/human-account.ts"
import * as HumanRows from "../../support/human-rows.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"

/** By a link of the operator's, as whoever has lost every passkey comes back. */
const comingBack = Effect.fnUntraced(function* ({
  human: { accountId, id: humanId, name }
}: AHuman) {
  const wanted = { accountId, purpose: "operator", humanId, name } as const
  const { token } = yield* (yield* Atomically).run(issueEnrolment(wanted, "operator"))
  return yield* enrolledBy(token)
})

layer(memoryTreasury)("a human with as many passkeys as one may have", (it) => {
  it.effect("gets no more while they are good, and another once they were taken away", () =>
    Effect.gen(function* () {
      const { accountId, human } = yield* humanAccount
      const humans = yield* Humans
      const createdAt = yield* DateTime.now
      for (let nth = 1; nth < maxPasskeys; nth++) {
        assert.isTrue(yield* humans.addPasskey(HumanRows.aPasskey(human.human, { createdAt })))
      }
      const refused = yield* Effect.flip(comingBack(human))
      assert.strictEqual(refused._tag, "INVALID_REQUEST")
      for (const { id } of yield* humans.passkeysOf(human.human.id)) {
        yield* suspendPasskey(accountId, id, "revoked", "operator")
      }
      const back = yield* comingBack(human)
      assert.strictEqual(back.human.id, human.human.id)
      assert.isNull(back.passkey.suspendedAt)
    })
  )
})
