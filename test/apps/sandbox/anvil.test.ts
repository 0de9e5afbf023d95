/** A local chain is as quick after many blocks as after few: nothing that grows with each of them is hashed anew. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Anvil from "../../../apps/sandbox/anvil.ts"

const hashesOfBlocks = "0x0000F90827F1C53a10cb7A02335B175320002935"

it.live("keeps no hash of a block in its state", () =>
  Effect.gen(function* () {
    const anvil = yield* Anvil.start()
    yield* anvil.call("anvil_mine", "0x10")
    const kept = yield* Effect.forEach([1, 2, 15], (slot) =>
      anvil.call("eth_getStorageAt", hashesOfBlocks, `0x${slot.toString(16)}`, "latest")
    )
    assert.deepStrictEqual(new Set(kept), new Set([`0x${"00".repeat(32)}`]))
  })
)
