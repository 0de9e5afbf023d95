/** Sends on the local Solana do what sends do on every chain. */
import * as MadePayments from "../../contracts/made-payments.contract.ts"
import * as Contract from "../../contracts/sends.contract.ts"
import * as Submitters from "../../contracts/submitters.contract.ts"
import { solana } from "../../support/real-send-worlds.ts"

Contract.suite("the local Solana", solana)
MadePayments.suite("the local Solana", solana)
Submitters.suite("the local Solana", solana)
