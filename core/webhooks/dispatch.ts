/**
 * One attempt of a delivery: sign, send, record the result. A result counts only under the lease of its endpoint.
 * A crash between sending and recording means it is sent again: delivery is at least once.
 */
import { DateTime, Effect } from "effect"
import { Ids } from "../ports/ids.ts"
import { Secrets } from "../ports/secrets.ts"
import { type Reply, WebhookSender } from "../ports/webhook-sender.ts"
import { type Attempt, type Delivery, waitMs, waitsMs } from "./delivery.ts"
import type { LeasedDelivery } from "./delivery-store.ts"
import { secretPlace } from "./endpoint.ts"
import { conclude, type Standing } from "./health.ts"
import { headersOf } from "./sign.ts"

const responseStatus = (reply: Reply) => (reply._tag === "answered" ? reply.status : null)

const errorOf = (reply: Reply): string | null => {
  if (reply._tag === "unanswered") return `${reply.reason}: ${reply.message}`
  return reply.status >= 200 && reply.status < 300 ? null : `answered ${reply.status}`
}

/** A receiver may ask for a longer wait, never past the next step of the schedule. */
const nextWaitMs = (n: number, fraction: number, reply: Reply): number => {
  const scheduled = waitMs(n, fraction)
  const asked = reply._tag === "answered" ? (reply.retryAfterMs ?? 0) : 0
  const longest = waitsMs[n] ?? waitsMs[n - 1] ?? scheduled
  return Math.max(scheduled, Math.min(asked, longest))
}

/** The delivery after its attempt `n`, pure. */
export const concluded = (
  delivery: Delivery,
  reply: Reply,
  now: DateTime.Utc,
  fraction: number
): Delivery => {
  const n = delivery.attemptCount + 1
  const status = responseStatus(reply)
  const after = {
    ...delivery,
    attemptCount: n,
    lastResponseStatus: status,
    lastError: errorOf(reply),
    nextAttemptAt: null
  }
  if (status !== null && status >= 200 && status < 300) {
    return { ...after, status: "delivered", deliveredAt: now }
  }
  if (status === 410) return { ...after, status: "gone" }
  if (n >= delivery.maxAttempts) return { ...after, status: "failed" }
  const milliseconds = nextWaitMs(n, fraction, reply)
  return { ...after, status: "retrying", nextAttemptAt: DateTime.add(now, { milliseconds }) }
}

const attemptOf = (delivery: Delivery, reply: Reply, at: DateTime.Utc): Attempt => ({
  n: delivery.attemptCount + 1,
  at,
  trigger: delivery.replayOf !== null && delivery.attemptCount === 0 ? "manual" : "scheduled",
  durationMs: Math.round(reply.durationMs),
  responseStatus: responseStatus(reply),
  responseBodyTruncated: reply._tag === "answered" ? reply.body : null,
  error: errorOf(reply)
})

/** What the holder of an endpoint knows of it. */
export interface Held extends Standing {
  /** Its secrets that were opened, by what they were sealed as: one that was changed is opened anew. */
  readonly secrets: Map<string, string>
}

const opened = Effect.fnUntraced(function* (
  { delivery: { accountId, endpointId } }: LeasedDelivery,
  sealed: string,
  { secrets: known }: Held
) {
  const secret = yield* (yield* Secrets).open(secretPlace({ id: endpointId, accountId }), sealed)
  known.set(sealed, secret)
  return secret
})

/** The secrets that sign: the one in force, and the one before it while its grace lasts. */
const secretsOf = Effect.fnUntraced(function* (claimed: LeasedDelivery, held: Held) {
  const secrets: Array<string> = []
  for (const sealed of claimed.sealedSecrets) {
    secrets.push(held.secrets.get(sealed) ?? (yield* opened(claimed, sealed, held)))
  }
  return secrets
})

/** What an attempt tells whoever makes it. */
export interface Progress {
  /** The receiver has answered, or will not: there is a place for another. */
  readonly answered: () => void
  /** Its result is about to be written; whether the endpoint is given back with it. */
  readonly releases: () => boolean
  /** What came of it is known to all. */
  readonly written: () => void
}

/** Makes one attempt and writes down how it went. */
export const attempt = Effect.fnUntraced(function* (
  claimed: LeasedDelivery,
  held: Held,
  { answered, releases, written }: Progress
) {
  const { delivery, body, standardHeaders } = claimed
  const message = { delivery, body, standardHeaders, secrets: yield* secretsOf(claimed, held) }
  const startedAt = yield* DateTime.now
  const timestamp = Math.floor(DateTime.toEpochMillis(startedAt) / 1000)
  const headers = headersOf((yield* Secrets).sign, message, timestamp)
  const reply = yield* (yield* WebhookSender).carry({ url: delivery.url, headers, body })
  answered()
  const now = yield* DateTime.now
  const after = concluded(delivery, reply, now, yield* (yield* Ids).fraction)
  const made = attemptOf(delivery, reply, startedAt)
  yield* conclude(claimed, held, after, made, { releases: releases(), written })
  return after
})
