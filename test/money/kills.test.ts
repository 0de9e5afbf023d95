/** Deaths and standstills in the middle of a send. */
import * as Kills from "./kills.ts"
import * as Stale from "./stale.ts"
import { suite } from "./suite.ts"

suite([Kills.part, Kills.standing, Stale.part])
