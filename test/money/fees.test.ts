/** What trades cost, as it is said and as it is taken. */
import * as Fees from "./fees.ts"
import { suite } from "./suite.ts"

suite([Fees.part])
