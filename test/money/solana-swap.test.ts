/** Deaths in the middle of a swap on Solana, and prices that move before it. */
import * as SolanaSwap from "./solana-swap.ts"
import * as SolanaSwapPrices from "./solana-swap-prices.ts"
import { suite } from "./suite.ts"

suite([SolanaSwap.part, SolanaSwapPrices.part])
