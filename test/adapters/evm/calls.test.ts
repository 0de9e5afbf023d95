/** Wallets' own transactions on a real EVM chain do what they do on every chain. */
import { Layer } from "effect"
import * as Contract from "../../contracts/calls.contract.ts"
import { seedKeys, walletKeys, world } from "../../support/anvil-sending-chain.ts"

Contract.suite("anvil", Layer.merge(world, walletKeys(seedKeys().backend)))
