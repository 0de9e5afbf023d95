/**
 * What is told from process to process: topics, with nothing said about them. Inside this process it is heard
 * at once, by the other replicas of a server over NOTIFY. Whoever keeps something because it would be told of a
 * change asks whether it would be.
 */
import { randomUUID } from "node:crypto"
import { Context, Effect, Layer, Queue, Schedule } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Engine, type Server } from "./engine.ts"

/** What triggers of the database tell on this channel begins with `database`, which is nobody's origin. */
export const channel = "bursar_wakeups"

/** The database tells that a key was revoked. */
export const keysChanged = "keys"

export class WakeUps extends Context.Service<
  WakeUps,
  {
    /** Calls back whenever the topic is told, here or elsewhere, and whenever something may have been missed. */
    readonly hear: (topic: string, wake: () => void) => () => void
    /** Tells it in this process alone. */
    readonly wake: (topic: string) => void
    /** Tells it to the other replicas as well, in the background. */
    readonly tell: (topic: string) => Effect.Effect<void>
    /** Whether what others tell is heard now; when it was not, all are woken once it is again. */
    readonly isHearing: () => boolean
  }
>()("bursar/postgres/WakeUps") {}

/** Waits between attempts to listen again after the connection was lost. */
const resubscribing = Schedule.min([
  Schedule.exponential("100 millis"),
  Schedule.spaced("5 seconds")
])

const inProcess = () => {
  const listeners = new Map<string, Set<() => void>>()
  const wake = (topic: string) => {
    for (const listener of listeners.get(topic) ?? []) listener()
  }
  const hear = (topic: string, listener: () => void) => {
    const ofTopic = listeners.get(topic) ?? new Set()
    listeners.set(topic, ofTopic.add(listener))
    return () => {
      ofTopic.delete(listener)
      if (ofTopic.size === 0 && listeners.get(topic) === ofTopic) listeners.delete(topic)
    }
  }
  const wakeAll = () => {
    for (const topic of listeners.keys()) wake(topic)
  }
  return { hear, wake, wakeAll }
}

/** A payload is below 8000 bytes. */
const maxTopics = 100

/** Tells the other replicas in the background; signals that come meanwhile are told together. */
const telling = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, origin: string) {
  const outgoing = yield* Queue.unbounded<string>()
  const tell = Effect.fnUntraced(function* (waiting: ReadonlyArray<string>) {
    const topics = [...new Set(waiting)]
    for (let at = 0; at < topics.length; at += maxTopics) {
      const told = topics.slice(at, at + maxTopics).join("\n")
      // It is a hint, for which nobody waits until it is on the disk.
      yield* sql`select set_config('synchronous_commit', 'off', true),
        pg_notify(${channel}, ${`${origin} ${told}`})`
    }
  })
  yield* Queue.takeAll(outgoing).pipe(
    Effect.flatMap(tell),
    Effect.catchCause((cause) => Effect.logDebug("Other replicas could not be notified", cause)),
    Effect.forever,
    Effect.forkScoped
  )
  return (topic: string) => Effect.asVoid(Queue.offer(outgoing, topic))
})

interface Hearing {
  readonly begin: () => void
  readonly end: () => void
  readonly wake: (topic: string) => void
}

/** Hears what other replicas tell. What was missed while the connection was lost is made up for by waking all. */
const hearing = ({ listen }: Server, origin: string, { begin, end, wake }: Hearing) =>
  Effect.scoped(
    Effect.gen(function* () {
      const incoming = yield* listen(channel)
      begin()
      yield* Effect.forever(
        Effect.map(Queue.take(incoming), ({ payload }) => {
          const [from = "", ...words] = payload.split(" ")
          if (from !== origin) for (const topic of words.join(" ").split("\n")) wake(topic)
        })
      )
    })
  ).pipe(
    Effect.onExit(() => Effect.sync(end)),
    Effect.tapCause((cause) => Effect.logDebug("Listening for notifications again", cause)),
    Effect.retry(resubscribing)
  )

export const layer = Layer.effect(
  WakeUps,
  Effect.gen(function* () {
    const engine = yield* Engine
    const { hear, wake, wakeAll } = inProcess()
    // Nobody else is there to tell anything.
    if (engine.kind === "embedded") {
      return { hear, wake, tell: () => Effect.void, isHearing: () => true }
    }
    const origin = randomUUID()
    const tell = yield* telling(yield* SqlClient.SqlClient, origin)
    let isHearing = false
    let wasLost = false
    const begin = () => {
      if (wasLost) wakeAll()
      isHearing = true
    }
    const end = () => {
      isHearing = false
      wasLost = true
    }
    yield* Effect.forkScoped(hearing(engine, origin, { begin, end, wake }))
    return { hear, wake, tell, isHearing: () => isHearing }
  })
)
