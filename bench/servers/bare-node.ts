/** The limit: node:http that writes the same answer as JSON, and does nothing else. */
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import { freePort } from "../../apps/sandbox/free-port.ts"
import { offer } from "../child.ts"

const [file = ""] = process.argv.slice(2)
const answer: unknown = JSON.parse(readFileSync(file, "utf8"))
const port = await freePort()

const server = createServer((_, response) => {
  const body = JSON.stringify(answer)
  response.writeHead(200, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body)
  })
  response.end(body)
}).listen(port, "127.0.0.1")
await once(server, "listening")

offer({ origin: `http://127.0.0.1:${port}` })
