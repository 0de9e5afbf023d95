/** A mistake somebody could make in the core, planted from outside by what its ports then do. */
import type { Wired } from "./ports.ts"
import type { World } from "./world.ts"

export interface Bug {
  readonly name: string
  readonly plant: (wired: Wired, world: World) => Wired
}
