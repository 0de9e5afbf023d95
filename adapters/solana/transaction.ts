/**
 * What every transaction of ours has, whatever it is for: a payer of its fee, a block that it lives by, a bid for its
 * place, and steps that happen all or not at all.
 */
import {
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  compressTransactionMessageUsingAddressLookupTables,
  createNoopSigner,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type Instruction,
  pipe,
  type SignatureBytes,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash
} from "@solana/kit"
import {
  getSetComputeUnitLimitInstruction,
  getSetComputeUnitPriceInstruction
} from "@solana-program/compute-budget"
import { getCreateAssociatedTokenIdempotentInstruction } from "@solana-program/token"
import { TransactionId } from "../../core/chains/address.ts"
import type { Bid, Conditions } from "../../core/solana/relay.ts"
import { tokenAccountOf } from "./derived.ts"
import type { Tables } from "./lookup-table.ts"

/** What an instruction is for, by which its failure is told. */
export type Part =
  | "budget"
  | "mark"
  | "account"
  | "memo"
  | "transfer"
  | "route"
  | "burn"
  | "delivery"

export interface Step {
  readonly part: Part
  readonly instruction: Instruction
}

/** Says of instructions what they are for. */
export const as =
  (part: Part) =>
  (instruction: Instruction): Step => ({ part, instruction })

/** How much it may compute, and what it bids for that. */
export const budget = ({ priority, units }: Pick<Bid, "priority" | "units">) =>
  [
    getSetComputeUnitLimitInstruction({ units }),
    getSetComputeUnitPriceInstruction({ microLamports: priority })
  ].map(as("budget"))

/** Opens the account that an owner's tokens of a mint lie in, at the payer's cost; does nothing where it is open. */
export const opening = (payer: string, owner: string, mint: string): Step =>
  as("account")(
    getCreateAssociatedTokenIdempotentInstruction({
      payer: createNoopSigner(address(payer)),
      ata: tokenAccountOf(owner, mint),
      owner: address(owner),
      mint: address(mint)
    })
  )

const noTables: Tables = new Map()

/** What is signed, with an empty place for each signature. */
export const compiled = (
  feePayer: string,
  { blockhash, lastValidBlockHeight }: Pick<Conditions, "blockhash" | "lastValidBlockHeight">,
  instructions: ReadonlyArray<Instruction>,
  tables: Tables = noTables
) => {
  const known = Object.fromEntries([...tables].map(([table, held]) => [table, [...held]]))
  const whole = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayer(address(feePayer), empty),
    (paid) =>
      setTransactionMessageLifetimeUsingBlockhash(
        { blockhash: blockhash as Blockhash, lastValidBlockHeight },
        paid
      ),
    (alive) => appendTransactionMessageInstructions(instructions, alive)
  )
  // A message that names tables has the lifetime of the one it was made of, though its type forgets so.
  return compileTransaction(
    compressTransactionMessageUsingAddressLookupTables(whole, known) as typeof whole
  )
}

export type Compiled = ReturnType<typeof compiled>

/** The bytes as the network takes them, base64; without a signature, only to be tried. */
export const wireOf = (transaction: Compiled): string =>
  getBase64EncodedWireTransaction(transaction)

export const signed = (transaction: Compiled, signatures: Readonly<Record<string, Uint8Array>>) => {
  const filled = Object.keys(transaction.signatures).map((signer) => [
    signer,
    signatures[signer] as SignatureBytes | undefined
  ])
  const whole: Compiled = { ...transaction, signatures: Object.fromEntries(filled) }
  return { wire: wireOf(whole), txId: TransactionId.make(getSignatureFromTransaction(whole)) }
}
