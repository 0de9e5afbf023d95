/** A payment's memo on its chain: asked for, or required by its recipient; hashed, shown, carried, and refused where it cannot be. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { authenticate } from "../../../core/accounts/authenticate.ts"
import { families } from "../../../core/chains/address.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { seedAccounts } from "../../../core/treasury/seed.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"
import * as Rows from "../../support/rows.ts"
import { look } from "../../support/send-steps.ts"
import { anOwner } from "../../support/solana-world.ts"
import * as Stored from "../../support/stored-rows.ts"

const chains = ["local-solana", "local"] as const

/** An agent's account on a chain, whose sends need no passkey, and what it pays from and to. */
const on = Effect.fnUntraced(function* (chainId: string) {
  const someone = () => (chainId === "local" ? Rows.anAddress() : anOwner())
  const seeded = yield* (yield* Atomically).run(
    seedAccounts({
      kind: "agent",
      name: "Purchasing agent",
      tier: "personal",
      chainId,
      customer: { externalId: "first_customer", namespace: "default" },
      fundingWallet: { chainId, address: someone() },
      payee: { label: "Payee", address: someone() }
    })
  )
  const call = callsOf(yield* authenticate(seeded.apiKey))
  yield* (yield* ChainScript).fund(seeded.wallet.address, 500_000_000n, chainId)
  const { recipients } = yield* call.list_recipients({})
  const propose = (over: { readonly onChainMemo?: string }, recipientId?: string) =>
    call.propose_transfer({
      recipientId: recipientId ?? recipients[0]?.id ?? "",
      fromWalletId: seeded.wallet.id,
      amountUsdc: "25",
      ...over
    })
  return { accountId: seeded.account.id, call, propose }
})

const scripted = () => {
  const chain = Wiring.scriptedChain(chains)
  const treasury = Wiring.layer({ store: new Store(), chain }, 1)
  const carried = () => chain.scripted.get("local-solana")?.landed.map(({ memo }) => memo)
  return { treasury, carried }
}

const world = Layer.suspend(() => scripted().treasury)

it.effect(
  "what was asked for is under the intent's hash, shown, and carried by the payment",
  () => {
    const { carried, treasury } = scripted()
    return Effect.gen(function* () {
      const { call, propose } = yield* on("local-solana")
      const plain = yield* propose({})
      const { intentHash, onChainMemo, proposalId } = yield* propose({ onChainMemo: "Invoice 7" })
      assert.strictEqual(plain.onChainMemo, null)
      assert.strictEqual(onChainMemo, "Invoice 7")
      assert.notStrictEqual(intentHash, plain.intentHash)
      assert.strictEqual((yield* call.confirm_proposal({ proposalId })).status, "executing")
      yield* look
      yield* (yield* ChainScript).mine(1, "local-solana")
      assert.deepStrictEqual(carried(), ["Invoice 7"])
    }).pipe(Effect.provide(treasury))
  }
)

it.effect("more than fits, and any memo where chains carry none, is refused by its field", () =>
  Effect.gen(function* () {
    const solana = yield* on("local-solana")
    const long = yield* Effect.flip(solana.propose({ onChainMemo: "ü".repeat(129) }))
    assert.deepInclude(long, { _tag: "INVALID_REQUEST", param: "onChainMemo" })
    assert.match(long.message, /258 bytes in UTF-8; at most 256 fit on local-solana/u)
    assert.strictEqual(
      (yield* solana.propose({ onChainMemo: "ü".repeat(128) })).status,
      "pending_confirm"
    )
    const evm = yield* on("local")
    const refused = yield* Effect.flip(evm.propose({ onChainMemo: "Invoice 7" }))
    assert.deepInclude(refused, { _tag: "INVALID_REQUEST", param: "onChainMemo" })
    assert.match(refused.message, /Payments on local carry no memo; leave onChainMemo out/u)
    const adding = {
      address: families.evm.exampleAddress,
      chainId: "local",
      requiredMemo: "Deposit 42"
    }
    const added = yield* Effect.flip(evm.call.add_recipient(adding))
    assert.deepInclude(added, { _tag: "INVALID_REQUEST", param: "requiredMemo" })
  }).pipe(Effect.provide(world))
)

it.effect("a recipient's is carried without being asked for, and another one is refused", () =>
  Effect.gen(function* () {
    const { accountId, call, propose } = yield* on("local-solana")
    const { id } = yield* Stored.recipient(accountId, {
      chainId: "local-solana",
      address: anOwner(),
      status: "approved",
      requiredMemo: "Deposit 42"
    })
    const read = yield* call.get_recipient({ recipientId: id })
    assert.strictEqual(read.requiredMemo, "Deposit 42")
    assert.strictEqual((yield* propose({}, id)).onChainMemo, "Deposit 42")
    assert.strictEqual(
      (yield* propose({ onChainMemo: "Deposit 42" }, id)).onChainMemo,
      "Deposit 42"
    )
    const refused = yield* Effect.flip(propose({ onChainMemo: "Deposit 43" }, id))
    assert.deepInclude(refused, { _tag: "INVALID_REQUEST", param: "onChainMemo" })
    assert.deepInclude(refused, { details: { requiredMemo: "Deposit 42" } })
  }).pipe(Effect.provide(world))
)

it.effect("who adds a recipient that requires one signs for that memo", () =>
  Effect.gen(function* () {
    const { call } = yield* on("local-solana")
    const adding = { address: anOwner(), chainId: "local-solana" }
    const without = yield* call.add_recipient(adding)
    const withOne = yield* call.add_recipient({ ...adding, requiredMemo: "Deposit 42" })
    assert("challenge" in without && "challenge" in withOne)
    assert.notStrictEqual(withOne.challenge.payloadHash, without.challenge.payloadHash)
    assert.include(withOne.challenge.message, 'each time with the memo "Deposit 42"')
    assert.notInclude(without.challenge.message, "memo")
  }).pipe(Effect.provide(world))
)
