/**
 * What every webhook sender must do, told from an endpoint's side. The clock of the suite is the webhook sender's own:
 * a real one waits, a scripted one is moved on.
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, type Layer } from "effect"
import { type WebhookRequest, WebhookSender } from "../../core/ports/webhook-sender.ts"

export interface Answering {
  readonly status: number
  readonly body?: string
  readonly retryAfterSeconds?: number
}

export interface Received {
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: Uint8Array
}

/** Stands up endpoints, each at its own URL, and tells what reached them. */
export class Endpoints extends Context.Service<
  Endpoints,
  {
    readonly answering: (answering: Answering) => Effect.Effect<string>
    /** Takes the parcel and says nothing. */
    readonly silent: Effect.Effect<string>
    /** Nobody listens there. */
    readonly deserted: Effect.Effect<string>
    readonly received: (url: string) => Effect.Effect<ReadonlyArray<Received>>
    readonly deadlineMs: number
    /** Runs work that ends at the webhook sender's deadline. */
    readonly throughDeadline: <A>(work: Effect.Effect<A>) => Effect.Effect<A>
  }
>()("bursar/test/Endpoints") {}

const parcelTo = (url: string): WebhookRequest => ({
  url,
  headers: {
    "content-type": "application/json",
    "svc-webhook-id": "evt_4fQ0mZr8TtYw2Kx7Lb1Nc5Vd",
    "svc-webhook-signature": `v1=${"0a".repeat(32)}`
  },
  body: '{"id":"evt_4fQ0mZr8TtYw2Kx7Lb1Nc5Vd"}'
})

const carry = Effect.fnUntraced(function* (webhookRequest: WebhookRequest) {
  return yield* (yield* WebhookSender).carry(webhookRequest)
})

export const suite = (
  name: string,
  webhookSender: Layer.Layer<WebhookSender | Endpoints>,
  options: { readonly excludeTestServices?: boolean } = {}
) =>
  layer(webhookSender, options)(`${name}: webhookSender`, (it) => {
    it.effect("an answer is told with its status and body", () =>
      Effect.gen(function* () {
        const url = yield* (yield* Endpoints).answering({ status: 200, body: "thank you" })
        const { durationMs, ...reply } = yield* carry(parcelTo(url))
        assert.isAtLeast(durationMs, 0)
        assert.deepStrictEqual(reply, {
          _tag: "answered",
          status: 200,
          body: "thank you",
          truncated: false,
          retryAfterMs: null
        })
      })
    )

    for (const status of [204, 301, 404, 410, 500, 503]) {
      it.effect(`${status} is an answer like any other`, () =>
        Effect.gen(function* () {
          const url = yield* (yield* Endpoints).answering({ status })
          const reply = yield* carry(parcelTo(url))
          assert.strictEqual(reply._tag === "answered" && reply.status, status)
        })
      )
    }

    it.effect("an endpoint receives exactly the bytes and headers it was sent", () =>
      Effect.gen(function* () {
        const endpoints = yield* Endpoints
        const url = yield* endpoints.answering({ status: 200 })
        const webhookRequest = {
          ...parcelTo(url),
          body: '{"memo":"50 € — ½ café \ud83d\ude80\\n"}\r\n '
        }
        yield* carry(webhookRequest)
        const [received, ...more] = yield* endpoints.received(url)
        assert.lengthOf(more, 0)
        assert.deepStrictEqual(
          Buffer.from(received?.body ?? []),
          Buffer.from(webhookRequest.body, "utf8")
        )
        for (const [header, value] of Object.entries(webhookRequest.headers)) {
          assert.strictEqual(received?.headers[header], value)
        }
      })
    )

    it.effect("parcels arrive one by one, none more than once", () =>
      Effect.gen(function* () {
        const endpoints = yield* Endpoints
        const url = yield* endpoints.answering({ status: 500 })
        const bodies = ["first", "second", "third"]
        yield* Effect.forEach(bodies, (body) => carry({ ...parcelTo(url), body }))
        const received = yield* endpoints.received(url)
        assert.deepStrictEqual(
          received.map(({ body }) => Buffer.from(body).toString("utf8")),
          bodies
        )
      })
    )

    it.effect("at most 4 KiB of an answer are kept, and no half character", () =>
      Effect.gen(function* () {
        const endpoints = yield* Endpoints
        const whole = yield* carry(
          parcelTo(yield* endpoints.answering({ status: 200, body: "x".repeat(4096) }))
        )
        assert.isTrue(whole._tag === "answered" && !whole.truncated && whole.body.length === 4096)
        const cut = yield* carry(
          parcelTo(yield* endpoints.answering({ status: 200, body: `x${"é".repeat(4000)}` }))
        )
        assert.strictEqual(cut._tag === "answered" && cut.body, `x${"é".repeat(2047)}`)
        assert.isTrue(cut._tag === "answered" && cut.truncated)
      })
    )

    it.effect("an endpoint may ask to be left alone for a while", () =>
      Effect.gen(function* () {
        const url = yield* (yield* Endpoints).answering({ status: 503, retryAfterSeconds: 120 })
        const reply = yield* carry(parcelTo(url))
        assert.strictEqual(reply._tag === "answered" && reply.retryAfterMs, 120_000)
      })
    )

    it.effect("an endpoint that says nothing is given up at the deadline", () =>
      Effect.gen(function* () {
        const endpoints = yield* Endpoints
        const url = yield* endpoints.silent
        const reply = yield* endpoints.throughDeadline(
          Effect.provideService(carry(parcelTo(url)), WebhookSender, yield* WebhookSender)
        )
        assert.strictEqual(reply._tag === "unanswered" && reply.reason, "timeout")
        assert.isAtLeast(reply.durationMs, endpoints.deadlineMs - 1)
        assert.lengthOf(yield* endpoints.received(url), 1)
      })
    )

    it.effect("an address nobody listens at is refused, and the sentence is for the merchant", () =>
      Effect.gen(function* () {
        const reply = yield* carry(parcelTo(yield* (yield* Endpoints).deserted))
        assert.strictEqual(reply._tag === "unanswered" && reply.reason, "refused")
        assert.isTrue(reply._tag === "unanswered" && reply.message.length > 0)
      })
    )

    it.effect("a URL that may not be registered is not carried to either", () =>
      Effect.gen(function* () {
        const url = "ftp://shop.example.com/hook"
        assert.isString((yield* WebhookSender).violation(url))
        const reply = yield* carry(parcelTo(url))
        assert.strictEqual(reply._tag === "unanswered" && reply.reason, "blocked")
      })
    )

    it.effect("https URLs may be registered", () =>
      Effect.gen(function* () {
        assert.isUndefined((yield* WebhookSender).violation("https://shop.example.com/hook"))
      })
    )
  })
