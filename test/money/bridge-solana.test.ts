/** Deaths in the middle of a bridge to Solana, and of one from there. */
import * as BridgeFromSolana from "./bridge-from-solana.ts"
import * as BridgeToSolana from "./bridge-to-solana.ts"
import { suite } from "./suite.ts"

suite([BridgeToSolana.part, BridgeFromSolana.part])
