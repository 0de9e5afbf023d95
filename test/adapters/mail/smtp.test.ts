/** Mail over SMTP, against a real mail server: the contract, and what is never said in the clear. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import * as Smtp from "../../../adapters/mail/smtp.ts"
import { Mail } from "../../../core/ports/mail.ts"
import { suite } from "../../contracts/mail.contract.ts"
import { MailWorld } from "../../support/mail-receiver.ts"
import * as MailServer from "../../support/mail-server.ts"

const message = { id: "one", to: "ada@example.com", subject: "Hello", text: "Good morning." }

type Server = Effect.Success<ReturnType<typeof MailServer.open>>

const carrierTo = ({ port }: Server, over: Partial<Smtp.Options> & { readonly at?: string } = {}) =>
  Smtp.layer({
    url: Redacted.make(`${over.at ?? "smtp://"}${MailServer.host}:${port}`),
    from: "bursar@treasury.example",
    tls: "required",
    ca: MailServer.certificate.cert,
    ...over
  })

const sendBy = (transport: Layer.Layer<Mail>) =>
  Effect.flatMap(Mail, ({ send }) => send(message)).pipe(Effect.provide(transport))

suite(
  "smtp",
  Layer.unwrap(
    Effect.map(MailServer.open(), (server) =>
      Layer.merge(
        carrierTo(server),
        Layer.succeed(MailWorld, {
          arrived: Effect.sync(() => [...server.arrived]),
          close: (isClosed) => Effect.sync(() => server.answers(isClosed ? 451 : "yes"))
        })
      )
    )
  )
)

describe("mail over SMTP", () => {
  it.effect("turns to TLS before it says who it is and what it brings", () =>
    Effect.gen(function* () {
      const server = yield* MailServer.open({ authOptional: false })
      const at = "smtp://bursar%40treasury.example:s3cret%2F%40@"
      yield* sendBy(carrierTo(server, { at }))
      assert.include(server.arrived[0], { secure: true, user: "bursar@treasury.example" })
    })
  )

  it.effect("begins with TLS where the URL says so", () =>
    Effect.gen(function* () {
      const server = yield* MailServer.open({ secure: true })
      yield* sendBy(carrierTo(server, { at: "smtps://" }))
      assert.isTrue(server.arrived[0]?.secure)
    })
  )

  it.effect("sends nothing to a server that cannot turn to TLS, unless that is allowed", () =>
    Effect.gen(function* () {
      const server = yield* MailServer.open({ disabledCommands: ["STARTTLS"] })
      const failure = yield* Effect.flip(sendBy(carrierTo(server)))
      assert.isFalse(failure.isFinal)
      assert.lengthOf(server.arrived, 0)
      yield* sendBy(carrierTo(server, { tls: "off" }))
      assert.lengthOf(server.arrived, 1)
    })
  )

  it.effect("sends nothing to a server whose certificate nobody vouches for", () =>
    Effect.gen(function* () {
      const server = yield* MailServer.open()
      const { ca: _, ...options } = {
        ca: "",
        url: Redacted.make(`smtp://localhost:${server.port}`)
      }
      const strangers = Smtp.layer({ ...options, from: "bursar@treasury.example", tls: "required" })
      assert.isFalse((yield* Effect.flip(sendBy(strangers))).isFinal)
      assert.lengthOf(server.arrived, 0)
    })
  )

  it.effect("an address the server refuses for good is given up, a wrong password is not", () =>
    Effect.gen(function* () {
      const server = yield* MailServer.open()
      server.answers(550)
      assert.isTrue((yield* Effect.flip(sendBy(carrierTo(server)))).isFinal)
      server.answers("yes")
      const stranger = carrierTo(server, { at: "smtp://eve:wrong@" })
      const failure = yield* Effect.flip(sendBy(stranger))
      assert.isFalse(failure.isFinal)
      assert.notInclude(failure.message, "wrong")
      assert.lengthOf(server.arrived, 0)
    })
  )

  it.effect("a server that falls silent holds a message for less than half a minute", () =>
    Effect.gen(function* () {
      const server = yield* MailServer.open()
      server.answers("silence")
      const sending = yield* Effect.forkChild(Effect.flip(sendBy(carrierTo(server))))
      while (sending.pollUnsafe() === undefined) {
        yield* TestClock.adjust("5 seconds")
        yield* TestClock.withLive(Effect.sleep("5 millis"))
      }
      const failure = yield* Fiber.join(sending)
      assert.include(failure, {
        isFinal: false,
        message: "the mail server did not respond in time"
      })
    })
  )

  it.effect("a server that is not there is tried again later", () =>
    Effect.gen(function* () {
      const transport = Smtp.layer({
        url: Redacted.make("smtp://127.0.0.1:1"),
        from: "bursar@treasury.example",
        tls: "off"
      })
      assert.isFalse((yield* Effect.flip(sendBy(transport))).isFinal)
    })
  )
})
