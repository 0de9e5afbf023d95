/** A service that answers as a test says, and a command run against it: what it was asked, and how the command ended. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { ran } from "./command-line.ts"

export const key = `svc_hu_${"k".repeat(49)}`

export type Answering = (request: IncomingMessage, response: ServerResponse) => void

/** A service of one answer, and the requests it got. */
export const answering = (answer: Answering) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const asked: Array<IncomingMessage> = []
      const server = createServer((request, response) => {
        asked.push(request)
        request.resume().on("end", () => answer(request, response))
      })
      await new Promise<void>((resume) => server.listen(0, "127.0.0.1", resume))
      const { port } = server.address() as AddressInfo
      return { asked, server, url: `http://127.0.0.1:${port}` }
    }),
    ({ server }) =>
      Effect.promise(() => {
        server.closeAllConnections()
        return new Promise((resume) => server.close(resume))
      })
  )

export const says =
  (status: number, body: unknown): Answering =>
  (_, response) => {
    response.writeHead(status, { "content-type": "application/json" })
    response.end(typeof body === "string" ? body : JSON.stringify(body))
  }

/** Runs against a service of one answer. */
export const against = Effect.fnUntraced(function* (
  answer: Answering,
  words: ReadonlyArray<string>
) {
  const { asked, url } = yield* answering(answer)
  const ended = yield* ran(words, { BURSAR_URL: url, BURSAR_API_KEY: key })
  assert.notInclude(ended.stdout + ended.stderr, key)
  return { ...ended, asked }
})
