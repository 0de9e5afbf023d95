/** Sends of a relayer whose nonces fell apart, over the in-memory stores on a scripted chain. */
import { Layer } from "effect"
import * as Memory from "../../../adapters/memory/memory.ts"
import * as Secrets from "../../../adapters/memory/secrets.ts"
import * as Kinds from "../../../core/treasury/kinds.ts"
import * as Contract from "../../contracts/relayers.contract.ts"
import { world } from "../../support/memory-paying.ts"

Contract.suite(
  "memory",
  Layer.suspend(() => Layer.mergeAll(world, Memory.layer(), Secrets.layer, Kinds.layer))
)
