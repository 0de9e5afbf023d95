/** Sends on scripted chains of each family do what sends do on every chain. */
import * as MadePayments from "../../contracts/made-payments.contract.ts"
import * as Contract from "../../contracts/sends.contract.ts"
import * as Submitters from "../../contracts/submitters.contract.ts"
import { evm, solana } from "../../support/memory-send-worlds.ts"

Contract.suite("memory", evm)
Contract.suite("memory, Solana", solana)
MadePayments.suite("memory", evm)
MadePayments.suite("memory, Solana", solana)
Submitters.suite("memory", evm)
Submitters.suite("memory, Solana", solana)
