/** Hints between workers that something was committed. A lost hint costs time, never work: workers also look on their own. */
import { Context, type Effect, type Scope } from "effect"

export type Topic =
  | "deliveries"
  | "tasks"
  | "payments"
  | "requests"
  | "chains"
  | "submissions"
  | "waits"
  | "proposals"
  | "audit"
  | "chores"

export class Notifier extends Context.Service<
  Notifier,
  {
    /**
     * Heard in this process, and by its replicas where their help is of use. With a subject, an id, it is heard
     * by those alone who listen for that one.
     */
    readonly signal: (topic: Topic, subject?: string) => Effect.Effect<void>
    /**
     * Starts listening; the effect given back waits for a signal since it was last waited for, and says how many of them
     * there were, as far as is known. A worker takes up what is told, so that others need not be told as well; whoever
     * only looks says nothing about itself.
     */
    readonly listen: (
      topic: Topic,
      subject?: string,
      as?: "worker"
    ) => Effect.Effect<Effect.Effect<number>, never, Scope.Scope>
  }
>()("bursar/ports/Notifier") {}
