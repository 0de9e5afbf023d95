/** Limit orders keep the contract of bridges on two real chains, and fail as it says. */
import { suite } from "../../../contracts/bridges.contract.ts"
import * as OrderFailures from "../../../contracts/order-failures.contract.ts"
import { dlnWorld } from "../../../support/dln-world.ts"

suite("DLN on two local chains", dlnWorld, { absentId: `0x${"00".repeat(32)}` })
OrderFailures.suite("DLN on two local chains", dlnWorld)
