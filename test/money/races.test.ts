/** Many confirmations at once. */
import * as Fifty from "./fifty.ts"
import * as Races from "./races.ts"
import { suite } from "./suite.ts"

suite([Races.part, Fifty.part])
