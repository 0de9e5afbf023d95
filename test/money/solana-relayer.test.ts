/** What Solana's relayer pays for besides sends: marks taken back, payments by x402, and a tenant who wants its coins. */
import * as Hostile from "./hostile.ts"
import * as SolanaMarks from "./solana-marks.ts"
import * as SolanaPayment from "./solana-payment.ts"
import { suite } from "./suite.ts"

suite([SolanaMarks.part, SolanaPayment.part, Hostile.part])
