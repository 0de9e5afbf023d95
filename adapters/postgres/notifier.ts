/**
 * Wake-ups between workers: at once inside this process, and over NOTIFY to the other replicas of a
 * server. They are hints: a lost one costs the time until a worker looks on its own.
 */
import { Effect, Layer, Queue } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Notifier, type Topic } from "../../core/ports/notifier.ts"
import { WakeUps } from "./wake-ups.ts"

/**
 * Told to this process alone: whoever wrote audit entries can place them, and every replica at once would only
 * queue; what others keep of a request they keep for a second.
 */
const ownTopics: ReadonlySet<Topic> = new Set(["audit", "chores", "requests"])

/** What is listened for: a topic, or one subject of it. */
const nameOf = (topic: Topic, subject?: string) =>
  subject === undefined ? topic : `${topic} ${subject}`

export const layer = Layer.effect(
  Notifier,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { hear, tell, wake } = yield* WakeUps
    return {
      signal: (topic, subject) =>
        sql.afterCommit(
          Effect.andThen(
            Effect.sync(() => wake(nameOf(topic, subject))),
            ownTopics.has(topic) ? Effect.void : tell(nameOf(topic, subject))
          )
        ),
      // There is room for one hint: more say nothing more.
      listen: (topic, subject) =>
        Effect.map(
          Effect.acquireRelease(
            Effect.map(Queue.sliding<void>(1), (queue) => ({
              queue,
              leave: hear(nameOf(topic, subject), () => void Queue.offerUnsafe(queue, undefined))
            })),
            ({ leave }) => Effect.sync(leave)
          ),
          ({ queue }) => Queue.take(queue)
        )
    }
  })
)
