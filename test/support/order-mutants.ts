/**
 * Changes of an order of a swap that the records warrant: each field that is signed, written down otherwise than it was
 * approved, and carried by the worker of waits. What is not refused there would be signed.
 */
import { Effect, Logger, References } from "effect"
import { keyOf } from "../../core/chains/address.ts"
import * as Chain from "../../core/chains/chain.ts"
import type { SwapOrder } from "../../core/ports/swap-venue.ts"
import * as CarryWaits from "../../core/proposals/carry-waits.ts"
import { WaitStore } from "../../core/waits/wait-store.ts"
import * as Rows from "./rows.ts"
import { floor, sellAmount, signableOrder } from "./signable-swap-orders.ts"
import { claimAt, emptyQueue } from "./wait-queue.ts"

const openedSeconds = Math.floor(Rows.at(0).epochMilliseconds / 1000)
const bitsOf = (bits: number) => Array.from({ length: bits }, (_, bit) => 1n << BigInt(bit))

const addresses = (own: string): ReadonlyArray<SwapOrder["owner"]> =>
  bitsOf(160)
    .filter((_, bit) => bit % 16 === 0)
    .map((flip) => keyOf("local", `0x${(BigInt(own) ^ flip).toString(16).padStart(40, "0")}`))

/** Each field with other values than were approved: a bit of it at a time. */
const changes = (order: SwapOrder): ReadonlyArray<Partial<SwapOrder>> => [
  ...Chain.chains
    .filter(({ family, id }) => family === "evm" && id !== order.chainId)
    .map(({ id: chainId }) => ({ chainId })),
  ...addresses(order.owner).map((owner) => ({ owner })),
  ...addresses(order.receiver).map((receiver) => ({ receiver })),
  ...addresses(order.sell).map((sell) => ({ sell })),
  ...addresses(order.buy).map((buy) => ({ buy })),
  ...bitsOf(64).map((flip) => ({ sellAmount: sellAmount ^ flip })),
  ...bitsOf(65).map((less) => ({ minBuyAmount: less < floor ? floor - less : 0n })),
  ...bitsOf(256)
    .filter((_, bit) => bit % 16 === 0)
    .map((flip) => ({
      identity: (BigInt(`0x${order.identity}`) ^ flip).toString(16).padStart(64, "0")
    })),
  ...bitsOf(31).map((more) => ({ validTo: openedSeconds + 1200 + Number(more) }))
]

export interface Carried {
  readonly what: string
  readonly isSigned: boolean
  /** Whether the operator heard of it. */
  readonly isTold: boolean
}

/** Carries the wait of an order that was written down otherwise in some fields. */
export const carried = Effect.fnUntraced(function* (over: Partial<SwapOrder>) {
  yield* emptyQueue
  const { proposal } = yield* signableOrder({ order: over })
  const [claimed] = yield* claimAt(1)
  if (claimed === undefined) return yield* Effect.die(new Error("There is no such wait."))
  const { claim: _, inBatches } = yield* CarryWaits.make
  const journal = { ...claimed.wait.journal, quotedAt: "2090-01-01T00:00:00.000Z" }
  const [due] = yield* inBatches([{ ...claimed, wait: { ...claimed.wait, journal } }])
  if (due === undefined) return yield* Effect.die(new Error("There is no such wait."))
  const lines: Array<string> = []
  const hearing = Logger.make(({ message }) => void lines.push(String(message)))
  yield* CarryWaits.carry(due).pipe(
    Effect.provideService(References.MinimumLogLevel, "Error"),
    Effect.provide(Logger.layer([hearing]))
  )
  const waits = yield* (yield* WaitStore).ofProposals([proposal.id])
  const result: Carried = {
    what: JSON.stringify(over, (_, value) => (typeof value === "bigint" ? `${value}` : value)),
    isSigned: waits.some((wait) => wait.journal.signed !== undefined),
    isTold: lines.some((line) => line.includes(proposal.id))
  }
  return result
})

/** An honest one, and every change of it. */
export const all = Effect.gen(function* () {
  const { order } = yield* signableOrder()
  const honest = yield* carried({})
  return { honest, mutants: yield* Effect.forEach(changes(order), carried) }
})
