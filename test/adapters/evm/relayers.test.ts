/** Sends of a relayer whose nonces fell apart, on a chain with Circle's USDC, keys in a seed and in a service. */
import { Layer } from "effect"
import * as Contract from "../../contracts/relayers.contract.ts"
import { kmsKeys, seedKeys, sendingOver } from "../../support/anvil-sending-chain.ts"
import { localKms } from "../../support/local-kms.ts"

const service = localKms()

Contract.suite(
  "seed, anvil",
  Layer.suspend(() => sendingOver(seedKeys(), seedKeys(1)))
)
Contract.suite(
  "service, anvil",
  Layer.suspend(() => sendingOver(kmsKeys(service, "one"), kmsKeys(service, "other")))
)
