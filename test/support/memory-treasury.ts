/** The whole treasury in memory as a layer, new for each test file, without workers. */
import { Layer } from "effect"
import { Store } from "../../adapters/memory/store.ts"
import * as Wiring from "../../apps/testing/wiring.ts"

export const memoryTreasury = Layer.suspend(() =>
  Wiring.layer(
    { store: new Store(), chain: Wiring.scriptedChain(["local", "local-2", "local-solana"]) },
    1
  )
)
