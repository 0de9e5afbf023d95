/** Sending on EVM chains keeps the contract of EVM relays, proven on anvil with Circle's own contract. */
import * as Contract from "../../contracts/evm-relay.contract.ts"
import * as Finality from "../../contracts/finality.contract.ts"
import * as Permits from "../../contracts/permits.contract.ts"
import { world } from "../../support/anvil-sending-chain.ts"

Contract.suite("anvil", world)
Permits.suite("anvil", world)
Finality.suite("anvil", world)
