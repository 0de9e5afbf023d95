/** Venues that lie about swaps, on both families of chains. */
import { suite } from "./suite.ts"
import * as VenueLies from "./venue-lies.ts"

suite([VenueLies.part])
