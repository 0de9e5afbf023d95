/** Deaths and standstills in the middle of a send on Solana. */
import * as Solana from "./solana.ts"
import { suite } from "./suite.ts"

suite([Solana.part, Solana.standing])
