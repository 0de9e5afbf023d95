/** All parts of the verification: crowds before all guards, each guard alone, and no guard at all. */
import type { Figure, Part } from "../money/part.ts"
import { alone } from "./alone.ts"
import { kindsOf } from "./kinds.ts"
import { guardsOf, held, within } from "./trial.ts"

/** What a process runs. */
export const program = "test/edge/service.ts"

const each: Part = {
  name: "kinds",
  promise: "clients that read nothing of any one answer are cut, and others are served meanwhile",
  run: (run) =>
    within(run, guardsOf(run), async (scene) => {
      const figures: Array<Figure> = []
      for (const kind of kindsOf(scene)) {
        figures.push(await held(scene, kind.name, [kind], run.times(1_000, 40)))
      }
      return figures
    })
}

export const all: Part = {
  name: "crowd",
  promise:
    "clients that read nothing of all answers at once are cut, and others are served meanwhile",
  run: (run) =>
    within(run, guardsOf(run), async (scene) => {
      const kinds = kindsOf(scene)
      return [
        await held(scene, "all kinds, a thousand of each", kinds, run.times(7_000, 210)),
        await held(scene, "all kinds, as many as there are places", kinds, run.times(10_000, 210))
      ]
    })
}

const trickle: Part = {
  name: "trickle",
  promise: "clients that read a byte now and then are cut",
  run: (run) =>
    within(run, guardsOf(run), async (scene) => {
      const kinds = kindsOf(scene).filter(({ name }) => name !== "a live stream")
      return [
        await held(scene, "all kinds but streams, a byte every 10 s", kinds, run.times(1_000, 60), {
          tick: ({ take }) => void take(1)
        })
      ]
    })
}

export const parts: ReadonlyArray<Part> = [each, all, alone, trickle]
