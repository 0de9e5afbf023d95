/**
 * The transaction that pays: the mark is made, the payee's token account where it is missing, and the transfer done,
 * all or nothing. The relayer pays the fee; the wallet needs no SOL.
 */

import {
  type Address,
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createNoopSigner,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getSignatureFromTransaction,
  getTransactionDecoder,
  type Instruction,
  pipe,
  type SignatureBytes,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash
} from "@solana/kit"
import {
  COMPUTE_BUDGET_PROGRAM_ADDRESS,
  getSetComputeUnitLimitInstruction,
  getSetComputeUnitPriceInstruction
} from "@solana-program/compute-budget"
import { SYSTEM_PROGRAM_ADDRESS } from "@solana-program/system"
import {
  ASSOCIATED_TOKEN_PROGRAM_ADDRESS,
  findAssociatedTokenPda,
  getCreateAssociatedTokenIdempotentInstruction,
  getTransferCheckedInstruction,
  TOKEN_PROGRAM_ADDRESS
} from "@solana-program/token"
import { Effect } from "effect"
import { TransactionId } from "../../core/chains/address.ts"
import * as Usdc from "../../core/money/usdc.ts"
import type { Bid, Conditions, Transfer } from "../../core/solana/relay.ts"
import { messengerProgram, transmitterProgram } from "./cctp/places.ts"
import * as Mark from "./mark.ts"
import { routerPrograms } from "./route-data.ts"

/** The account that an owner's tokens of a mint lie in. */
export const tokenAccount = (owner: string, mint: string): Effect.Effect<Address> =>
  Effect.promise(async () => {
    const seeds = { owner: address(owner), mint: address(mint) }
    return (await findAssociatedTokenPda({ ...seeds, tokenProgram: TOKEN_PROGRAM_ADDRESS }))[0]
  })

/** The accounts of a payment, which follow from what it is. */
export interface Places {
  readonly mark: Address
  readonly source: Address
  readonly destination: Address
}

export const placesOf = (transfer: Transfer, mint: string): Effect.Effect<Places> =>
  Effect.all({
    mark: Mark.addressOf(transfer),
    source: tokenAccount(transfer.from, mint),
    destination: tokenAccount(transfer.to, mint)
  })

/** What an instruction is for, by which its failure is told. */
export type Part = "budget" | "mark" | "account" | "transfer" | "route" | "burn" | "delivery"

export interface Draft {
  readonly transfer: Transfer
  readonly places: Places
  readonly mint: string
  readonly relayer: string
  readonly bid: Bid
  readonly conditions: Pick<Conditions, "blockhash" | "lastValidBlockHeight" | "markLamports">
}

/** In order; the place of one in this list is its index in the transaction. */
export const instructions = ({
  bid,
  conditions,
  mint,
  places: { destination, mark, source },
  relayer,
  transfer
}: Draft): ReadonlyArray<{ readonly part: Part; readonly instruction: Instruction }> => {
  const as = (part: Part) => (instruction: Instruction) => ({ part, instruction })
  const budget = [
    getSetComputeUnitLimitInstruction({ units: bid.units }),
    getSetComputeUnitPriceInstruction({ microLamports: bid.priority })
  ]
  const marking = Mark.making(mark, transfer, { relayer, lamports: conditions.markLamports })
  const opening = getCreateAssociatedTokenIdempotentInstruction({
    payer: createNoopSigner(address(relayer)),
    ata: destination,
    owner: address(transfer.to),
    mint: address(mint)
  })
  const moving = getTransferCheckedInstruction({
    source,
    mint: address(mint),
    destination,
    authority: createNoopSigner(address(transfer.from)),
    amount: transfer.amount.units,
    decimals: Usdc.decimals
  })
  return [
    ...budget.map(as("budget")),
    ...marking.map(as("mark")),
    ...(bid.opensAccount ? [as("account")(opening)] : []),
    as("transfer")(moving)
  ]
}

/** What is signed, with an empty place for each signature. */
export const compile = (draft: Draft) => {
  const { blockhash, lastValidBlockHeight } = draft.conditions
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayer(address(draft.relayer), empty),
    (paid) =>
      setTransactionMessageLifetimeUsingBlockhash(
        { blockhash: blockhash as Blockhash, lastValidBlockHeight },
        paid
      ),
    (alive) =>
      appendTransactionMessageInstructions(
        instructions(draft).map(({ instruction }) => instruction),
        alive
      )
  )
  return compileTransaction(message)
}

export type Compiled = ReturnType<typeof compile>

/** The bytes as the network takes them, base64; without a signature, only to be tried. */
export const wireOf = (compiled: Compiled): string => getBase64EncodedWireTransaction(compiled)

export const signed = (compiled: Compiled, signatures: Readonly<Record<string, Uint8Array>>) => {
  const filled = Object.keys(compiled.signatures).map((signer) => [
    signer,
    signatures[signer] as SignatureBytes | undefined
  ])
  const transaction: Compiled = { ...compiled, signatures: Object.fromEntries(filled) }
  const txId = TransactionId.make(getSignatureFromTransaction(transaction))
  return { wire: wireOf(transaction), txId }
}

const programs: Readonly<Record<string, Part>> = {
  [COMPUTE_BUDGET_PROGRAM_ADDRESS]: "budget",
  [SYSTEM_PROGRAM_ADDRESS]: "mark",
  [ASSOCIATED_TOKEN_PROGRAM_ADDRESS]: "account",
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
