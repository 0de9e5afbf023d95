/** Tells every story in a world that is opened anew for each. */
import { it } from "@effect/vitest"
import { Effect, type Scope } from "effect"
import { approving } from "./approving.ts"
import { auditing } from "./auditing.ts"
import { cosigning } from "./cosigning.ts"
import { deliveries } from "./deliveries.ts"
import { endings } from "./endings.ts"
import { governing } from "./governing.ts"
import { keys } from "./keys.ts"
import { odd } from "./odd.ts"
import { passkeys } from "./passkeys.ts"
import { payments } from "./payments.ts"
import { portfolio } from "./portfolio.ts"
import { refunding } from "./refunding.ts"
import { resolving } from "./resolving.ts"
import { sending } from "./sending.ts"
import { stealing } from "./stealing.ts"
import type { World } from "./world.ts"

const stories = [
  ...payments,
  ...odd,
  ...endings,
  ...deliveries,
  ...keys,
  ...sending,
  ...stealing,
  ...governing,
  ...passkeys,
  ...cosigning,
  ...resolving,
  ...refunding,
  ...portfolio,
  ...auditing,
  ...approving
]

export const tellAll = <E>(name: string, world: Effect.Effect<World, E, Scope.Scope>) => {
  for (const story of stories) {
    it.live(`${story.title} (${name})`, () => Effect.flatMap(world, story.tell).pipe(Effect.scoped))
  }
}
