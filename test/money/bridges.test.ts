/** Deaths in the middle of a bridge. */
import * as Bridges from "./bridges.ts"
import { suite } from "./suite.ts"

suite([Bridges.part])
