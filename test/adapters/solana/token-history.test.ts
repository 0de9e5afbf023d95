/** Solana keeps the contract of what chains tell of the past, on a real virtual machine behind the interface of a node. */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { vi } from "vitest"
import * as History from "../../../adapters/solana/token-history.ts"
import { keyOf, shown } from "../../../core/chains/address.ts"
import { TokenHistory } from "../../../core/ports/token-history.ts"
import * as Contract from "../../contracts/token-history.contract.ts"
import * as Solana from "../../support/solana.ts"
import { anOwner, chainId, connectionTo } from "../../support/solana-world.ts"

const slots = 40

/** The chain's clock is the machine's, in whole seconds: this machine's date stands still until it is moved on. */
const ownDate = Effect.acquireRelease(
  Effect.sync(() => vi.useFakeTimers({ toFake: ["Date"] })),
  () => Effect.sync(() => vi.useRealTimers())
)

const world = Layer.effect(
  Contract.PastWorld,
  Effect.gen(function* () {
    const date = yield* ownDate
    const chain = yield* Solana.SolanaChain
    const context = yield* Effect.context<never>()
    yield* chain.advance(slots)
    const payer = shown(chainId, (yield* Solana.payer).address)
    const client = yield* Solana.rpc
    const now = Effect.promise(async () => {
      const slot = await client.getSlot({ commitment: "processed" }).send()
      return Number(await client.getBlockTime(slot).send()) * 1000
    })
    return {
      chainId,
      tokens: [keyOf(chainId, chain.usdc)] as const,
      payer,
      someone: anOwner,
      pay: (to: string, units: bigint) =>
        Solana.pay({ to, amountMicro: units }).pipe(
          Effect.tap(() => chain.advance(2)),
          Effect.provideService(Solana.SolanaChain, chain),
          Effect.provide(context)
        ),
      moment: Effect.gen(function* () {
        yield* chain.advance(slots)
        const at = yield* now
        date.setSystemTime(Date.now() + 2_100)
        yield* chain.advance(slots)
        return DateTime.makeUnsafe(at + 1_000)
      }),
      settle: chain.advance(3 * slots),
      outage: (isAway: boolean) => chain.setFault(isAway ? () => "hang up" : undefined)
    }
  })
)

const history = Layer.unwrap(
  Effect.map(Solana.SolanaChain, (chain) => History.layer([connectionTo(chain)]))
)

Contract.suite("solana", Layer.merge(world, history).pipe(Layer.provide(Layer.orDie(Solana.layer))))

it.effect("a node that has forgotten the time before a period tells of no balance then", () =>
  Effect.gen(function* () {
    const { forget } = yield* Solana.SolanaChain
    const { moment, pay, settle, someone, tokens } = yield* Contract.PastWorld
    const { lastBefore } = yield* TokenHistory
    yield* pay(someone(), 5n, tokens[0])
    const from = yield* moment
    yield* settle
    assert.isBelow(0, (yield* lastBefore(chainId, from)).number)
    yield* forget(true)
    const refused = yield* Effect.flip(lastBefore(chainId, from))
    assert.strictEqual(refused._tag, "HistoryMissing")
  }).pipe(Effect.provide(Layer.merge(world, history).pipe(Layer.provideMerge(Solana.layer))))
)
