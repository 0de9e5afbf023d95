/** What waits of an account is bounded, so that revoking a key ends all that it left in one short call. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { callsOf } from "../../../core/treasury/treasury.ts"
import { owner } from "../../support/full-account.ts"
import * as Treasury from "../../support/small-treasury.ts"

const max = 1000

layer(Treasury.layer())("what waits of an account", (it) => {
  it.effect("is at most a thousand proposals, until some are cancelled, expire or end", () =>
    Effect.gen(function* () {
      const { agent, caller, walletId } = yield* owner("ada")
      const call = callsOf(caller)
      const rename = call.propose_rename_account({ accountId: walletId, nickname: "Till" })
      const waiting = (yield* call.list_proposals({ status: "pending_confirm", limit: 100 }))
        .proposals
      for (let n = waiting.length; n < max; n++) yield* rename
      const refused = yield* Effect.flip(rename)
      assert.strictEqual(refused._tag, "INVALID_REQUEST")
      assert.strictEqual(refused.next?.operation, "list_proposals")
      yield* call.cancel_proposal({ proposalId: String(waiting[0]?.proposalId) })
      yield* rename
      yield* Effect.flip(rename)
      // Another account is another matter.
      yield* callsOf(agent.caller).propose_create_account({ chainId: "local", walletName: "New" })
      yield* TestClock.adjust("1 day")
      yield* rename
    })
  )

  it.effect("is at most a thousand governance requests", () =>
    Effect.gen(function* () {
      const { caller, neighbourId } = yield* owner("ben")
      const call = callsOf(caller)
      const invite = call.invite_cosigner({ cosignerUserId: neighbourId })
      const { governance_requests } = yield* call.list_governance_requests({ limit: 100 })
      for (let n = governance_requests.length; n < max; n++) yield* invite
      const refused = yield* Effect.flip(invite)
      assert.strictEqual(refused._tag, "INVALID_REQUEST")
      assert.strictEqual(refused.next?.operation, "list_governance_requests")
      yield* TestClock.adjust("7 days")
      yield* invite
    })
  )
})
