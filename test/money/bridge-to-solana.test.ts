/** Deaths in the middle of a bridge to Solana. */
import * as BridgeToSolana from "./bridge-to-solana.ts"
import { suite } from "./suite.ts"

suite([BridgeToSolana.part])
