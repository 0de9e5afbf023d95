/**
 * GET /api/v1/wallets on PostgreSQL, a page of twenty: against node:http that only writes the same answer, and
 * against node:http that reads the same rows with `pg` and writes them, so that what is missing there is the service's.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Answer from "./answer.ts"
import { start } from "./child.ts"
import * as Database from "./database.ts"
import { costs, figure, withTarget } from "./list-wallets.ts"
import { open } from "./load.ts"
import { interleaved, type Measurement, runAlone } from "./measure.ts"
import type { Facts } from "./servers/seeding.ts"

/** Whose wallets the service lists; there is one account. */
const accountIn = (url: string) =>
  Database.runOn(
    url,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [account] = yield* sql<{ readonly id: string }>`select id from account`
      return account?.id ?? ""
    })
  )

export const measure = async (): Promise<Measurement> => {
  const database = await Database.open()
  const ours = await start<Facts>("servers/bursar.ts", "postgres", database.url)
  const account = await accountIn(database.url)
  const rows = await start<{ origin: string }>("servers/bare-postgres.ts", database.url, account)
  const answer = await Answer.keep(ours.facts)
  const bare = await start<{ origin: string }>("servers/bare-node.ts", answer.file)
  const load = await open()
  const asking = ({ origin }: { readonly origin: string }) =>
    Answer.asking({ ...ours.facts, origin })
  try {
    for (const { facts } of [ours, rows, bare]) await load.warm(asking(facts))
    const taken = await interleaved({
      ours: () => load.slice(ours, asking(ours.facts)),
      rows: () => load.slice(rows, asking(rows.facts)),
      bare: () => load.slice(bare, asking(bare.facts))
    })
    const what = "GET list, PostgreSQL"
    const same = `bare node:http writing the same ${answer.bytes} bytes`
    const read = "bare node:http and pg, reading the same rows, prepared, 9 connections"
    return {
      file: "list-wallets-postgres.ts",
      figures: [
        withTarget(0.25, figure(what, same, taken.ours, taken.bare)),
        withTarget(0.25, figure(what, read, taken.ours, taken.rows)),
        costs(`${what}, answers per CPU second of node`, read, taken.ours, taken.rows)
      ]
    }
  } finally {
    await Promise.all([ours, rows, bare, load].map((each) => each.stop()))
    await Promise.all([database.stop(), answer.drop()])
  }
}

await runAlone(import.meta.main, measure)
