/** What the operator counts at the network's edge: answers by status. */
import { type Context, type Effect, Metric } from "effect"

const counters = new Map<number, Metric.Counter<number>>()

const counterOf = (status: number): Metric.Counter<number> => {
  const known = counters.get(status)
  if (known !== undefined) return known
  const counter = Metric.counter("http_responses_total", {
    description: "HTTP responses, by status.",
    attributes: { status: String(status) },
    incremental: true
  })
  counters.set(status, counter)
  return counter
}

/** The same where a context is at hand and no effect runs. */
export const countIn = (context: Context.Context<never>, status: number): void =>
  counterOf(status).updateUnsafe(1, context)

export const count = (status: number): Effect.Effect<void> => Metric.update(counterOf(status), 1)
