/** Sends of a relayer whose nonces fell apart, over the in-memory stores on a scripted chain. */
import { Layer } from "effect"
import * as Memory from "../../../adapters/memory/memory.ts"
import * as Contract from "../../contracts/relayers.contract.ts"
import { world } from "../../support/memory-sending-chain.ts"
import { registries } from "../../support/registries.ts"
import { identified } from "../../support/signing-policies.ts"

Contract.suite(
  "memory",
  Layer.suspend(() => Layer.mergeAll(world, Memory.layer(), identified, registries))
)
