/**
 * POST /api/v1/payment-requests on PostgreSQL with its commits on disk, against pgbench that says the same
 * six statements over as many connections, and against node:http and `pg` that say them: what is missing to 1 beside the
 * latter is key, schemas and the service's own way.
 */
import { Effect, type Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { authenticate } from "../core/accounts/authenticate.ts"
import { callsOf, type Needs } from "../core/treasury/treasury.ts"
import { start } from "./child.ts"
import * as Database from "./database.ts"
import { costs, figure } from "./list-wallets.ts"
import { cpuMicros, open, perSecond } from "./load.ts"
import {
  atLeast,
  interleaved,
  type Measurement,
  quoted,
  ratio,
  rounds,
  runAlone,
  spreadOf
} from "./measure.ts"
import * as Pgbench from "./pgbench.ts"
import * as Ports from "./ports.ts"
import type { Facts } from "./servers/seeding.ts"
import * as Statements from "./statements.ts"

const file = "create-payment-request.ts"
const script = "create-payment-request.sql"

/** The service keeps ten, and one of them listens. */
const connections = 9

const input = (vaultId: string) => ({
  walletMappingId: vaultId,
  amountUsd: 49,
  description: "Pro plan, November"
})

/** Fails when the script says anything else than the service does. */
const checkScript = (url: string, { apiKey, vaultId }: Facts) =>
  Effect.gen(function* () {
    // The key notes its first use of the minute, which is no part of every request.
    yield* authenticate(apiKey)
    yield* authenticate(apiKey)
    const create = Effect.flatMap(authenticate(apiKey), (caller) =>
      callsOf(caller).create_payment_request(input(vaultId))
    )
    const said = yield* Statements.heard(create)
    // The script looks the key up each time; the service remembers it for a second.
    const scripted = Pgbench.gists(script).filter((gist) => gist !== "select api_key")
    if (said.join("\n") === scripted.join("\n")) return
    throw new Error(
      `${script} says\n${scripted.join("\n")}\nbut the service says\n${said.join("\n")}`
    )
  }).pipe(
    Effect.provide(
      Ports.onPostgres(url) as Layer.Layer<Needs | Effect.Services<typeof authenticate>>
    )
  )

/** What the script's statements are about: the request that the service wrote last. */
const variables = (url: string, { vaultId }: Facts) =>
  Database.runOn(
    url,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<Readonly<Record<string, string>>>`
        select request.account_id as account, api_key.digest, encode(pay_to_address, 'hex') as address,
          encode(said, 'hex') as said, encode(action, 'hex') as action, encode(actor, 'hex') as actor,
          encode(told, 'hex') as told
        from payment_request as request
        join api_key using (account_id)
        join audit_entry as entry on entry.account_id = request.account_id
          and entry.created_at >= request.created_at
        where vault_id = ${vaultId}
        order by request.created_at desc, entry.created_at desc limit 1`
      if (row === undefined) throw new Error("The service wrote no request.")
      return { vault: vaultId, ...row }
    })
  )

export const measure = async (): Promise<Measurement> => {
  if (!(await Pgbench.isInstalled())) {
    console.error(
      `pgbench is not installed (it is in Debian's package postgresql); ${file} is left out.`
    )
    return { file, figures: [] }
  }
  const database = await Database.open()
  const server = await start<Facts>("servers/bursar.ts", "postgres", database.url)
  const load = await open()
  const started: Array<{ readonly stop: () => Promise<void> }> = [server, load]
  try {
    const { apiKey, origin, vaultId } = server.facts
    await Effect.runPromise(checkScript(database.url, server.facts))
    const named = await variables(database.url, server.facts)
    const said = await start<{ origin: string }>(
      "servers/said-postgres.ts",
      database.url,
      script,
      JSON.stringify(named)
    )
    started.push(said)
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" }
    const asking = (at: string) =>
      ({
        url: `${at}/api/v1/payment-requests`,
        method: "POST",
        headers,
        body: JSON.stringify(input(vaultId))
      }) as const
    await load.warm(asking(origin))
    await load.warm(asking(said.facts.origin))
    const taken = await interleaved<"ours" | "said" | "pgbench", unknown>(
      {
        ours: () => load.slice(server, asking(origin)),
        said: () => load.slice(said, asking(said.facts.origin)),
        pgbench: () =>
          Pgbench.slice({ file: script, url: database.url, connections, variables: named })
      },
      rounds + 2
    )
    const ours = taken.ours as ReadonlyArray<Awaited<ReturnType<typeof load.slice>>>
    const plain = taken.said as typeof ours
    const pgbench = taken.pgbench as ReadonlyArray<number>
    const found = ratio(perSecond(ours), pgbench)
    const cpu = Math.round(spreadOf(cpuMicros(ours)).median)
    const what = "create_payment_request, PostgreSQL"
    const bySaying = "node:http and pg, prepared, 9 connections, saying the same six statements"
    return {
      file,
      figures: [
        {
          what: `${what} (${cpu} µs CPU each)`,
          against: `pgbench, prepared, ${connections} connections, the same statements`,
          ours: quoted(perSecond(ours), "/s"),
          theirs: quoted(pgbench, "/s"),
          ratio: found,
          target: atLeast(0.8, found)
        },
        figure(what, bySaying, ours, plain),
        costs(`${what}, answers per CPU second of node`, bySaying, ours, plain),
        {
          what: "the same six statements, said by node:http and pg",
          against: `pgbench, prepared, ${connections} connections`,
          ours: quoted(perSecond(plain), "/s"),
          theirs: quoted(pgbench, "/s"),
          ratio: ratio(perSecond(plain), pgbench)
        }
      ]
    }
  } finally {
    await Promise.all(started.map((each) => each.stop()))
    await database.stop()
  }
}

await runAlone(import.meta.main, measure)
