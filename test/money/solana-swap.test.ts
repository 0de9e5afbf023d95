/** Deaths in the middle of a swap on Solana. */
import * as SolanaSwap from "./solana-swap.ts"
import { suite } from "./suite.ts"

suite([SolanaSwap.part])
