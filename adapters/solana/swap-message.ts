/**
 * The transaction that swaps: the mark is made, the receiver's token account where it is missing, and the route taken,
 * all or nothing. It is a message of ours; of the venue's way only accounts and plan are used, never its amounts.
 */
import {
  AccountRole,
  type Address,
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  compressTransactionMessageUsingAddressLookupTables,
  createNoopSigner,
  createTransactionMessage,
  type Instruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash
} from "@solana/kit"
import {
  getSetComputeUnitLimitInstruction,
  getSetComputeUnitPriceInstruction
} from "@solana-program/compute-budget"
import { getCreateAssociatedTokenIdempotentInstruction } from "@solana-program/token"
import { Effect } from "effect"
import type { Bid, Conditions } from "../../core/solana/relay.ts"
import type { Route, Swap } from "../../core/solana/swap.ts"
import type { Tables } from "./lookup-table.ts"
import * as Mark from "./mark.ts"
import { type Compiled, type Part, tokenAccount } from "./message.ts"
import * as RouteData from "./route-data.ts"

/** The accounts of a swap, which follow from what it is. */
export interface SwapPlaces {
  readonly mark: Address
  readonly source: Address
  readonly destination: Address
  /** The wallet's own account of what is bought; the destination, when it buys for itself. */
  readonly own: Address
}

export const placesOf = (swap: Swap): Effect.Effect<SwapPlaces> =>
  Effect.all({
    mark: Mark.addressOf(swap),
    source: tokenAccount(swap.from, swap.amount.token.address ?? ""),
    destination: tokenAccount(swap.to, swap.buy),
    own: tokenAccount(swap.from, swap.buy)
  })

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
  places: { destination, mark },
  relayer,
  swap
}: Omit<SwapDraft, "route">): ReadonlyArray<{
  readonly part: Part
  readonly instruction: Instruction
}> => {
  const as = (part: Part) => (instruction: Instruction) => ({ part, instruction })
  const budget = [
    getSetComputeUnitLimitInstruction({ units: bid.units }),
    getSetComputeUnitPriceInstruction({ microLamports: bid.priority })
  ]
  const marking = Mark.making(mark, swap, { relayer, lamports: conditions.markLamports })
  const opening = getCreateAssociatedTokenIdempotentInstruction({
    payer: createNoopSigner(address(relayer)),
    ata: destination,
    owner: address(swap.to),
    mint: address(swap.buy)
  })
  return [
    ...budget.map(as("budget")),
    ...marking.map(as("mark")),
    ...(bid.opensAccount ? [as("account")(opening)] : [])
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
export const compile = (draft: SwapDraft, tables: Tables): Compiled => {
  const { blockhash, lastValidBlockHeight } = draft.conditions
  const instructions = [
    ...ownInstructions(draft).map(({ instruction }) => instruction),
    routing(draft)
  ]
  const known = Object.fromEntries([...tables].map(([table, held]) => [table, [...held]]))
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayer(address(draft.relayer), empty),
    (paid) =>
      setTransactionMessageLifetimeUsingBlockhash(
        { blockhash: blockhash as Blockhash, lastValidBlockHeight },
        paid
      ),
    (alive) => appendTransactionMessageInstructions(instructions, alive),
    (whole) => compressTransactionMessageUsingAddressLookupTables(whole, known)
  )
  return compileTransaction(message as Parameters<typeof compileTransaction>[0]) as Compiled
}
