/**
 * The transaction that swaps: the mark is made, the receiver's token account where it is missing, and the route taken,
 * all or nothing. It is a message of ours; of the venue's way only accounts and plan are used, never its amounts.
 */
import { AccountRole, type Address, address, type Instruction } from "@solana/kit"
import { Effect } from "effect"
import type { Bid, Conditions } from "../../core/solana/relay.ts"
import type { Route, Swap } from "../../core/solana/swap.ts"
import { tokenAccountOf } from "./derived.ts"
import type { Tables } from "./lookup-table.ts"
import * as Mark from "./mark.ts"
import * as RouteData from "./route-data.ts"
import { as, budget, type Compiled, compiled, opening, type Step } from "./transaction.ts"

/** The accounts of a swap, which follow from what it is. */
export interface SwapPlaces {
  readonly mark: Address
  readonly source: Address
  readonly destination: Address
  /** The wallet's own account of what is bought; the destination, when it buys for itself. */
  readonly own: Address
}

export const placesOf = (swap: Swap): Effect.Effect<SwapPlaces> =>
  Effect.map(Mark.addressOf(swap), (mark) => ({
    mark,
    source: tokenAccountOf(swap.from, swap.amount.token.address ?? ""),
    destination: tokenAccountOf(swap.to, swap.buy),
    own: tokenAccountOf(swap.from, swap.buy)
  }))

export interface SwapDraft {
  readonly swap: Swap
  readonly places: SwapPlaces
  readonly route: Route
  readonly relayer: string
  readonly bid: Bid
  readonly conditions: Pick<Conditions, "blockhash" | "lastValidBlockHeight" | "markLamports">
}

/** Those of our own, in order; the route comes behind them. */
export const ownInstructions = ({
  bid,
  conditions,
  places: { mark },
  relayer,
  swap
}: Omit<SwapDraft, "route">): ReadonlyArray<Step> => {
  const marking = Mark.making(mark, swap, { relayer, lamports: conditions.markLamports })
  return [
    ...budget(bid),
    ...marking.map(as("mark")),
    ...(bid.opensAccount ? [opening(relayer, swap.to, swap.buy)] : [])
  ]
}

/** How the venue says that an account is used. */
export const roleOf = ({ isSigner, isWritable }: Route["accounts"][number]): AccountRole =>
  isSigner
    ? isWritable
      ? AccountRole.WRITABLE_SIGNER
      : AccountRole.READONLY_SIGNER
    : isWritable
      ? AccountRole.WRITABLE
      : AccountRole.READONLY

/** The venue's accounts and plan with amounts of ours: all is sold, and the least is what is signed for. */
const routing = ({ route, swap }: SwapDraft): Instruction => ({
  programAddress: address(route.program),
  accounts: route.accounts.map((account) => ({
    address: address(account.address),
    role: roleOf(account)
  })),
  data: RouteData.withAmounts(route.program, Buffer.from(route.data, "base64"), {
    inAmount: swap.amount.units,
    minBuyAmount: swap.minBuyAmount
  })
})

/** What is signed, with an empty place for each signature. Throws where the way is no way at all. */
export const compile = (draft: SwapDraft, tables: Tables): Compiled =>
  compiled(
    draft.relayer,
    draft.conditions,
    [...ownInstructions(draft).map(({ instruction }) => instruction), routing(draft)],
    tables
  )
