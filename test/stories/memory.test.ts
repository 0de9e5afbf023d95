/** All stories in memory, over functions. */
import { it } from "@effect/vitest"
import { Effect } from "effect"
import { deliveries } from "./deliveries.ts"
import { endings } from "./endings.ts"
import { keys } from "./keys.ts"
import { memoryWorld } from "./memory-world.ts"
import { payments } from "./payments.ts"

for (const story of [...payments, ...endings, ...deliveries, ...keys]) {
  it.live(`${story.title} (memory)`, () =>
    Effect.flatMap(memoryWorld, story.tell).pipe(Effect.scoped)
  )
}
