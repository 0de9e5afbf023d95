/** The real webhook sender does what every webhook sender does, over real sockets to a sink on loopback. */
import { Effect, Layer } from "effect"
import * as UndiciCourier from "../../../adapters/webhook-sender/webhook-sender.ts"
import { type Answering, Endpoints, suite } from "../../contracts/webhook-sender.contract.ts"
import * as Sink from "./sink.ts"

const deadlineMs = 1500

const endpoints = Layer.effect(
  Endpoints,
  Effect.gen(function* () {
    const answers = new Map<string, Answering>()
    const sink = yield* Sink.open({
      host: "127.0.0.1",
      respond: (response, path) => {
        const answering = answers.get(path)
        if (answering === undefined) return
        const { status, body, retryAfterSeconds } = answering
        if (retryAfterSeconds !== undefined) response.setHeader("retry-after", retryAfterSeconds)
        response.writeHead(status).end(body)
      }
    })
    const deserted = yield* Effect.scoped(Sink.open({ host: "127.0.0.1" }))
    let count = 0
    return {
      answering: (answering) =>
        Effect.sync(() => {
          const path = `/${++count}`
          answers.set(path, answering)
          return `http://127.0.0.1:${sink.port}${path}`
        }),
      silent: Effect.succeed(`http://127.0.0.1:${sink.port}/silent`),
      deserted: Effect.succeed(`http://127.0.0.1:${deserted.port}/`),
      received: (url) =>
        Effect.sync(() => sink.received.filter(({ path }) => path === new URL(url).pathname)),
      deadlineMs,
      throughDeadline: (work) => work
    }
  })
)

suite("undici", Layer.provideMerge(endpoints, UndiciCourier.layer({ mode: "local", deadlineMs })), {
  excludeTestServices: true
})
