/**
 * What the statements of a script cost at the least when a server says them: node:http and `pg`, each statement
 * prepared and a round trip of its own, over as many connections as the service keeps. It checks nothing.
 */
import { once } from "node:events"
import { createServer } from "node:http"
import { text } from "node:stream/consumers"
import { freePort } from "../../apps/sandbox/free-port.ts"
import { offer } from "../child.ts"
import { statementsOf } from "../pgbench.ts"
import * as PgPool from "./pg-pool.ts"

const [url = "", script = "", named = "{}"] = process.argv.slice(2)
const variables: Readonly<Record<string, unknown>> = JSON.parse(named)
const port = await freePort()
const pool = PgPool.open(url)

/** A variable is a colon and a name; a cast has two colons. */
const variable = /(?<!:):([a-z]\w*)/gu

const statements = statementsOf(script).map((said, at) => {
  const names = [...new Set([...said.matchAll(variable)].map(([, name = ""]) => name))]
  return {
    // What opens and ends a transaction is not prepared by pgbench's script either.
    ...(/^(begin|commit)$/u.test(said) ? {} : { name: `said_${at}` }),
    text: said.replaceAll(variable, (_, name: string) => `$${names.indexOf(name) + 1}`),
    values: names.map((name) => variables[name])
  }
})

const server = createServer(async (request, response) => {
  const { amountUsd, description } = JSON.parse(await text(request))
  const client = await pool.connect()
  for (const each of statements) await client.query(each)
  client.release()
  const body = JSON.stringify({ ok: true, data: { status: "open", amountUsd, description } })
  response.writeHead(201, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body)
  })
  response.end(body)
}).listen(port, "127.0.0.1")
await once(server, "listening")

offer({ origin: `http://127.0.0.1:${port}` })
