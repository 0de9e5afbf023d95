/** Transactions that payers sign for x402 on the local Solana, as a stock client makes them, and made wrong on purpose. */
import {
  type Address,
  address,
  appendTransactionMessageInstructions,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  type Instruction,
  type KeyPairSigner,
  partiallySignTransactionMessageWithSigners,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash
} from "@solana/kit"
import {
  getSetComputeUnitLimitInstruction,
  getSetComputeUnitPriceInstruction
} from "@solana-program/compute-budget"
import { getTransferCheckedInstruction } from "@solana-program/token"
import { Effect } from "effect"
import { memoProgram } from "../../adapters/solana/memo.ts"
import * as Solana from "./solana.ts"

/** A payer who holds so much, and no SOL. */
export const payerWith = Effect.fnUntraced(function* (amountMicro: bigint) {
  const chain = yield* Solana.SolanaChain
  const signer = yield* Effect.promise(() => generateKeyPairSigner())
  if (amountMicro > 0n) yield* chain.mint(signer.address, amountMicro)
  return signer
})

export const memoOf = (text: string): Instruction => ({
  programAddress: memoProgram,
  accounts: [],
  data: new TextEncoder().encode(text)
})

/** What a plain payment is made of. */
export interface Draft {
  readonly payer: KeyPairSigner
  readonly payTo: string
  readonly amountMicro: bigint
  readonly feePayer: string
  readonly memo: string
}

export interface Parts {
  readonly limit: Instruction
  readonly price: Instruction
  readonly transfer: Instruction
  readonly memo: Instruction
}

/** The accounts of a payment, for whoever makes it wrong. */
export const accountsOf = Effect.fnUntraced(function* ({ payTo, payer }: Draft) {
  const { usdc } = yield* Solana.SolanaChain
  return {
    mint: address(usdc),
    source: yield* Solana.tokenAccount(payer.address, usdc),
    destination: yield* Solana.tokenAccount(payTo, usdc)
  }
})

export const partsOf = Effect.fnUntraced(function* (draft: Draft) {
  const { amountMicro: amount, memo, payer: authority } = draft
  const accounts = yield* accountsOf(draft)
  const parts: Parts = {
    limit: getSetComputeUnitLimitInstruction({ units: 20_000 }),
    price: getSetComputeUnitPriceInstruction({ microLamports: 1n }),
    transfer: getTransferCheckedInstruction({ ...accounts, authority, amount, decimals: 6 }),
    memo: memoOf(memo)
  }
  return parts
})

export type Latest = Effect.Success<typeof latest>

export const latest = Effect.gen(function* () {
  const client = yield* Solana.rpc
  const { value } = yield* Effect.promise(() =>
    client.getLatestBlockhash({ commitment: "confirmed" }).send()
  )
  return value
})

/** Signed by whoever of those in it is a signer of the test's; the fee payer is not. */
export const wireOf = Effect.fnUntraced(function* (
  instructions: ReadonlyArray<Instruction>,
  feePayer: string,
  blockhash?: Latest
) {
  const lifetime = blockhash ?? (yield* latest)
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayer(address(feePayer) as Address, empty),
    (paid) => appendTransactionMessageInstructions([...instructions], paid),
    (full) => setTransactionMessageLifetimeUsingBlockhash(lifetime, full)
  )
  const signed = yield* Effect.promise(() => partiallySignTransactionMessageWithSigners(message))
  return getBase64EncodedWireTransaction(signed) as string
})

/** A plain payment. */
export const plain = Effect.fnUntraced(function* (draft: Draft, blockhash?: Latest) {
  const { limit, memo, price, transfer } = yield* partsOf(draft)
  return yield* wireOf([limit, price, transfer, memo], draft.feePayer, blockhash)
})
