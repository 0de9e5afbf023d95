/**
 * The virtual machine that executes transactions on the local Solana: litesvm, with the real system, token and memo
 * programs. It is native code that not every machine has a binary of, so it is loaded only when it is asked for.
 */
import { createRequire } from "node:module"
import { Effect } from "effect"
import type { FailedTransactionMetadata, LiteSVM } from "litesvm"
import { ChainNotStarted } from "../chain-not-started.ts"

/** A transaction's error in the form in which RPC nodes tell it. */
export type TransactionError =
  | string
  | { readonly InstructionError: readonly [number, string | { readonly Custom: number }] }
  | { readonly InsufficientFundsForRent: { readonly account_index: number } }

export interface Runtime {
  readonly create: () => LiteSVM
  readonly restore: (bytes: Uint8Array) => LiteSVM
  readonly isFailed: (result: object) => result is FailedTransactionMetadata
  readonly errorOf: (failed: FailedTransactionMetadata) => TransactionError
}

type Names = Readonly<Record<string, number>>

interface Native {
  readonly InstructionErrorFieldless: Names
  readonly TransactionErrorFieldless: Names
}

const nameIn = (names: Names, code: number) =>
  Object.keys(names).find((name) => names[name] === code) ?? "GenericError"

const errors =
  ({ InstructionErrorFieldless, TransactionErrorFieldless }: Native): Runtime["errorOf"] =>
  (failed) => {
    const error = failed.err()
    if (typeof error === "number") return nameIn(TransactionErrorFieldless, error)
    if ("accountIndex" in error) {
      return { InsufficientFundsForRent: { account_index: error.accountIndex } }
    }
    if (!("err" in error)) return "GenericError"
    const inner = error.err()
    if (typeof inner === "number") {
      return { InstructionError: [error.index, nameIn(InstructionErrorFieldless, inner)] }
    }
    return "code" in inner
      ? { InstructionError: [error.index, { Custom: inner.code }] }
      : { InstructionError: [error.index, "BorshIoError"] }
  }

/** What is known of block hashes and of transactions that were there before is the ledger's business. */
const prepared = (svm: LiteSVM): LiteSVM => svm.withBlockhashCheck(false).withTransactionHistory(0n)

export const load: Effect.Effect<Runtime, ChainNotStarted> = Effect.try({
  try: () => {
    const load = createRequire(import.meta.url)
    const { FailedTransactionMetadata, LiteSVM } = load("litesvm") as typeof import("litesvm")
    const native = load("litesvm/dist/internal.js") as Native
    return {
      create: () => prepared(new LiteSVM()),
      restore: (bytes: Uint8Array) => prepared(LiteSVM.fromBytes(bytes)),
      isFailed: (result: object) => result instanceof FailedTransactionMetadata,
      errorOf: errors(native)
    } as Runtime
  },
  catch: () =>
    new ChainNotStarted({
      reason: "not_installed",
      detail: `litesvm has no binary here for ${process.platform} ${process.arch}`
    })
})
