/**
 * GET /api/v1/wallets on PostgreSQL, a page of twenty: against node:http that only writes the same answer, and
 * against node:http that reads the same rows with `pg` and writes them, so that what is missing there is the service's.
 * Once for one key, whose calls of a moment are one question, and once for the keys of many accounts in turn.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Answer from "./answer.ts"
import { start } from "./child.ts"
import * as Database from "./database.ts"
import { costs, figure, withTarget } from "./list-wallets.ts"
import { open } from "./load.ts"
import { interleaved, type Measurement, runAlone } from "./measure.ts"
import type { Keyed } from "./servers/seeding.ts"

/** As many as no moment asks for twice. */
const accounts = 200

/** Whose wallets the service lists. */
const accountsIn = (url: string) =>
  Database.runOn(
    url,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const all = yield* sql<{ readonly id: string }>`select id from account order by id`
      return all.map(({ id }) => id)
    })
  )

export const measure = async (): Promise<Measurement> => {
  const database = await Database.open()
  const ours = await start<Keyed>("servers/bursar.ts", "postgres", database.url, String(accounts))
  const all = await accountsIn(database.url)
  const rows = await start<{ origin: string }>("servers/bare-postgres.ts", database.url, ...all)
  const answer = await Answer.keep(ours.facts)
  const bare = await start<{ origin: string }>("servers/bare-node.ts", answer.file)
  const load = await open()
  const asking = ({ origin }: { readonly origin: string }) =>
    Answer.asking({ ...ours.facts, origin })
  try {
    for (const { facts } of [ours, rows, bare]) await load.warm(asking(facts))
    await load.warm(Answer.askingInTurn(ours.facts))
    const taken = await interleaved({
      ours: () => load.slice(ours, asking(ours.facts)),
      many: () => load.slice(ours, Answer.askingInTurn(ours.facts)),
      rows: () => load.slice(rows, asking(rows.facts)),
      bare: () => load.slice(bare, asking(bare.facts))
    })
    const what = "GET list, PostgreSQL"
    const same = `bare node:http writing the same ${answer.bytes} bytes`
    const many = `${what}, ${accounts} keys in turn`
    const read = "bare node:http and pg, reading the same rows, prepared, 9 connections"
    return {
      file: "list-wallets-postgres.ts",
      figures: [
        withTarget(0.25, figure(what, same, taken.ours, taken.bare)),
        withTarget(0.25, figure(what, read, taken.ours, taken.rows)),
        costs(`${what}, answers per CPU second of node`, read, taken.ours, taken.rows),
        figure(many, same, taken.many, taken.bare),
        figure(many, read, taken.many, taken.rows),
        costs(`${many}, answers per CPU second of node`, read, taken.many, taken.rows)
      ]
    }
  } finally {
    await Promise.all([ours, rows, bare, load].map((each) => each.stop()))
    await Promise.all([database.stop(), answer.drop()])
  }
}

await runAlone(import.meta.main, measure)
