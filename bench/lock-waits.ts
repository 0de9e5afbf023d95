/**
 * For what three processes on one PostgreSQL wait in each other's way: what PostgreSQL itself logs of every lock that
 * somebody waited for longer than a millisecond, by the kind of lock, while each process has calls of an account of its
 * own and all three deliver webhooks.
 *
 *     node bench/lock-waits.ts 20
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as PostgresServer from "../test/support/postgres-server.ts"
import { type Child, start } from "./child.ts"
import { runOn } from "./database.ts"
import type { Facts } from "./servers/seeding.ts"

const processes = 3
/** Calls at once at each process, of each kind. */
const lanes = 6
const seconds = Number(process.argv[2] ?? 20)

const post = async <Data>(
  { apiKey, origin }: Facts,
  path: string,
  body: unknown,
  under = "/api/v1"
): Promise<Data> => {
  const response = await fetch(`${origin}${under}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${apiKey}`,
      "content-type": "application/json",
      "idempotency-key": crypto.randomUUID()
    },
    body: JSON.stringify(body)
  })
  const answer = (await response.json()) as { readonly ok: boolean; readonly data: Data }
  if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`)
  return answer.data
}

let made = 0

const kinds: ReadonlyArray<(facts: Facts) => Promise<unknown>> = [
  (facts) =>
    post(facts, "/payment-requests", { walletMappingId: facts.vaultId, amountUsd: "12.50" }),
  (facts) =>
    post(facts, "/checkout/sessions", {
      customer: { externalId: `customer_${1 + (made % 20)}` },
      amountUsd: "7"
    }),
  // A confirmation shares the lock of the account's co-signers.
  async (facts) => {
    const { proposalId } = await post<{ readonly proposalId: string }>(
      facts,
      "/proposals/rename-account",
      { accountId: facts.vaultId, nickname: `Branch ${++made}` }
    )
    return post(facts, `/proposals/${proposalId}/confirm`, { waitMs: 0 })
  }
]

/** What the server logs once somebody has waited for longer than a millisecond, and once they have it. */
const waited = /acquired \w+ on (?<lock>[a-z ]+?) .*after (?<ms>[\d.]+) ms/u

const main = async () => {
  const waits = new Map<string, Array<number>>()
  const server = await PostgresServer.start({
    settings: ["log_lock_waits=on", "deadlock_timeout=1ms"],
    hear: (message) => {
      for (const line of message.split("\n")) {
        const { lock, ms } = waited.exec(line)?.groups ?? {}
        if (lock !== undefined) waits.set(lock, [...(waits.get(lock) ?? []), Number(ms)])
      }
    }
  })
  const sink = createServer((request, response) => request.resume().on("end", () => response.end()))
  const children: Array<Child<Facts>> = []
  try {
    await new Promise<void>((resume) => sink.listen(0, "127.0.0.1", resume))
    await runOn(
      server.url("postgres"),
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql`create database bursar template template0`)
    )
    for (let at = 0; at < processes; at++) {
      children.push(await start<Facts>("servers/bursar.ts", "postgres", server.url("bursar")))
    }
    const { port } = sink.address() as AddressInfo
    for (const { facts } of children) {
      await post(facts, "/merchant-webhooks", { url: `http://127.0.0.1:${port}/` }, "/api")
    }
    waits.clear()
    const endsAt = performance.now() + seconds * 1000
    let calls = 0
    const refused = new Map<string, number>()
    const lane = async (facts: Facts, call: (facts: Facts) => Promise<unknown>) => {
      while (performance.now() < endsAt) {
        await call(facts).catch((error: Error) => {
          refused.set(error.message, (refused.get(error.message) ?? 0) + 1)
        })
        calls += 1
      }
    }
    await Promise.all(
      children.flatMap(({ facts }) =>
        kinds.flatMap((call) => Array.from({ length: lanes }, () => lane(facts, call)))
      )
    )
    console.log(`${calls} calls in ${seconds} s over ${processes} processes; waits beyond 1 ms:`)
    for (const [lock, all] of waits) {
      const sum = all.reduce((one, other) => one + other, 0)
      console.log(
        `${lock}: ${all.length}, ${(sum / calls).toFixed(3)} ms a call, at most ${Math.max(...all).toFixed(1)} ms`
      )
    }
    if (!waits.has("advisory lock")) console.log("advisory lock: 0")
    for (const [message, count] of [...refused].slice(0, 5))
      console.log(count, message.slice(0, 200))
  } finally {
    for (const child of children) await child.stop()
    sink.close()
    await server.stop()
  }
}

await main()
process.exit()
