/** A mistake somebody could make in the core, planted from outside by what its ports then do. */
import { Layer } from "effect"
import type * as ScriptedChain from "../../../adapters/memory/scripted-chain.ts"
import type { Ports, Wired } from "../ports.ts"
import type { Stores } from "../stores.ts"

/** What of the world a mistake may look at. */
export interface Seen {
  readonly seed: number
  readonly stores: Stores
  readonly chain: ScriptedChain.State
}

export interface Bug {
  readonly name: string
  readonly plant: (wired: Wired, world: Seen) => Wired
}

/** The wired process with one port made anew from what is there. */
export const over = <Id extends Ports>(wired: Wired, made: Layer.Layer<Id, never, Ports>): Wired =>
  Layer.merge(wired, Layer.provide(made, wired))
