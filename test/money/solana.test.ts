/** Deaths, standstills and races in the middle of a send on Solana. */
import * as Solana from "./solana.ts"
import * as SolanaRaces from "./solana-races.ts"
import { suite } from "./suite.ts"

suite([Solana.part, Solana.standing, SolanaRaces.part])
