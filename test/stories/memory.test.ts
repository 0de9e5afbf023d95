/** All stories in memory, over functions. */
import { memoryWorld } from "./memory-world.ts"
import { tellAll } from "./telling.ts"

tellAll("memory", memoryWorld)
