/** Plans sold on anvil with Circle's own contract, over stores on PostgreSQL, and payers who hold USDC. */
import { Effect, Layer } from "effect"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as Rpc from "../../adapters/evm/rpc.ts"
import { Store } from "../../adapters/memory/store.ts"
import * as Stores from "../../adapters/postgres/stores.ts"
import * as CircleUsdc from "../../apps/sandbox/circle-usdc.ts"
import * as Wiring from "../../apps/testing/wiring.ts"
import { EvmRelay } from "../../core/evm/relay.ts"
import { work } from "../../core/treasury/workers.ts"
import * as Anvil from "./anvil.ts"
import { payouts } from "./anvil-sending-chain.ts"
import * as FreshDatabase from "./fresh-database.ts"
import * as Sale from "./plan-purchases.ts"
import * as Shop from "./plan-server.ts"

/** A block every tenth of a second, gas for the relayer, and workers that carry what comes. */
const living = Layer.effectDiscard(
  Effect.gen(function* () {
    const chain = yield* Anvil.AnvilChain
    const { relayerAddress } = yield* EvmRelay
    yield* chain.call("anvil_setBalance", yield* relayerAddress("local"), "0xde0b6b3a7640000")
    yield* Effect.forkScoped(
      Effect.forever(Effect.andThen(chain.mine(1), Effect.sleep("100 millis")))
    )
    yield* Effect.forkScoped(work())
  })
)

const parts = Layer.suspend(() =>
  Layer.mergeAll(
    Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain(["local"]) }, 1),
    Layer.orDie(Layer.provide(Stores.layer, FreshDatabase.engine)),
    Anvil.chains,
    payouts()
  )
)

export const market = Layer.suspend(() =>
  Layer.merge(Shop.served({ patience: { landMs: 15_000, finalMs: 15_000 } }), living).pipe(
    Layer.provideMerge(Sale.selling(parts)),
    Layer.provideMerge(Anvil.layer)
  )
)

/** A payer of its own who holds so much, and the key that signs for it. */
export const payerWith = Effect.fnUntraced(function* (amountMicro: bigint) {
  const chain = yield* Anvil.AnvilChain
  const privateKey = generatePrivateKey()
  const account = privateKeyToAccount(privateKey)
  const anvil = { rpcUrl: chain.rpcUrl, rpc: Rpc.make(chain.rpcUrl), call: chain.call }
  yield* CircleUsdc.mint(anvil, chain.usdc, account.address, amountMicro)
  return { account, privateKey }
})
