/** Sends over the in-memory books are signed under a warrant or not at all. */
import { Layer } from "effect"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import * as Approvals from "../../contracts/permit-warrant.contract.ts"
import * as Contract from "../../contracts/warrant.contract.ts"

const ground = Layer.suspend(() =>
  Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain() }, 1)
)

Contract.suite("memory", ground)
Approvals.suite("memory", ground)
