/** A collector that is named gets the spans, over HTTP as OpenTelemetry says; without one none is made. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, it } from "@effect/vitest"
import { Effect, Tracer } from "effect"
import { spansTo } from "../../../apps/server/spans.ts"
import * as Spans from "../../../core/operation/spans.ts"

interface Posted {
  readonly path: string | undefined
  readonly body: string
}

/** A collector on this machine, and what was posted to it. */
const collector = Effect.acquireRelease(
  Effect.promise(async () => {
    const posted: Array<Posted> = []
    const server = createServer((request, response) => {
      let body = ""
      request.on("data", (chunk: Buffer) => {
        body += chunk.toString()
      })
      request.on("end", () => {
        posted.push({ path: request.url, body })
        response.setHeader("content-type", "application/json").end("{}")
      })
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return { server, posted, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
  }),
  ({ server }) => Effect.sync(() => server.close())
)

it.live("spans reach the collector, the last ones when the service stops", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const { posted, url } = yield* collector
      yield* Effect.provide(Spans.inSpan("get_account", Effect.void), spansTo(`${url}/`))
      assert.deepStrictEqual(
        posted.map(({ path }) => path),
        ["/v1/traces"]
      )
      const [{ body } = { body: "" }] = posted
      assert.include(body, '"name":"get_account"')
      assert.include(body, '"stringValue":"bursar"')
    })
  )
)

it.live("without a collector no span is made", () =>
  Effect.gen(function* () {
    const parent = yield* Effect.provide(
      Spans.inSpan("get_account", Effect.option(Effect.currentSpan)),
      spansTo(undefined)
    )
    assert.strictEqual(parent._tag, "None")
  })
)

it.live("without a collector libraries make none either", () =>
  Effect.gen(function* () {
    const made: Array<string> = []
    const tracer = Tracer.make({
      span: (options) => {
        made.push(options.name)
        return new Tracer.NativeSpan(options)
      }
    })
    const said = Effect.withSpan(Effect.void, "sql.execute")
    yield* Effect.withTracer(said, tracer)
    yield* Effect.withTracer(Effect.provide(said, spansTo(undefined)), tracer)
    assert.deepStrictEqual(made, ["sql.execute"])
  })
)
