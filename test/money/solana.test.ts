/** Deaths and standstills in the middle of a send on Solana, and a tenant who wants the relayer's coins. */
import * as Hostile from "./hostile.ts"
import * as Solana from "./solana.ts"
import * as SolanaMarks from "./solana-marks.ts"
import * as SolanaPayment from "./solana-payment.ts"
import { suite } from "./suite.ts"

suite([Solana.part, Solana.standing, SolanaMarks.part, SolanaPayment.part, Hostile.part])
