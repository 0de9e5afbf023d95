/** The death of a process, at whichever call of a port a test names. */
import { Effect } from "effect"
import type { Wrap } from "./port-wrapper.ts"

type When = "before" | "after"

/** Lets a process die at one of its calls; whatever else it does is not done. */
export const makeDeath = () => {
  const state = { isArmed: false, isGone: false, at: -1, when: "before" as When }
  const names: Array<string> = []
  const dead = Effect.die(new Error("The process is gone."))
  const gone = Effect.suspend(() => {
    state.isGone = true
    return dead
  })
  const wrap: Wrap = (name, call) =>
    Effect.suspend(() => {
      if (!state.isArmed) return call
      if (state.isGone) return dead
      names.push(name)
      if (names.length - 1 !== state.at) return call
      return state.when === "before" ? gone : Effect.andThen(call, gone)
    })
  /** Does the work as a process that dies at a call, or never. */
  const living = <A, E, R>(at: number, when: When, work: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      Object.assign(state, { isArmed: true, isGone: false, at, when })
      names.length = 0
      return Effect.exit(work)
    }).pipe(Effect.ensuring(Effect.sync(() => Object.assign(state, { isArmed: false }))))
  return { wrap, living, names }
}
