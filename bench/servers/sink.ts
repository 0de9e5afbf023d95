/**
 * Where webhooks arrive: answers 200 at once, or never below `/dead`. With `log`, it remembers when each came, but
 * below `/other`, and tells when asked.
 */
import { once } from "node:events"
import { createServer } from "node:http"
import { freePort } from "../../apps/sandbox/free-port.ts"
import { offer } from "../child.ts"

const remembers = process.argv[2] === "log"
let arrivals: Array<readonly [id: string, at: number]> = []
const port = await freePort()

const server = createServer((request, response) => {
  if (request.url?.startsWith("/dead")) return
  if (remembers && request.url?.startsWith("/other") === false) {
    const id = String(request.headers["svc-webhook-id"])
    arrivals.push([id, performance.timeOrigin + performance.now()])
  }
  request.resume().once("end", () => response.end("ok"))
}).listen(port, "127.0.0.1")
await once(server, "listening")

offer({ origin: `http://127.0.0.1:${port}` }, () => {
  const told = arrivals
  arrivals = []
  return told
})
