/**
 * A wallet's own transaction outlives its process on a real chain too, with keys in a service that signs otherwise
 * each time: a share of the places to die at.
 */
import { it } from "@effect/vitest"
import { Layer } from "effect"
import { kmsKeys, walletKeys, worldOf } from "../../support/anvil-sending-chain.ts"
import { atEveryCall } from "../../support/call-deaths.ts"
import { localKms } from "../../support/local-kms.ts"

it.effect(
  "a call is lent for and made once, whichever of its steps the process dies at",
  () => {
    const service = localKms()
    const held = kmsKeys(service, "one")
    const world = worldOf(held, kmsKeys(service, "other").relayer)
    return atEveryCall(Layer.merge(world, walletKeys(held.backend)), 3)
  },
  120_000
)
