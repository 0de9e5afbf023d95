/** All stories over REST, on a real PostgreSQL and a real chain. */
import * as FreshDatabase from "../support/fresh-database.ts"
import { realWorld } from "./real-world.ts"
import { tellAll } from "./telling.ts"

tellAll("REST, PostgreSQL, anvil", realWorld(FreshDatabase.engine, "REST"))
