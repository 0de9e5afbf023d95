/**
 * The webhook sender that goes out to the internet. It carries exactly the bytes it was given, to an address
 * that was judged at this very connection, follows nothing, and is back within its deadline.
 */
import { Clock, Effect, Layer } from "effect"
import { type Reply, type WebhookRequest, WebhookSender } from "../../core/ports/webhook-sender.ts"
import * as Connections from "./connections.ts"
import * as Exchange from "./exchange.ts"
import * as Failure from "./failure.ts"
import * as NameLookup from "./name-lookup.ts"
import * as PinnedConnector from "./pinned-connector.ts"
import * as RetryAfter from "./retry-after.ts"
import * as UrlPolicy from "./url-policy.ts"

export interface Options {
  readonly mode: UrlPolicy.Mode
  /** For connecting, sending and the whole answer together; ten seconds when not given. */
  readonly deadlineMs?: number
  /** In place of DNS; tests only. */
  readonly lookup?: NameLookup.Lookup
  /** Lets a loopback address stand for a public one; tests only. */
  readonly alsoPublic?: (address: string) => boolean
  /** PEM of the only authority to trust in place of the system's; tests only. */
  readonly authority?: string
}

const defaultDeadlineMs = 10_000
const connectTimeoutMs = 3000

type Outcome<R = Reply> = R extends Reply ? Omit<R, "durationMs"> : never

const blocked: Outcome = {
  _tag: "unanswered",
  reason: "blocked",
  message: Failure.sentences.blocked
}

const answered = Effect.fnUntraced(function* ({
  retryAfter,
  ...answer
}: Exchange.ReceivedResponse) {
  const retryAfterMs = RetryAfter.read(retryAfter, yield* Clock.currentTimeMillis)
  return { _tag: "answered", ...answer, retryAfterMs } satisfies Outcome
})

const timed = Effect.fnUntraced(function* (work: Effect.Effect<Outcome>) {
  const startedNanos = yield* Clock.monotonicTimeNanos
  const outcome = yield* work
  const durationMs = Number((yield* Clock.monotonicTimeNanos) - startedNanos) / 1e6
  return { ...outcome, durationMs } satisfies Reply
})

export const layer = (options: Options): Layer.Layer<WebhookSender> =>
  Layer.effect(
    WebhookSender,
    Effect.gen(function* () {
      const lend = yield* Connections.make(
        PinnedConnector.make({
          ...options,
          lookup: options.lookup ?? NameLookup.make(),
          connectTimeoutMs
        })
      )
      const violation = (url: string) => UrlPolicy.violation(options.mode, url)

      const deadlineMs = options.deadlineMs ?? defaultDeadlineMs
      const go = (webhookRequest: WebhookRequest): Effect.Effect<Outcome> =>
        lend(webhookRequest.url, (pool, url) =>
          Exchange.post(pool, url, webhookRequest, deadlineMs)
        ).pipe(
          Effect.matchEffect({
            onSuccess: answered,
            onFailure: ({ cause }) =>
              Effect.succeed<Outcome>({ _tag: "unanswered", ...Failure.read(cause) })
          })
        )

      return {
        violation,
        normalized: UrlPolicy.normalized,
        // A URL is judged at every attempt: the rules may have become stricter since it was registered.
        carry: (webhookRequest) =>
          timed(
            violation(webhookRequest.url) === undefined
              ? go(webhookRequest)
              : Effect.succeed(blocked)
          )
      }
    })
  )
