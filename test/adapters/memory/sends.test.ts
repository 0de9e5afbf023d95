/** Sends on scripted chains of each family do what sends do on every chain. */
import * as Contract from "../../contracts/sends.contract.ts"
import { evm, solana } from "../../support/memory-send-worlds.ts"

Contract.suite("memory", evm)
Contract.suite("memory, Solana", solana)
