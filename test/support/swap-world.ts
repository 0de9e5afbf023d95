/**
 * A Solana to swap on, with its venue in the test's hands, and a swap that is pushed forward on it, look by look: the
 * scripted chain and its scripted venue, or the local Solana and its aggregator.
 */
import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as ScriptedChains from "../../adapters/memory/chains.ts"
import * as ScriptedChain from "../../adapters/memory/scripted-chain.ts"
import { heldOf } from "../../adapters/memory/scripted-swaps.ts"
import * as MemoryVenue from "../../adapters/memory/swap-venue.ts"
import * as Jupiter from "../../adapters/providers/jupiter.ts"
import type { Build, Twist } from "../../apps/sandbox/solana/aggregator.ts"
import { LocalSolana } from "../../apps/sandbox/solana/local-solana.ts"
import { AddressKey } from "../../core/chains/address.ts"
import { SwapVenues } from "../../core/ports/swap-venue.ts"
import * as MemoryWorlds from "./memory-send-worlds.ts"
import * as RealWorlds from "./real-send-worlds.ts"
import * as Rows from "./rows.ts"
import { look } from "./send-steps.ts"
import { freshRecords, SendWorld, type World } from "./send-world.ts"
import * as Swaps from "./solana-swaps.ts"

/** How the venue is disposed. Paying a stranger, it names a way by which somebody else gets what is bought. */
export type Mood = "answers" | "away" | "busy" | "lies" | "builds nothing" | "pays a stranger"

export class SwapWorld extends Context.Service<
  SwapWorld,
  {
    readonly venues: SwapVenues["Service"]
    /** What is swapped: USDC gives at least 1.5 units of the first for each, and it at least two of the second. */
    readonly usdc: AddressKey
    readonly first: AddressKey
    readonly second: AddressKey
    readonly give: (token: AddressKey, owner: string, units: bigint) => Effect.Effect<void>
    /** What somebody has of a token, in the newest block. */
    readonly unitsOf: (owner: string, token: AddressKey) => Effect.Effect<bigint>
    readonly becomes: (mood: Mood) => Effect.Effect<void>
    /** While it is so, what is handed over stays where it is for a while. */
    readonly late: (isLate: boolean) => Effect.Effect<void>
    /** From now on USDC buys a twentieth less of the first token. */
    readonly worsen: Effect.Effect<void>
  }
>()("bursar/test/SwapWorld") {}

const { chainId } = Swaps

const memoryGround = (state: ScriptedChain.State) =>
  Layer.effect(
    SwapWorld,
    Effect.gen(function* () {
      const chain = yield* ScriptedChains.ChainScript
      const venue = yield* MemoryVenue.SwapScript
      const scripted = ScriptedChain.find(state, chainId)
      const { usdc } = scripted.connected
      const [first, second] = [
        AddressKey.make(Rows.aSolanaAddress()),
        AddressKey.make(Rows.aSolanaAddress())
      ]
      const tokens = new Map([
        [first, "JUP"],
        [second, "JitoSOL"]
      ])
      const give = (token: AddressKey, owner: string, units: bigint) => {
        if (token === usdc) return chain.fund(owner, units, chainId)
        const symbol = tokens.get(token) ?? ""
        const given = { to: owner, amount: units, symbol, tokenAddress: token, decimals: 6 }
        return Effect.asVoid(chain.airdrop({ ...given, chainId }))
      }
      for (const token of tokens.keys()) yield* give(token, Rows.aSolanaAddress(), 1n)
      yield* venue.rate({ sell: usdc, buy: first, gives: 2n, per: 1n })
      yield* venue.rate({ sell: first, buy: second, gives: 3n, per: 1n })
      return {
        venues: yield* SwapVenues,
        usdc,
        first,
        second,
        give,
        unitsOf: (owner, token) =>
          Effect.sync(() => heldOf(scripted, token, AddressKey.make(owner))),
        becomes: (mood) =>
          Effect.all(
            [
              venue.away(mood === "away"),
              venue.limit(mood === "busy"),
              venue.lie(mood === "lies"),
              venue.buildNothing(mood === "builds nothing"),
              venue.twist(mood === "pays a stranger" ? { receiver: Rows.aSolanaAddress() } : {})
            ],
            { discard: true }
          ),
        late: (isLate) => chain.congest(isLate, chainId),
        worsen: venue.rate({ sell: usdc, buy: first, gives: 19n, per: 10n })
      } satisfies SwapWorld["Service"]
    })
  )

/** The scripted chain, and the scripted venue over the same state. */
export const memory = Layer.suspend(() => {
  const state = MemoryWorlds.solanaState()
  return memoryGround(state).pipe(
    Layer.provideMerge(MemoryVenue.layer(state)),
    Layer.provideMerge(MemoryWorlds.solanaOver(state))
  )
})

const paysStranger = (build: Build): Build => ({
  ...build,
  swapInstruction:
    build.swapInstruction === null
      ? null
      : {
          ...build.swapInstruction,
          accounts: build.swapInstruction.accounts.map((each, at) =>
            at === 2 ? { ...each, pubkey: Rows.aSolanaAddress() as never } : each
          )
        }
})

const twists: Readonly<Record<Mood, Twist | undefined>> = {
  answers: undefined,
  away: () => "hang up",
  busy: () => ({ status: 429 }),
  lies: (build) => ({ ...build, inAmount: "1" }),
  "builds nothing": (build) => ({ ...build, swapInstruction: null }),
  "pays a stranger": paysStranger
}

const realGround = Layer.effect(
  SwapWorld,
  Effect.gen(function* () {
    const chain = yield* LocalSolana
    const { advance, market, mint, setWeather } = chain
    const usdc = AddressKey.make(chain.usdc)
    const on = Effect.provideService(LocalSolana, chain)
    const [first, second] = [yield* Swaps.mintOf("JUP"), yield* Swaps.mintOf("JitoSOL")]
    return {
      venues: { venues: [yield* Jupiter.venue({ chainId, url: market.url })] },
      usdc,
      first,
      second,
      give: (token, owner, units) =>
        Effect.andThen(
          token === usdc ? mint(owner, units) : market.issue(token, owner, units),
          advance(1)
        ),
      unitsOf: (owner, token) => on(Swaps.unitsOf(owner, token)),
      becomes: (mood) => market.twist(twists[mood]),
      late: (isLate) => setWeather(isLate ? { lateSlots: 3n } : "clear"),
      worsen: market.dilute(usdc, [105n, 100n])
    } satisfies SwapWorld["Service"]
  })
)

/** The local Solana and its aggregator. */
export const real = realGround.pipe(Layer.provideMerge(RealWorlds.solana), Layer.orDie)

export type Ground = World | SwapWorld

/** On records of its own, at a venue that is honest again afterwards, in clear weather. */
export const apart = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { becomes, late, venues } = yield* SwapWorld
    const { lose } = yield* SendWorld
    const calm = Effect.andThen(becomes("answers"), Effect.andThen(late(false), lose(false)))
    return yield* effect.pipe(Effect.provideService(SwapVenues, venues), Effect.ensuring(calm))
  }).pipe(Effect.provide(freshRecords()))

/** A hundred USDC for the first token, for at least 150 of it. */
export const meant = Effect.fnUntraced(function* (over: Partial<Swaps.Meant> = {}) {
  const { first, usdc } = yield* SwapWorld
  const whole: Swaps.Meant = {
    accountId: Rows.anId(),
    keyId: Rows.aKeyId(),
    call: { operation: "propose_solana_swap", idempotencyKey: `swap-${Rows.anId()}` },
    sell: usdc,
    buy: first,
    sellAmount: 100_000_000n,
    minBuyAmount: 150_000_000n,
    slippageBps: 50,
    notAfter: Swaps.farAway,
    ...over
  }
  return whole
})

/** A swap that is confirmed and queued, from a wallet that is given what it sells, twice. */
export const begun = Effect.fnUntraced(function* (
  over: Partial<Swaps.Meant> = {},
  receiver?: string
) {
  const { give } = yield* SwapWorld
  const swap = yield* meant(over)
  const standing = yield* Swaps.queued(swap, receiver)
  yield* give(swap.sell, standing.wallet, 2n * swap.sellAmount)
  return { ...standing, swap }
})
export type Begun = Effect.Success<ReturnType<typeof begun>>

/** Looks while blocks pass until it has ended, some times at most; how it stands then. */
export const ended = Effect.fnUntraced(function* (
  queued: Pick<Swaps.Queued, "proposal">,
  turns = 12
) {
  const { next, settle } = yield* SendWorld
  const hasEnded = Effect.map(
    Swaps.submissionOf(queued),
    ({ status }) => status === "final" || status === "failed"
  )
  for (let turn = 0; turn < turns && !(yield* hasEnded); turn++) {
    yield* look
    yield* turn < 2 ? next : settle
  }
  return yield* Swaps.submissionOf(queued)
})

/** Nothing was sold, and nothing was bought. */
export const isUntouched = Effect.fnUntraced(function* ({
  swap,
  wallet
}: Pick<Begun, "swap" | "wallet">) {
  const { unitsOf } = yield* SwapWorld
  assert.strictEqual(yield* unitsOf(wallet, swap.sell), 2n * swap.sellAmount)
  assert.strictEqual(yield* unitsOf(wallet, swap.buy), 0n)
})

/** Sold once, for at least the floor; what was bought. */
export const isSoldOnce = Effect.fnUntraced(function* ({
  swap,
  wallet
}: Pick<Begun, "swap" | "wallet">) {
  const { unitsOf } = yield* SwapWorld
  assert.strictEqual(yield* unitsOf(wallet, swap.sell), swap.sellAmount)
  const bought = yield* unitsOf(wallet, swap.buy)
  assert.isTrue(bought >= swap.minBuyAmount)
  return bought
})
