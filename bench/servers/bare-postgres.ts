/**
 * What a list costs on PostgreSQL at the least: node:http and `pg`, a prepared statement over as many connections as
 * the service keeps, its rows renamed and written as JSON. It checks nothing: accounts are taken in turn.
 */
import { once } from "node:events"
import { createServer } from "node:http"
import { freePort } from "../../apps/sandbox/free-port.ts"
import { offer } from "../child.ts"
import * as PgPool from "./pg-pool.ts"

const [url = "", ...accounts] = process.argv.slice(2)
const pageRows = 20
const port = await freePort()
const pool = PgPool.open(url)

const text = "select * from wallet where account_id = $1 order by created_at desc, id desc limit $2"

const shown = (row: PgPool.Row) => ({
  id: row.id,
  name: row.name,
  nickname: row.nickname,
  address: row.address,
  chain: row.chain_id,
  chainId: row.chain_id,
  isDefault: row.is_default,
  metadata: row.metadata,
  kind: row.kind,
  recoverable: row.is_recoverable,
  createdAt: row.created_at
})

let turn = 0

const server = createServer(async (_, response) => {
  const accountId = accounts[turn++ % accounts.length]
  const { rows } = await pool.query({ name: "list", text, values: [accountId, pageRows + 1] })
  const wallets = rows.slice(0, pageRows).map(shown)
  const hasMore = rows.length > pageRows
  const nextCursor = hasMore ? String(rows[pageRows - 1]?.id) : null
  const body = JSON.stringify({ ok: true, data: { wallets, hasMore, nextCursor } })
  response.writeHead(200, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body)
  })
  response.end(body)
}).listen(port, "127.0.0.1")
await once(server, "listening")

offer({ origin: `http://127.0.0.1:${port}` })
