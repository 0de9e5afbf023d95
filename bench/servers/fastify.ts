/**
 * The peer: fastify with a query schema and a response schema, its serialiser compiled from the latter. With a
 * key to check it makes the checks of a treasury too, by hand and over memory: key, scope, limit, headers, counts.
 */
import { readFileSync } from "node:fs"
import Fastify from "fastify"
import { freePort } from "../../apps/sandbox/free-port.ts"
import { offer } from "../child.ts"
import * as Checks from "./fastify-checks.ts"

const [file = "", apiKey] = process.argv.slice(2)
const answer: unknown = JSON.parse(readFileSync(file, "utf8"))
const port = await freePort()

const text = { type: "string" }
const textOrNull = { type: "string", nullable: true }

const wallet = {
  type: "object",
  properties: {
    id: text,
    name: text,
    nickname: textOrNull,
    address: text,
    chain: text,
    chainId: text,
    isDefault: { type: "boolean" },
    metadata: { type: "object", additionalProperties: text },
    kind: text,
    recoverable: { type: "boolean" },
    createdAt: text
  }
}

const schema = {
  querystring: {
    type: "object",
    properties: { limit: { type: "integer", minimum: 1, maximum: 100 }, cursor: text },
    additionalProperties: false
  },
  response: {
    200: {
      type: "object",
      properties: {
        ok: { type: "boolean" },
        data: {
          type: "object",
          properties: {
            wallets: { type: "array", items: wallet },
            hasMore: { type: "boolean" },
            nextCursor: textOrNull
          }
        }
      }
    }
  }
}

const server = Fastify()
if (apiKey !== undefined) Checks.add(server, apiKey)
server.get("/api/v1/wallets", { schema }, async () => answer)
await server.listen({ port, host: "127.0.0.1" })

offer({ origin: `http://127.0.0.1:${port}` })
