/** Deaths in the middle of a bridge, and records that are lost in the middle of one. */
import * as Bridges from "./bridges.ts"
import * as LostBridges from "./lost-bridges.ts"
import { suite } from "./suite.ts"

suite([Bridges.part, LostBridges.part])
