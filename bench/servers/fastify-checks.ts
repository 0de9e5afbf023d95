/**
 * What a treasury checks with every call, as hooks of fastify over plain maps: the form of a key and its digest,
 * whether it is in force, its scope, its rate limit, and the headers and counts of the answer.
 */
import { createHmac } from "node:crypto"
import type { FastifyInstance } from "fastify"
import { isWellFormed } from "../../core/accounts/key.ts"

const pepper = Buffer.alloc(32, 5)
const limit = 1e9
const windowMs = 60_000

const digestOf = (key: string) => createHmac("sha256", pepper).update(key).digest("hex")

interface Key {
  readonly id: string
  readonly scopes: ReadonlySet<string>
  readonly expiresAt: number | null
  readonly revokedAt: number | null
}

const inForce = ({ expiresAt, revokedAt }: Key, nowMs: number) =>
  revokedAt === null && (expiresAt === null || nowMs < expiresAt)

/** How many calls a key has made in the present minute. */
const windows = () => {
  const spent = new Map<string, number>()
  let turn = 0
  return (id: string, nowMs: number) => {
    const now = Math.floor(nowMs / windowMs)
    if (now !== turn) spent.clear()
    turn = now
    const count = (spent.get(id) ?? 0) + 1
    spent.set(id, count)
    return { left: limit - count, seconds: Math.ceil(((turn + 1) * windowMs - nowMs) / 1000) }
  }
}

export const add = (server: FastifyInstance, apiKey: string): void => {
  const keys = new Map<string, Key>([
    [
      digestOf(apiKey),
      { id: "key", scopes: new Set(["balances:read"]), expiresAt: null, revokedAt: null }
    ]
  ])
  const spend = windows()
  const counts = new Map<string, { calls: number; tookMs: number }>()
  let requests = 0
  server.addHook("onRequest", async (request, reply) => {
    const nowMs = Date.now()
    requests += 1
    reply.headers({
      "x-request-id": `req_${requests.toString(36).padStart(20, "0")}`,
      "x-content-type-options": "nosniff",
      "cache-control": "no-store"
    })
    const { authorization = "" } = request.headers
    const text = authorization.startsWith("Bearer ") ? authorization.slice(7) : ""
    const key = isWellFormed(text) ? keys.get(digestOf(text)) : undefined
    if (key === undefined || !inForce(key, nowMs)) return reply.code(401).send()
    if (!key.scopes.has("balances:read")) return reply.code(403).send()
    const { left, seconds } = spend(key.id, nowMs)
    reply.headers({
      ratelimit: `"reads";r=${left};t=${seconds}`,
      "ratelimit-policy": `"reads";q=${limit};w=60`
    })
    return left < 0 ? reply.code(429).send() : undefined
  })
  server.addHook("onResponse", async (_, reply) => {
    const name = `list_wallets ${reply.statusCode}`
    const count = counts.get(name) ?? { calls: 0, tookMs: 0 }
    count.calls += 1
    count.tookMs += reply.elapsedTime
    counts.set(name, count)
  })
}
