/**
 * A person whose session was read before they were removed, or lost their role: what they then do is judged by what
 * they are in the transaction that does it.
 */
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { callerOf } from "../../../core/humans/authenticate.ts"
import { Humans } from "../../../core/humans/human-store.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"
import { aHuman } from "../../support/enrolled-human.ts"
import { humanAccount } from "../../support/human-account.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"

/** An owner who has signed for all they are about to call, a moment before something is taken from them. */
const acting = Effect.gen(function* () {
  const { accountId, call, recipientId, wallet } = yield* humanAccount
  const { human, signedIn } = yield* aHuman(accountId, "Ben")
  const asBen = callsOf(callerOf(signedIn, { hasSigned: true }))
  const send = { recipientId, fromWalletId: wallet.id, amountUsdc: "5" }
  const acts = {
    key: Effect.asVoid(asBen.create_api_key({ scopes: ["account:read"] })),
    webhook: Effect.asVoid(
      asBen.create_merchant_webhook({ url: "https://shop.example.com/webhooks" })
    ),
    send: Effect.asVoid(asBen.propose_transfer(send)),
    once: Effect.asVoid(asBen.propose_transfer(send, { idempotencyKey: "5f2c7a0e-once" })),
    tags: Effect.asVoid(
      asBen.set_wallet_metadata({ accountId: wallet.id, metadata: { team: "till" } })
    )
  }
  return { accountId, acts, call, human, reading: asBen.list_wallets({}) }
})

layer(memoryTreasury)("a person", (it) => {
  it.effect("who was removed meanwhile makes no key and no proposal any more", () =>
    Effect.gen(function* () {
      const { accountId, acts, call, human } = yield* acting
      yield* (yield* Humans).remove(accountId, human.id, yield* DateTime.now)
      const before = (yield* call.list_audit_log({})).entries
      for (const [name, act] of Object.entries(acts)) {
        const said = yield* Effect.result(act)
        assert.strictEqual(
          said._tag === "Failure" ? said.failure._tag : "done",
          "SIGN_IN_REQUIRED",
          name
        )
      }
      assert.deepStrictEqual((yield* call.list_audit_log({})).entries, before)
    })
  )

  it.effect("who may only read by now does no more than that, and who was not, acts", () =>
    Effect.gen(function* () {
      const { accountId, acts, human, reading } = yield* acting
      yield* (yield* Humans).changeRole(accountId, human.id, "viewer")
      for (const [name, act] of Object.entries(acts)) {
        const said = yield* Effect.result(act)
        assert.strictEqual(
          said._tag === "Failure" ? said.failure._tag : "done",
          "INSUFFICIENT_ROLE",
          name
        )
      }
      yield* reading
      yield* (yield* Humans).changeRole(accountId, human.id, "approver")
      yield* acts.send
      assert.strictEqual((yield* Effect.flip(acts.key))._tag, "INSUFFICIENT_ROLE")
      yield* (yield* Humans).changeRole(accountId, human.id, "owner")
      yield* acts.key
    })
  )
})
