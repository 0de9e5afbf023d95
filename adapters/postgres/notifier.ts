/**
 * Wake-ups between workers: at once inside this process, and over NOTIFY to the other replicas of a
 * server. They are hints: a lost one costs the time until a worker looks on its own.
 */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Hints from "../../core/background/hints.ts"
import { Notifier, type Topic } from "../../core/ports/notifier.ts"
import { WakeUps } from "./wake-ups.ts"

/**
 * Told to this process alone: whoever wrote audit entries can place them, and every replica at once would only
 * queue; what others keep of a request they keep for a second.
 */
const ownTopics: ReadonlySet<Topic> = new Set(["audit", "chores", "requests"])

/**
 * Told to others only where no worker listens here: one of this process takes it up, and every replica at once would
 * find nothing left. Pages and what is kept for them listen too, and take up nothing. What this one has no room for, or dies with, the others find when they next look on their own.
 */
const takenUpHere: ReadonlySet<Topic> = new Set(["submissions"])

/** What is listened for: a topic, or one subject of it. */
const nameOf = (topic: Topic, subject?: string) =>
  subject === undefined ? topic : `${topic} ${subject}`

export const layer = Layer.effect(
  Notifier,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { hear, tell, wake } = yield* WakeUps
    const workers = new Map<string, number>()
    const countWorkers = (name: string, more: 1 | -1) =>
      workers.set(name, (workers.get(name) ?? 0) + more)
    const hearAs = (name: string, as: "worker" | undefined, wakeUp: () => void) => {
      const leave = hear(name, wakeUp)
      if (as === undefined) return leave
      countWorkers(name, 1)
      return () => {
        leave()
        countWorkers(name, -1)
      }
    }
    return {
      signal: (topic, subject) =>
        sql.afterCommit(
          Effect.suspend(() => {
            const name = nameOf(topic, subject)
            wake(name)
            // Whoever listens for a subject waits for its end, wherever that is; workers listen for all of a topic.
            const isTakenUp = takenUpHere.has(topic) && (workers.get(name) ?? 0) > 0
            const isEnough = ownTopics.has(topic) || isTakenUp
            return isEnough ? Effect.void : tell(name)
          })
        ),
      listen: (topic, subject, as) =>
        Effect.map(
          Effect.acquireRelease(
            Effect.map(Hints.make, (hints) => ({
              hints,
              leave: hearAs(nameOf(topic, subject), as, hints.hear)
            })),
            ({ leave }) => Effect.sync(leave)
          ),
          ({ hints }) => hints.wait
        )
    }
  })
)
