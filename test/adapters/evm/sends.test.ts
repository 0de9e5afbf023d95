/** Sends on anvil do what sends do on every chain. */
import * as MadePayments from "../../contracts/made-payments.contract.ts"
import * as Contract from "../../contracts/sends.contract.ts"
import * as Submitters from "../../contracts/submitters.contract.ts"
import { evm } from "../../support/real-send-worlds.ts"

Contract.suite("anvil", evm)
MadePayments.suite("anvil", evm)
Submitters.suite("anvil", evm)
