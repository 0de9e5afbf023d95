/** All stories over REST, on the embedded database and a real chain. */
import * as Embedded from "../../adapters/postgres/embedded.ts"
import { realWorld } from "./real-world.ts"
import { tellAll } from "./telling.ts"

tellAll("REST, PGlite, anvil", realWorld(Embedded.memory, "REST"))
