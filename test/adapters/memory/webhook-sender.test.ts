/** The scripted webhook sender does what every webhook sender does, on the test's clock. */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as MemoryWebhookSender from "../../../adapters/memory/webhook-sender.ts"
import { WebhookSender } from "../../../core/ports/webhook-sender.ts"
import { Endpoints, suite } from "../../contracts/webhook-sender.contract.ts"

const endpoints = Layer.effect(
  Endpoints,
  Effect.gen(function* () {
    const script = yield* MemoryWebhookSender.WebhookSenderScript
    let count = 0
    const at = (behaviour: MemoryWebhookSender.Behaviour) =>
      Effect.suspend(() => {
        const url = `https://shop.example.com/${++count}`
        return Effect.as(script.route(url, behaviour), url)
      })
    return {
      answering: ({ retryAfterSeconds, ...answering }) =>
        at({
          _tag: "answers",
          ...answering,
          ...(retryAfterSeconds === undefined ? {} : { retryAfterMs: retryAfterSeconds * 1000 })
        }),
      silent: at({ _tag: "silent" }),
      deserted: Effect.succeed("https://nobody.example.com/"),
      received: (url) =>
        Effect.map(script.captured, (webhookRequests) =>
          webhookRequests
            .filter((webhookRequest) => webhookRequest.url === url)
            .map(({ headers, body }) => ({ headers, body: Buffer.from(body, "utf8") }))
        ),
      deadlineMs: MemoryWebhookSender.deadlineMs,
      throughDeadline: Effect.fnUntraced(function* (work) {
        const fiber = yield* Effect.forkChild(work)
        yield* TestClock.adjust(MemoryWebhookSender.deadlineMs)
        return yield* Fiber.join(fiber)
      })
    }
  })
)

suite("memory", Layer.provideMerge(endpoints, MemoryWebhookSender.layer))

const webhookRequest = { url: "https://shop.example.com/hook", headers: {}, body: "{}" }

it.effect("an endpoint answers as scripted, one parcel after the other, the last for ever", () =>
  Effect.gen(function* () {
    const script = yield* MemoryWebhookSender.WebhookSenderScript
    const webhookSender = yield* WebhookSender
    yield* script.route(
      webhookRequest.url,
      { _tag: "fails", reason: "reset" },
      { _tag: "answers", status: 500 },
      { _tag: "answers", status: 200 }
    )
    const replies = yield* Effect.forEach([1, 2, 3, 4], () => webhookSender.carry(webhookRequest))
    assert.deepStrictEqual(
      replies.map((reply) => (reply._tag === "answered" ? reply.status : reply.reason)),
      ["reset", 500, 200, 200]
    )
  }).pipe(Effect.provide(MemoryWebhookSender.layer))
)

it.effect("a parcel is captured with the time it was carried at, and its delay is clock time", () =>
  Effect.gen(function* () {
    const script = yield* MemoryWebhookSender.WebhookSenderScript
    yield* script.route(webhookRequest.url, { _tag: "answers", status: 200, delayMs: 700 })
    yield* TestClock.setTime(1_000_000)
    const fiber = yield* Effect.forkChild((yield* WebhookSender).carry(webhookRequest))
    yield* TestClock.adjust(699)
    assert.isUndefined(fiber.pollUnsafe())
    yield* TestClock.adjust(1)
    assert.strictEqual((yield* Fiber.join(fiber)).durationMs, 700)
    const [captured] = yield* script.captured
    assert.deepStrictEqual(captured, { ...webhookRequest, at: DateTime.makeUnsafe(1_000_000) })
    yield* script.forget
    assert.lengthOf(yield* script.captured, 0)
  }).pipe(Effect.provide(MemoryWebhookSender.layer))
)

it.effect("a test may replace the rule for URLs", () =>
  Effect.gen(function* () {
    const webhookSender = yield* WebhookSender
    assert.isUndefined(webhookSender.violation("http://127.0.0.1:8080/hook"))
    assert.isString(webhookSender.violation("http://shop.example.com/hook"))
    yield* (yield* MemoryWebhookSender.WebhookSenderScript).objectBy(() => "it is Sunday")
    assert.strictEqual(webhookSender.violation(webhookRequest.url), "it is Sunday")
  }).pipe(Effect.provide(MemoryWebhookSender.layer))
)
