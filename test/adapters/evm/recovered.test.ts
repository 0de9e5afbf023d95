/** Sends whose records were lost, on a chain with Circle's USDC. */
import { Layer } from "effect"
import * as Contract from "../../contracts/recovered.contract.ts"
import { seedKeys, walletKeys, world } from "../../support/anvil-sending-chain.ts"

Contract.suite("anvil", Layer.merge(world, walletKeys(seedKeys().backend)))
