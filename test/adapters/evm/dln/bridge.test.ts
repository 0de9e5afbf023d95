/** Limit orders keep the contract of bridges on two real chains. */
import { suite } from "../../../contracts/bridges.contract.ts"
import { dlnWorld } from "../../../support/dln-world.ts"

suite("DLN on two local chains", dlnWorld, { absentId: `0x${"00".repeat(32)}` })
