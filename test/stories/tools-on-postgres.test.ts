/** All stories over tools, on a real PostgreSQL and a real chain. */
import * as FreshDatabase from "../support/fresh-database.ts"
import { realWorld } from "./real-world.ts"
import { tellAll } from "./telling.ts"

tellAll("tools, PostgreSQL, anvil", realWorld(FreshDatabase.engine, "tools"))
