/** The memo program: text in a transaction, for all to read. */
import { address } from "@solana/kit"

/** The one that wallets and x402 use; the token library knows a later one. */
export const memoProgram = address("MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr")
