/** A wallet's own transaction outlives its process, wherever that dies, on a scripted chain. */
import { it } from "@effect/vitest"
import { atEveryCall } from "../../support/call-deaths.ts"
import { world } from "../../support/memory-sending-chain.ts"

it.effect("a call is lent for and made once, whichever of its steps the process dies at", () =>
  atEveryCall(world, 1)
)
