/** Wallets' own transactions on a scripted chain do what they do on every chain. */
import * as Contract from "../../contracts/calls.contract.ts"
import { world } from "../../support/memory-sending-chain.ts"

Contract.suite("memory", world)
