/** The issuer's bridge keeps the contract of bridges on two real chains, and fails as it says. */
import { suite } from "../../../contracts/bridges.contract.ts"
import * as BurnFailures from "../../../contracts/burn-failures.contract.ts"
import { cctpWorld } from "../../../support/cctp-world.ts"

suite("CCTP on two local chains", cctpWorld, { absentId: `0x${"00".repeat(32)}` })
BurnFailures.suite("CCTP on two local chains", cctpWorld)
