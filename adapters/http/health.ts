/**
 * What a supervisor asks: is the process alive, and can it do its work. Readiness is the state of named
 * checks; why one failed is in the log, not in the answer.
 */
import { Clock, Duration, Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { logFailure } from "../../core/background/outage.ts"
import * as Method from "./method.ts"
import * as Metrics from "./metrics.ts"

/** Something the service cannot work without; any failure or defect means it is down, and so does `false`, of which somebody else tells the log. */
export interface Check<R = never> {
  readonly name: string
  readonly check: Effect.Effect<unknown, unknown, R>
  /** Slower than this is down. */
  readonly timeoutMs?: number
}

export interface Options<R = never> {
  readonly checks: ReadonlyArray<Check<R>>
  /** How long a verdict stands, so that asking cannot become a load; 1000 when left out. */
  readonly keptForMs?: number
  /** To whom the counts are told; to all when left out. */
  readonly metrics?: Metrics.Options<R>
}

const defaultTimeoutMs = 2_000

const look = Effect.fnUntraced(function* <R>({ name, check, timeoutMs }: Check<R>) {
  const startedAt = yield* Clock.currentTimeMillis
  const up = yield* check.pipe(
    Effect.timeout(Duration.millis(timeoutMs ?? defaultTimeoutMs)),
    Effect.map((answer) => answer !== false),
    Effect.catchCause((cause) => Effect.as(logFailure(`The check of ${name} failed`, cause), false))
  )
  return { name, up, durationMs: (yield* Clock.currentTimeMillis) - startedAt }
})

const readiness = Effect.fnUntraced(function* <R>(checks: ReadonlyArray<Check<R>>) {
  const seen = yield* Effect.forEach(checks, look, { concurrency: "unbounded" })
  const ready = seen.every(({ up }) => up)
  return {
    status: ready ? 200 : 503,
    body: {
      status: ready ? "ready" : "not_ready",
      checks: Object.fromEntries(
        seen.map(({ name, up, durationMs }) => [name, { status: up ? "up" : "down", durationMs }])
      )
    }
  }
})

export const layer = <R = never>({
  checks,
  keptForMs = 1_000,
  metrics = { audience: "open" }
}: Options<R>) =>
  HttpRouter.use((router) =>
    Effect.gen(function* () {
      const verdict = yield* Effect.cachedWithTTL(readiness(checks), Duration.millis(keptForMs))
      yield* router.addAll([
        ...Method.exactly("/health/live", [
          ["GET", () => Effect.succeed(HttpServerResponse.jsonUnsafe({ status: "live" }))]
        ]),
        ...Method.exactly("/health/ready", [
          [
            "GET",
            () =>
              Effect.map(verdict, ({ status, body }) =>
                HttpServerResponse.jsonUnsafe(body, { status })
              )
          ]
        ]),
        ...(yield* Metrics.routes(metrics))
      ])
    })
  )
