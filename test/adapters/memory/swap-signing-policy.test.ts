/** Swaps over the in-memory stores are signed under the signing policy or not at all. */
import * as Contract from "../../contracts/swap-signing-policy.contract.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"

Contract.suite("memory", memoryTreasury)
