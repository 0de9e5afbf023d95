/** Swaps of the local market as they are judged: their message, what it is to be, and what the chain has of it. */
import { assert } from "@effect/vitest"
import { generateKeyPairSigner } from "@solana/kit"
import { Effect, Schema } from "effect"
import * as LookupTable from "../../adapters/solana/lookup-table.ts"
import * as Node from "../../adapters/solana/node.ts"
import * as Check from "../../adapters/solana/swap-check.ts"
import { compile, placesOf, type SwapDraft } from "../../adapters/solana/swap-message.ts"
import { LocalSolana } from "../../apps/sandbox/solana/local-solana.ts"
import { SwapVenues } from "../../core/ports/swap-venue.ts"
import { SolanaRelay } from "../../core/solana/relay.ts"
import { type Asking, RouteJson, swapIn } from "../../core/solana/swap.ts"
import { connectionTo, solanaRelayer } from "./real-send-worlds.ts"
import { freshRecords } from "./send-world.ts"
import * as Swaps from "./solana-swaps.ts"

/** On records of its own, at a venue that is honest again afterwards. */
export const apart = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Swaps.atTheVenue(effect).pipe(
    Effect.ensuring(LocalSolana.use(({ market }) => market.twist())),
    Effect.provide(freshRecords())
  )

export const stranger = Effect.promise(async () => (await generateKeyPairSigner()).address)

/** The way that the venue names for a swap. */
const routeFor = Effect.fnUntraced(function* (swap: Asking) {
  const [venue] = (yield* SwapVenues).venues
  if (venue?.execution !== "transaction") return assert.fail("there is no venue")
  const { amount, buy, chainId, from, minBuyAmount, to } = swap
  const order = {
    chainId,
    owner: from,
    receiver: to,
    sell: amount.token.address ?? buy,
    sellAmount: amount.units,
    buy,
    minBuyAmount,
    validTo: Swaps.farAway
  }
  return Schema.decodeUnknownSync(RouteJson)(yield* venue.build(order))
})

/** An honest swap as it is judged: its message, what it is to be, and what the chain has of its accounts. */
export const honest = Effect.fnUntraced(function* (
  over: Partial<Swaps.Meant> = {},
  receiver?: string
) {
  const chain = yield* LocalSolana
  const begun = yield* Swaps.begun(over, receiver)
  const swap = swapIn(yield* Swaps.submissionOf(begun)) ?? assert.fail("it is no swap")
  const node = Node.make(connectionTo(chain))
  const route = yield* routeFor(swap)
  const conditions = yield* (yield* SolanaRelay).conditions(Swaps.chainId)
  const draft: SwapDraft = {
    swap,
    places: yield* placesOf(swap),
    route,
    relayer: yield* solanaRelayer().address,
    bid: { units: 100_000, priority: 7n, opensAccount: true },
    conditions
  }
  const tables = yield* LookupTable.read(node, route.tables)
  const bytes = Uint8Array.from(compile(draft, tables).messageBytes)
  const decoded = Check.decode(bytes, tables) ?? assert.fail("it cannot be read")
  const changed = Check.changedBy(decoded)
  const { accounts } = yield* Node.accounts(node, changed, { commitment: "confirmed" })
  const held = new Map(changed.map((address, at) => [address, accounts[at]]))
  return { draft, conditions, decoded, held, bytes, tables, begun }
})

/** Sales by each form that may be signed: through one pool, through two, for another wallet, and split. */
export const sales = {
  "through one pool": () => honest(),
  "through two pools": Effect.fnUntraced(function* () {
    const [sell, buy] = [yield* Swaps.mintOf("JUP"), yield* Swaps.mintOf("JitoSOL")]
    return yield* honest({ sell, buy, minBuyAmount: 200_000_000n })
  }),
  "for another wallet": Effect.fnUntraced(function* () {
    return yield* honest({}, yield* stranger)
  }),
  "split over two pools": () =>
    honest({ sellAmount: 100_000_000_000n, minBuyAmount: 150_000_000_000n })
}
