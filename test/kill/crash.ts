/**
 * Ends this very process at a named point, or makes it stand still there. Nothing is counted until the
 * point is armed over the channel to the parent, so what happened before cannot be taken for it.
 */
import { writeSync } from "node:fs"
import { Context, Effect, Layer, Predicate } from "effect"
import { Atomically } from "../../core/ports/atomically.ts"
import type { Wrap } from "../support/port-wrapper.ts"
import { labelOf, type Point } from "./points.ts"

let armed: Point | undefined
/** Calls that must have ended before the point counts. */
let awaited: Array<string> = []

/** From now on the process ends at the point. */
export const arm = (point: Point) => {
  armed = point
  awaited = [point.since ?? []].flat()
}

/** The calls made in the running transaction. */
const Made = Context.Reference<Array<string> | undefined>("test/kill/Made", {
  defaultValue: () => undefined
})

const reach = (call: string, edge: Point["edge"], made: ReadonlyArray<string> = []) => {
  if (armed?.call !== call || armed.edge !== edge || awaited.length > 0) return
  if (armed.within !== undefined && !made.includes(armed.within)) return
  const { stands } = armed
  writeSync(1, `\n${stands === true ? "stood still" : "died"} ${labelOf(armed)}\n`)
  armed = undefined
  process.kill(process.pid, stands === true ? "SIGSTOP" : "SIGKILL")
}

const isEmpty = (value: unknown) => Array.isArray(value) && value.length === 0

/** Some calls are made all the time; one that found nothing is not the one meant. */
const foundNothing = (call: string, result: unknown): boolean =>
  (call === "Chains.look" && Predicate.hasProperty(result, "blocks") && isEmpty(result.blocks)) ||
  (call.endsWith(".claim") && isEmpty(result))

const passed = (call: string) => {
  if (awaited[0] === call) awaited.shift()
}

/** Dies before or after a call. */
export const wrap: Wrap = (name, call) =>
  Effect.suspend(() => {
    reach(name, "before")
    return Effect.tap(call, (result) =>
      Effect.map(Made, (made) => {
        made?.push(name)
        if (!foundNothing(name, result)) reach(name, "after")
        passed(name)
      })
    )
  })

/** Dies when the work of a transaction is done and nothing is left but its commit, or right after that. */
export const atCommit = <E, R>(
  layer: Layer.Layer<Atomically, E, R>
): Layer.Layer<Atomically, E, R> =>
  Layer.effect(
    Atomically,
    Effect.map(Atomically, (atomically) => ({
      ...atomically,
      run: (work) =>
        Effect.flatMap(Made, (outer) => {
          if (outer !== undefined) return atomically.run(work)
          const made: Array<string> = []
          const edge = (which: Point["edge"]) =>
            Effect.sync(() => reach("Atomically.run", which, made))
          const ending = Effect.tap(Effect.provideService(work, Made, made), edge("inside"))
          return Effect.tap(Effect.tap(atomically.run(ending), edge("after")), () =>
            Effect.sync(() => passed("Atomically.run"))
          )
        })
    }))
  ).pipe(Layer.provide(layer))
