/**
 * The transaction that pays: the mark is made, the payee's token account where it is missing, and the transfer done,
 * all or nothing. The relayer pays the fee; the wallet needs no SOL.
 */
import {
  type Address,
  address,
  createNoopSigner,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Instruction
} from "@solana/kit"
import { COMPUTE_BUDGET_PROGRAM_ADDRESS } from "@solana-program/compute-budget"
import { SYSTEM_PROGRAM_ADDRESS } from "@solana-program/system"
import {
  ASSOCIATED_TOKEN_PROGRAM_ADDRESS,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS
} from "@solana-program/token"
import { Effect } from "effect"
import * as Usdc from "../../core/money/usdc.ts"
import type { Bid, Conditions, Transfer } from "../../core/solana/relay.ts"
import { messengerProgram, transmitterProgram } from "./cctp/places.ts"
import { tokenAccountOf } from "./derived.ts"
import * as Mark from "./mark.ts"
import { memoProgram } from "./memo.ts"
import { routerPrograms } from "./route-data.ts"
import { as, budget, compiled, opening, type Part, type Step } from "./transaction.ts"

/** The accounts of a payment, which follow from what it is. */
export interface Places {
  readonly mark: Address
  readonly source: Address
  readonly destination: Address
}

export const placesOf = (transfer: Transfer, mint: string): Effect.Effect<Places> =>
  Effect.map(Mark.addressOf(transfer), (mark) => ({
    mark,
    source: tokenAccountOf(transfer.from, mint),
    destination: tokenAccountOf(transfer.to, mint)
  }))

export interface Draft {
  readonly transfer: Transfer
  readonly places: Places
  readonly mint: string
  readonly relayer: string
  readonly bid: Bid
  readonly conditions: Pick<Conditions, "blockhash" | "lastValidBlockHeight" | "markLamports">
}

/** Text right before the transfer that it belongs to, as programs look for it that require one. */
const noting = (memo: string): Instruction => ({
  programAddress: memoProgram,
  data: new TextEncoder().encode(memo)
})

/** In order; the place of one in this list is its index in the transaction. */
export const instructions = ({
  bid,
  conditions,
  mint,
  places: { destination, mark, source },
  relayer,
  transfer
}: Draft): ReadonlyArray<Step> => {
  const marking = Mark.making(mark, transfer, { relayer, lamports: conditions.markLamports })
  const moving = getTransferCheckedInstruction({
    source,
    mint: address(mint),
    destination,
    authority: createNoopSigner(address(transfer.from)),
    amount: transfer.amount.units,
    decimals: Usdc.decimals
  })
  return [
    ...budget(bid),
    ...marking.map(as("mark")),
    ...(bid.opensAccount ? [opening(relayer, transfer.to, mint)] : []),
    ...(transfer.memo === undefined ? [] : [as("memo")(noting(transfer.memo))]),
    as("transfer")(moving)
  ]
}

/** What is signed, with an empty place for each signature. */
export const compile = (draft: Draft) =>
  compiled(
    draft.relayer,
    draft.conditions,
    instructions(draft).map(({ instruction }) => instruction)
  )

const programs: Readonly<Record<string, Part>> = {
  [COMPUTE_BUDGET_PROGRAM_ADDRESS]: "budget",
  [SYSTEM_PROGRAM_ADDRESS]: "mark",
  [ASSOCIATED_TOKEN_PROGRAM_ADDRESS]: "account",
  [memoProgram]: "memo",
  [TOKEN_PROGRAM_ADDRESS]: "transfer",
  ...Object.fromEntries(routerPrograms.map((program) => [program, "route" as const])),
  [messengerProgram]: "burn",
  [transmitterProgram]: "delivery"
}

/** What the instructions of a transaction of ours are for, in order. */
export const partsIn = (wire: string): ReadonlyArray<Part> => {
  const { messageBytes } = getTransactionDecoder().decode(getBase64Encoder().encode(wire))
  const message = getCompiledTransactionMessageDecoder().decode(messageBytes)
  if (message.version === 1) return []
  return message.instructions.map(
    ({ programAddressIndex }) =>
      programs[message.staticAccounts[programAddressIndex] ?? ""] ?? "budget"
  )
}
