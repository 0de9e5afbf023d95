/** The rate limits of one process keep the contract. */
import * as RateLimits from "../../../adapters/memory/rate-limits.ts"
import { suite } from "../../contracts/rate-limits.contract.ts"

suite(
  "memory",
  RateLimits.layer({ reads: 3, writes: 2, quotes: 2, confirms: 2, failures: 2, anonymous: 2 })
)
