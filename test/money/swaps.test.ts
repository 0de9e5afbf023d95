/** Deaths in the middle of a swap, and prices that move before it. */
import { suite } from "./suite.ts"
import * as SwapPrices from "./swap-prices.ts"
import * as Swaps from "./swaps.ts"
import * as WalletCalls from "./wallet-calls.ts"

suite([Swaps.part, SwapPrices.part, WalletCalls.part, WalletCalls.cancelled])
