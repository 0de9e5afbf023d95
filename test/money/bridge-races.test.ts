/** Processes that race to make one bridge leave. */
import * as BridgeRaces from "./bridge-races.ts"
import { suite } from "./suite.ts"

suite([BridgeRaces.part])
