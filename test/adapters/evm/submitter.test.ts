/** Sending on EVM chains keeps the contract of payouts, proven on anvil with Circle's own contract. */
import * as Finality from "../../contracts/finality.contract.ts"
import * as Failures from "../../contracts/payout-failures.contract.ts"
import * as Permits from "../../contracts/permits.contract.ts"
import * as Contract from "../../contracts/submitter.contract.ts"
import { world } from "../../support/anvil-sending-chain.ts"

Contract.suite("anvil", world)
Failures.suite("anvil", world)
Permits.suite("anvil", world)
Finality.suite("anvil", world)
