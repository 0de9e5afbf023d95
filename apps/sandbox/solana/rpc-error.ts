/** Errors of the local Solana in the codes and words of the real node's. */
import type { TransactionError } from "./svm.ts"

export class RpcError extends Error {
  override readonly name = "RpcError"
  readonly code: number
  readonly data: unknown
  constructor(code: number, message: string, data?: unknown) {
    super(message)
    this.code = code
    this.data = data
  }
}

export const invalidParams = (message: string) => new RpcError(-32602, message)
export const unknownMethod = new RpcError(-32601, "Method not found")

export const behind = (contextSlot: bigint) =>
  new RpcError(-32016, "Minimum context slot has not been reached", { contextSlot })

const reasonOf = (error: TransactionError) =>
  typeof error === "string" ? error : JSON.stringify(error)

/** What `sendTransaction` says of one that its simulation refused. */
export const preflight = (
  err: TransactionError,
  logs: ReadonlyArray<string> = [],
  unitsConsumed = 0n
) =>
  new RpcError(-32002, `Transaction simulation failed: ${reasonOf(err)}`, {
    err,
    logs,
    accounts: null,
    unitsConsumed,
    returnData: null
  })
