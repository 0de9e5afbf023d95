/** A real mail server on loopback that a test can look into, close and make difficult. */
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"
import { certificateFor } from "../adapters/webhook-sender/certificate.ts"
import { type Arrived, read } from "./mail-receiver.ts"

export const host = "localhost"
export const certificate = certificateFor(host)

const refusal = (responseCode: number) =>
  Object.assign(new Error("not this one, thank you"), { responseCode })

/** Listens until the scope closes. */
export const open = Effect.fnUntraced(function* (options: SMTPServerOptions = {}) {
  const arrived: Array<Arrived & { readonly secure: boolean; readonly user: string }> = []
  let answer: number | "silence" | "yes" = "yes"
  const server = new SMTPServer({
    ...certificate,
    authOptional: true,
    onAuth: ({ password, username = "" }, _, done) =>
      password === "s3cret/@" ? done(null, { user: username }) : done(refusal(535)),
    onRcptTo: (_, __, done) => {
      if (answer === "yes") done()
      else if (answer !== "silence") done(refusal(answer))
    },
    onData: (stream, session, done) => {
      const chunks: Array<Buffer> = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.on("end", () => {
        const raw = Buffer.concat(chunks).toString()
        arrived.push({ ...read(raw), secure: session.secure, user: session.user ?? "" })
        done()
      })
    },
    ...options
  })
  // A client that hangs up in the middle is no concern of the server's.
  server.on("error", () => {})
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () => Effect.callback<void>((resume) => server.close(() => resume(Effect.void)))
  )
  // Listening on TCP, its address is an object.
  const { port } = server.server.address() as AddressInfo
  return {
    port,
    arrived,
    answers: (next: typeof answer) => {
      answer = next
    }
  }
})
