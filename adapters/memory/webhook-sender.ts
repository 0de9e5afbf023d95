/**
 * A webhook sender that goes nowhere. A test scripts what each URL answers and reads what was carried there;
 * waits and the ten seconds of the deadline pass on Effect's clock.
 */
import { Clock, Context, DateTime, Effect, Layer } from "effect"
import { type Reply, type WebhookRequest, WebhookSender } from "../../core/ports/webhook-sender.ts"

type UnansweredReason = Extract<Reply, { readonly _tag: "unanswered" }>["reason"]

/** What an endpoint does with a parcel, after `delayMs` on the clock. */
export type Behaviour =
  | {
      readonly _tag: "answers"
      readonly status: number
      readonly body?: string
      readonly retryAfterMs?: number
      readonly delayMs?: number
    }
  | { readonly _tag: "fails"; readonly reason: UnansweredReason; readonly delayMs?: number }
  | { readonly _tag: "silent" }

export interface Captured extends WebhookRequest {
  readonly at: DateTime.Utc
}

export class WebhookSenderScript extends Context.Service<
  WebhookSenderScript,
  {
    /** What a URL does from now on with one parcel after the other; the last goes on for ever. */
    readonly route: (
      url: string,
      first: Behaviour,
      ...then: ReadonlyArray<Behaviour>
    ) => Effect.Effect<void>
    /** Every parcel that was handed over, oldest first, those nobody answered too. */
    readonly captured: Effect.Effect<ReadonlyArray<Captured>>
    readonly forget: Effect.Effect<void>
    /** Replaces the rule for URLs that may be registered. */
    readonly objectBy: (rule: (url: string) => string | undefined) => Effect.Effect<void>
  }
>()("bursar/memory/WebhookScript") {}

export const deadlineMs = 10_000
const maxBodyBytes = 4096

/** Stands for the real rules where they do not matter: https anywhere, http only to 127.0.0.1. */
const plainRule = (url: string): string | undefined =>
  /^(?:https:\/\/[^/@]+|http:\/\/127\.0\.0\.1(?::\d+)?)(?:\/.*)?$/iu.test(url)
    ? undefined
    : "it does not begin with https://"

/** As it is kept, so that a script may write it as its merchant does. */
const normalized = (url: string): string => URL.parse(url)?.href ?? url

const cut = (text: string): { readonly body: string; readonly truncated: boolean } => {
  const bytes = new TextEncoder().encode(text)
  const truncated = bytes.length > maxBodyBytes
  return {
    body: new TextDecoder().decode(bytes.subarray(0, maxBodyBytes), { stream: truncated }),
    truncated
  }
}

const failed = (reason: UnansweredReason, durationMs: number): Reply => ({
  _tag: "unanswered",
  reason,
  message: `the scripted endpoint failed (${reason})`,
  durationMs
})

const play = Effect.fnUntraced(function* (behaviour: Behaviour): Effect.fn.Return<Reply> {
  const delayMs = behaviour._tag === "silent" ? deadlineMs : (behaviour.delayMs ?? 0)
  yield* Effect.sleep(Math.min(delayMs, deadlineMs))
  if (behaviour._tag === "silent" || delayMs >= deadlineMs) return failed("timeout", deadlineMs)
  if (behaviour._tag === "fails") return failed(behaviour.reason, delayMs)
  return {
    _tag: "answered",
    status: behaviour.status,
    ...cut(behaviour.body ?? ""),
    retryAfterMs: behaviour.retryAfterMs ?? null,
    durationMs: delayMs
  }
})

/** Nobody listens at a URL that was given no route. */
const nobody: Behaviour = { _tag: "fails", reason: "refused" }

export const layer: Layer.Layer<WebhookSender | WebhookSenderScript> = Layer.effectContext(
  Effect.sync(() => {
    const behavioursByUrl = new Map<string, Array<Behaviour>>()
    let captured: Array<Captured> = []
    let violation = plainRule

    const next = (url: string): Behaviour => {
      const behaviours = behavioursByUrl.get(normalized(url)) ?? [nobody]
      const [first = nobody] = behaviours
      if (behaviours.length > 1) behaviours.shift()
      return first
    }

    const carry = Effect.fnUntraced(function* (webhookRequest: WebhookRequest) {
      const at = DateTime.makeUnsafe(yield* Clock.currentTimeMillis)
      if (violation(webhookRequest.url) !== undefined) return failed("blocked", 0)
      captured.push({ ...webhookRequest, at })
      return yield* play(next(webhookRequest.url))
    })

    return Context.make(WebhookSender, {
      carry,
      normalized,
      violation: (url) => violation(url)
    }).pipe(
      Context.add(WebhookSenderScript, {
        route: (url, first, ...then) =>
          Effect.sync(() => {
            behavioursByUrl.set(normalized(url), [first, ...then])
          }),
        captured: Effect.sync(() => [...captured]),
        forget: Effect.sync(() => {
          captured = []
        }),
        objectBy: (rule) =>
          Effect.sync(() => {
            violation = rule
          })
      })
    )
  })
)
