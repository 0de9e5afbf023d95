/** A send on Solana that is too small to open its recipient's account is refused when it is proposed. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { authenticate } from "../../../core/accounts/authenticate.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { seedAccounts } from "../../../core/treasury/seed.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"
import { addressOf } from "../../support/solana-world.ts"

const chainId = "local-solana"
const payee = addressOf("p")

const treasury = Layer.suspend(() =>
  Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain([chainId]) }, 1)
)

const ready = Effect.gen(function* () {
  const seeded = yield* (yield* Atomically).run(
    seedAccounts({
      kind: "agent",
      name: "Purchasing agent",
      tier: "personal",
      chainId,
      customer: { externalId: "first_customer", namespace: "default" },
      fundingWallet: { chainId, address: addressOf("f") },
      payee: { label: "Payee", address: payee }
    })
  )
  const call = callsOf(yield* authenticate(seeded.apiKey))
  const { recipients } = yield* call.list_recipients({})
  yield* (yield* ChainScript).fund(seeded.wallet.address, 500_000_000n)
  const propose = (amountUsdc: string) =>
    call.propose_transfer({
      recipientId: recipients[0]?.id ?? "",
      fromWalletId: seeded.wallet.id,
      amountUsdc
    })
  return { call, propose, wallet: seeded.wallet }
})

it.effect("below ten times the rent of an account that is missing, and says what would do", () =>
  Effect.gen(function* () {
    const { call, propose } = yield* ready
    const refused = yield* Effect.flip(propose("5.0981"))
    assert.strictEqual(refused._tag, "INVALID_AMOUNT")
    assert.match(refused.message, /only for sends of 5\.0982 USDC or more/u)
    assert.lengthOf((yield* call.list_proposals({})).proposals, 0)
    assert.strictEqual((yield* propose("5.0982")).status, "pending_confirm")
  }).pipe(Effect.provide(treasury))
)

it.effect("but not where the account is there, and not while the chain does not answer", () =>
  Effect.gen(function* () {
    const { propose, wallet } = yield* ready
    const { outage, pay } = yield* ChainScript
    yield* outage(true)
    assert.strictEqual((yield* propose("0.01")).status, "pending_confirm")
    yield* outage(false)
    yield* pay({ from: wallet.address, to: payee, amountMicro: 1n })
    assert.strictEqual((yield* propose("0.01")).status, "pending_confirm")
  }).pipe(Effect.provide(treasury))
)
