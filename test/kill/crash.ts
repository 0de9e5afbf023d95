/**
 * Kills this very process at a named point. Nothing is counted until the point is armed over the channel
 * to the parent, so what happened before the request was open cannot be taken for it.
 */
import { writeSync } from "node:fs"
import { Effect, Layer, Predicate } from "effect"
import { Atomically } from "../../core/ports/atomically.ts"
import type { Wrap } from "../support/around.ts"
import { labelOf, type Point } from "./points.ts"

let armed: Point | undefined
let hasBegun = false

/** From now on the process dies at the point. */
export const arm = (point: Point) => {
  armed = point
  hasBegun = point.since === undefined
}

const reach = (call: string, edge: Point["edge"]) => {
  if (armed === undefined || !hasBegun || armed.call !== call || armed.edge !== edge) return
  writeSync(1, `\ndied ${labelOf(armed)}\n`)
  process.kill(process.pid, "SIGKILL")
}

const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0

/** Some calls are made all the time; one that found nothing is not the one meant. */
const foundNothing = (call: string, result: unknown): boolean =>
  (call === "Chains.look" && Predicate.hasProperty(result, "blocks") && isEmpty(result.blocks)) ||
  (call === "Deliveries.claim" && isEmpty(result))

/** Dies before or after a call. */
export const wrap: Wrap = (name, call) =>
  Effect.suspend(() => {
    reach(name, "before")
    return Effect.tap(call, (result) =>
      Effect.sync(() => {
        if (!foundNothing(name, result)) reach(name, "after")
        if (armed?.since === name) hasBegun = true
      })
    )
  })

/** Dies when the work of a transaction is done and nothing is left but its commit. */
export const atCommit = <E, R>(
  layer: Layer.Layer<Atomically, E, R>
): Layer.Layer<Atomically, E, R> =>
  Layer.effect(
    Atomically,
    Effect.map(Atomically, (atomically) => ({
      ...atomically,
      run: (work) =>
        atomically.run(Effect.tap(work, () => Effect.sync(() => reach("Atomically.run", "inside"))))
    }))
  ).pipe(Layer.provide(layer))
