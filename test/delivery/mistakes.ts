/** Mistakes that are planted, or made in what was observed, so that the judges of the other parts are seen to catch them. */
import { DateTime } from "effect"
import type { Figure, Part } from "../money/part.ts"
import { killing } from "./kills.ts"
import { observe } from "./schedule.ts"
import { judged, type Observed } from "./schedule-judge.ts"
import { holds } from "./verdict.ts"

type Altered = (observed: Observed) => Observed

const letterAt = (observed: Observed, change: (at: number) => object): Observed => ({
  ...observed,
  letters: observed.letters.map((letter, at) => ({ ...letter, ...change(at) }))
})

/** What each mistake would have made of one attempt. */
const altered: Readonly<Record<string, Altered>> = {
  "one wait a quarter too long": (observed) => ({
    ...observed,
    attempted: observed.attempted.map(({ attempts, delivery }, at) => ({
      delivery,
      attempts: attempts.map((attempt, n) =>
        at === 0 && n > 0 ? { ...attempt, at: DateTime.add(attempt.at, { seconds: 15 }) } : attempt
      )
    }))
  }),
  "one attempt too few": (observed) => ({
    ...observed,
    attempted: observed.attempted.map((each, at) =>
      at === 0 ? { ...each, attempts: each.attempts.slice(0, 9) } : each
    )
  }),
  "one byte of one body changed": (observed) =>
    letterAt(observed, (at) => (at === 7 ? { body: `${observed.letters[7]?.body} ` } : {})),
  "one attempt with the timestamp of another": (observed) =>
    letterAt(observed, (at) =>
      at === 7 ? { headers: observed.letters.at(-1)?.headers ?? {} } : {}
    ),
  "one signature under another secret": (observed) =>
    letterAt(observed, (at) =>
      at === 7
        ? { secret: observed.letters.find(({ url }) => url !== observed.letters[7]?.url)?.secret }
        : {}
    )
}

const isClean = (observed: Observed): boolean => {
  const { outOfStep, unended, ungenuine } = judged(observed)
  return outOfStep.length === 0 && unended === 0 && ungenuine === 0
}

export const part: Part = {
  name: "mistakes",
  promise: "the judges of deliveries catch the mistakes that are planted",
  run: async (run): Promise<ReadonlyArray<Figure>> => {
    const observed = await observe(100)
    const missed = Object.entries(altered).filter(([, alter]) => isClean(alter(observed)))
    const lossy = await killing(run, { kills: 4, bug: "delivered before carried" })
    return [
      {
        invariant: "",
        what: `${Object.keys(altered).length} mistakes made in what was observed of the schedule`,
        seen:
          missed.length === 0 ? "all caught" : `missed: ${missed.map(([name]) => name).join(", ")}`,
        holds: isClean(observed) && missed.length === 0
      },
      {
        invariant: "",
        what: "replicas that call a delivery delivered before they carry it, 4 killed",
        seen: `${lossy.lost} of ${lossy.committed} events found lost`,
        holds: lossy.lost > 0 && !holds(lossy)
      }
    ]
  }
}
