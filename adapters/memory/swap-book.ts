/** What the scripted venues keep: their moods and every order they were ever given. */
import type { AddressKey } from "../../core/chains/address.ts"
import type * as Venue from "../../core/ports/swap-venue.ts"
import type * as ScriptedChain from "./scripted-chain.ts"
import type { Named } from "./scripted-swaps.ts"

interface Filled {
  readonly fill: Venue.Fill
  readonly blockHash: string
  readonly blockNumber: number
  /** Gives back what it moved of tokens that are no part of blocks. */
  readonly undo: () => void
}

export interface Kept {
  readonly order: Venue.SignedOrder
  isForgotten: boolean
  filled: Filled | undefined
}

export interface Book {
  readonly orders: Map<string, Kept>
  readonly minimums: Map<AddressKey, bigint>
  isAway: boolean
  isLimited: boolean
  buildsNothing: boolean
  isLying: boolean
  /** Nobody can read from the chain what filled orders. */
  isVeiled: boolean
  /** So long it takes to look for an order that was filled. */
  lookMs: number
  /** What the ways that it builds say otherwise than it was asked. */
  twist: Partial<Named>
  closed: ConstructorParameters<typeof Venue.TransfersClosed>[0] | undefined
  refusals: number
  lostReplies: number
  fillsAtOnce: boolean
}

/** An order book outlives the processes over one state of chains. */
const books = new WeakMap<ScriptedChain.State, Book>()

export const bookOf = (state: ScriptedChain.State): Book => {
  const known = books.get(state)
  if (known !== undefined) return known
  const book: Book = {
    orders: new Map(),
    minimums: new Map(),
    isAway: false,
    isLimited: false,
    buildsNothing: false,
    isLying: false,
    isVeiled: false,
    lookMs: 0,
    twist: {},
    closed: undefined,
    refusals: 0,
    lostReplies: 0,
    fillsAtOnce: false
  }
  books.set(state, book)
  return book
}
