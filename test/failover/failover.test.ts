/** One failover as a test, with old records that are still served; many, and with the figures, is `npm run verify:failover`. */
import { suite } from "../money/suite.ts"
import { part } from "./sends.ts"

suite([part])
