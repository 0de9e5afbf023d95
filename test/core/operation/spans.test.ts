/** Spans follow a call from its operation into the ports, and cost nothing where nobody asked for them. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option, Tracer } from "effect"
import { Store } from "../../../adapters/memory/store.ts"
import { bothFurnished } from "../../../apps/testing/seed.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import * as Spans from "../../../core/operation/spans.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"

const collecting = () => {
  const spans: Array<Tracer.NativeSpan> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  return { spans, layer: Layer.succeed(Tracer.Tracer, tracer) }
}

const ports = () => Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain() }, 1)

const invoicing = Effect.gen(function* () {
  const [developer] = yield* bothFurnished
  const calls = callsOf(developer.caller)
  yield* calls.create_payment_request({ walletMappingId: developer.vault.id, amountUsd: 12 })
})

/** The names of a span's ancestors, nearest first. */
const above = (span: Tracer.AnySpan): ReadonlyArray<string> => {
  const parent = span._tag === "Span" ? Option.getOrUndefined(span.parent) : undefined
  return parent === undefined || parent._tag !== "Span" ? [] : [parent.name, ...above(parent)]
}

it.effect(
  "an operation has a span of its name, and what it asks of ports has spans beneath it",
  () =>
    Effect.gen(function* () {
      const { layer, spans } = collecting()
      yield* Effect.provide(invoicing, Layer.mergeAll(Spans.over(ports()), Spans.on, layer))
      const operation = spans.find(({ name }) => name === "create_payment_request")
      assert.isDefined(operation)
      assert.strictEqual(operation?.status._tag, "Ended")
      const opened = spans.find(({ name }) => name === "PaymentRequests.open")
      assert.isDefined(opened)
      assert.include(above(opened as Tracer.NativeSpan), "create_payment_request")
    })
)

it.effect("no span is made where spans are not on", () =>
  Effect.gen(function* () {
    const { layer, spans } = collecting()
    yield* Effect.provide(invoicing, Layer.merge(ports(), layer))
    assert.deepStrictEqual(
      spans.map(({ name }) => name),
      []
    )
  })
)
