/**
 * The hash of a transaction's message, from what a node tells of it: by it a transfer in a block is told to be the one
 * that a payer signed (x402). Only transactions of that form have one here.
 */
import {
  type Address,
  type Blockhash,
  type CompiledTransactionMessage,
  type CompiledTransactionMessageWithLifetime,
  getBase58Encoder,
  getCompiledTransactionMessageEncoder
} from "@solana/kit"
import { hashOf, isPlainForm } from "./plain-payment.ts"

export interface ToldMessage {
  readonly header: {
    readonly numRequiredSignatures: number
    readonly numReadonlySignedAccounts: number
    readonly numReadonlyUnsignedAccounts: number
  }
  readonly accountKeys: ReadonlyArray<string>
  readonly recentBlockhash: string
  readonly instructions: ReadonlyArray<{
    readonly programIdIndex: number
    readonly accounts: ReadonlyArray<number>
    readonly data: string
  }>
}

export const plainHashOf = ({
  accountKeys,
  header,
  instructions,
  recentBlockhash
}: ToldMessage): string | undefined => {
  const message = {
    version: 0 as const,
    header: {
      numSignerAccounts: header.numRequiredSignatures,
      numReadonlySignerAccounts: header.numReadonlySignedAccounts,
      numReadonlyNonSignerAccounts: header.numReadonlyUnsignedAccounts
    },
    staticAccounts: accountKeys.map((key) => key as Address),
    lifetimeToken: recentBlockhash as Blockhash,
    instructions: instructions.map(({ accounts, data, programIdIndex }) => ({
      programAddressIndex: programIdIndex,
      accountIndices: [...accounts],
      data: getBase58Encoder().encode(data)
    }))
  } satisfies CompiledTransactionMessage & CompiledTransactionMessageWithLifetime
  return isPlainForm(message)
    ? hashOf(getCompiledTransactionMessageEncoder().encode(message))
    : undefined
}
