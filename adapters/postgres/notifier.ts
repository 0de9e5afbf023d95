/**
 * Wake-ups between workers: at once inside this process, and over NOTIFY to the other replicas of a
 * server. They are hints: a lost one costs the time until a worker looks on its own.
 */
import { randomUUID } from "node:crypto"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Queue, Schedule } from "effect"
import { Notifier, type Topic } from "../../core/ports/notifier.ts"
import { Engine } from "./engine.ts"

const channel = "bursar_wakeups"
const topics: ReadonlyArray<Topic> = [
  "deliveries",
  "tasks",
  "payments",
  "requests",
  "chains",
  "submissions",
  "audit",
  "chores"
]

/**
 * Told to this process alone: whoever wrote audit entries can place them, and every replica at once would only
 * queue; what others keep of a request they keep for a second.
 */
const ownTopics: ReadonlySet<Topic> = new Set(["audit", "chores", "requests"])

/** Waits between attempts to listen again after the connection was lost. */
const resubscribing = Schedule.min([
  Schedule.exponential("100 millis"),
  Schedule.spaced("5 seconds")
])

/** The listeners of this process. Each has room for one hint: more say nothing more. */
const inProcess = () => {
  const listeners = new Map<Topic, Set<Queue.Queue<void>>>(
    topics.map((topic) => [topic, new Set()])
  )
  const wake = (topic: string) => {
    for (const listener of listeners.get(topic as Topic) ?? [])
      Queue.offerUnsafe(listener, undefined)
  }
  const listen = (topic: Topic) =>
    Effect.acquireRelease(
      Effect.tap(Queue.sliding<void>(1), (queue) =>
        Effect.sync(() => listeners.get(topic)?.add(queue))
      ),
      (queue) => Effect.sync(() => listeners.get(topic)?.delete(queue))
    ).pipe(Effect.map((queue) => Queue.take(queue)))
  return { listen, wake }
}

/** Tells the other replicas in the background; signals that come meanwhile are told together. */
const telling = Effect.fnUntraced(function* (client: PgClient.PgClient, origin: string) {
  const outgoing = yield* Queue.unbounded<Topic>()
  const tell = (topic: Topic) => client.notify(channel, `${origin} ${topic}`)
  yield* Queue.takeAll(outgoing).pipe(
    Effect.flatMap((waiting) => Effect.forEach(new Set(waiting), tell, { discard: true })),
    Effect.catchCause((cause) => Effect.logDebug("Other replicas could not be notified", cause)),
    Effect.forever,
    Effect.forkScoped
  )
  return (topic: Topic) => Queue.offer(outgoing, topic)
})

/** Hears what other replicas tell. What was missed while the connection was lost is made up for by waking all. */
const hearing = (client: PgClient.PgClient, origin: string, wake: (topic: string) => void) => {
  let lost = false
  return Effect.scoped(
    Effect.gen(function* () {
      const incoming = yield* client.listen(channel)
      if (lost) for (const topic of topics) wake(topic)
      lost = true
      yield* Effect.forever(
        Effect.map(Queue.take(incoming), ({ payload }) => {
          const [from, topic] = payload.split(" ")
          if (from !== origin && topic !== undefined) wake(topic)
        })
      )
    })
  ).pipe(
    Effect.tapCause((cause) => Effect.logDebug("Listening for notifications again", cause)),
    Effect.retry(resubscribing)
  )
}

export const layer = Layer.effect(
  Notifier,
  Effect.gen(function* () {
    const client = yield* PgClient.PgClient
    const { kind } = yield* Engine
    const { listen, wake } = inProcess()
    if (kind === "embedded") {
      return { listen, signal: (topic) => client.afterCommit(Effect.sync(() => wake(topic))) }
    }
    const origin = randomUUID()
    const tell = yield* telling(client, origin)
    yield* Effect.forkScoped(hearing(client, origin, wake))
    const signal = (topic: Topic) =>
      client.afterCommit(
        Effect.andThen(
          Effect.sync(() => wake(topic)),
          ownTopics.has(topic) ? Effect.void : tell(topic)
        )
      )
    return { listen, signal }
  })
)
