/** Sends whose records were lost, on the scripted chain. */

import * as Contract from "../../contracts/recovered.contract.ts"
import { world } from "../../support/memory-sending-chain.ts"

Contract.suite("memory", world)
