/**
 * How the cost of each call grows with the data: blocks that PostgreSQL reads for one call of the biggest account, in
 * databases of two or more sizes. Blocks depend on no machine and no load.
 *
 *     npm run bench -- scale 10000 100000
 */
import { appendFileSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { Clock, Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { owner } from "../test/support/full-account.ts"
import * as PostgresServer from "../test/support/postgres-server.ts"
import { runOn } from "./database.ts"
import * as Audit from "./scale/audit.ts"
import { type Measured, measure, type Subject } from "./scale/blocks.ts"
import { fill } from "./scale/fill/fill.ts"
import { brokenReferences } from "./scale/fill/references.ts"
import { templates } from "./scale/fill/templates.ts"
import * as Ports from "./scale/ports.ts"
import * as Reads from "./scale/reads.ts"
import * as Times from "./scale/times.ts"
import * as Work from "./scale/work.ts"
import * as Writes from "./scale/writes.ts"

/** Most that a call may read, however many rows there are; and how it may grow. */
const maxBlocks = (name: string) => (name.startsWith("create_checkout_session") ? 120 : 200)
const maxGrowth = 0.2

/**
 * Growth says nothing of fewer blocks than this: an index of a hundred times as many rows is one or two levels deeper,
 * which adds a block or two to each look into it, and what grew with the rows themselves would read far more.
 */
const minGrown = 20

/** What takes longer to measure is told at once. */
const slowSeconds = 5

/** References are tried again where that takes seconds: the same statements fill every size. */
const maxTried = 100_000

const all = Effect.fnUntraced(function* (url: string, rows: number) {
  const say = (text: string) =>
    Effect.sync(() => console.error(`${new Date().toISOString()} ${text}`))
  const small = yield* owner("user_7", Effect.sleep(2))
  yield* Writes.warmUp(small)
  const own = yield* templates
  const left = Reads.unmeasured(own)
  if (left.length > 0) return yield* Effect.die(new Error(`No measure of ${left.join("; ")}.`))
  yield* say(`filling ${rows}`)
  yield* fill(url, own, rows, say)
  yield* say("filled")
  if (rows <= maxTried) {
    const broken = yield* brokenReferences
    if (broken.length > 0) return yield* Effect.die(new Error(`Broken: ${broken.join("; ")}.`))
    yield* say("every reference holds")
  }
  if (plansIn !== undefined) yield* explain
  const told: Array<Measured> = []
  const tell = Effect.fnUntraced(function* (subjects: ReadonlyArray<Subject<never>>) {
    for (const subject of subjects) {
      if (!(process.env.BENCH_ONLY === undefined || subject.name.includes(process.env.BENCH_ONLY)))
        continue
      if (plansIn !== undefined) appendFileSync(plansIn, `\n==== ${subject.name}\n`)
      const beganMs = yield* Clock.currentTimeMillis
      const measured = yield* measure(subject)
      const seconds = ((yield* Clock.currentTimeMillis) - beganMs) / 1000
      if (seconds > slowSeconds) yield* say(`${subject.name} took ${seconds.toFixed(0)} s`)
      // What stands in brackets only makes ready for what follows.
      if (subject.name.startsWith("(")) continue
      told.push(measured)
      if (measured.blocks > maxBlocks(subject.name) || measured.trouble !== undefined)
        console.error(`${measured.blocks.toFixed(0)} ${measured.name} ${measured.trouble ?? ""}`)
    }
  })
  yield* tell(yield* Reads.subjects(own))
  yield* say("reads measured")
  yield* tell(Writes.subjects(own))
  yield* say("writes measured")
  yield* tell(yield* Work.subjects(own))
  yield* say("work measured")
  if (process.env.BENCH_ONLY === undefined) {
    yield* say(yield* Audit.verified(own))
    for (const { isMet, text } of yield* Times.told(own, url)) {
      yield* say(`${text}: ${isMet ? "met" : "**missed**"}`)
      if (!isMet) process.exitCode = 1
    }
  }
  return told
})

/** A file for the plan of each statement that is measured. */
const plansIn = process.env.BENCH_EXPLAIN

/** From now on the only session that works logs what each statement did. */
const explain = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`load 'auto_explain'`
  yield* sql`set auto_explain.log_min_duration = 0`
  yield* sql`set auto_explain.log_analyze = on`
  yield* sql`set auto_explain.log_buffers = on`
  yield* sql`set auto_explain.log_timing = off`
  yield* sql`set auto_explain.log_nested_statements = on`
})

const atSize = async (rows: number) => {
  const server = await PostgresServer.start({
    settings: [
      "shared_buffers=4GB",
      "maintenance_work_mem=1GB",
      "max_wal_size=32GB",
      "checkpoint_timeout=1h",
      "wal_level=minimal",
      "max_wal_senders=0",
      "autovacuum=off"
    ],
    ...(plansIn === undefined ? {} : { hear: (message) => appendFileSync(plansIn, `${message}\n`) })
  })
  try {
    await runOn(
      server.url("postgres"),
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql`create database bursar template template0`)
    )
    return await Effect.runPromise(
      Effect.scoped(
        Effect.provide(all(server.url("bursar"), rows), Ports.onPostgres(server.url("bursar")))
      )
    )
  } finally {
    await server.stop()
  }
}

const asked = process.argv
  .slice(2)
  .map(Number)
  .filter((size) => size > 0)
const sizes = asked.length > 0 ? asked : [10_000, 100_000]

/** Of what is done to many at once it says how many. */
const cellOf = (found: Measured | undefined) =>
  found === undefined
    ? ""
    : found.atOnce === undefined
      ? found.blocks.toFixed(0)
      : `${found.blocks.toFixed(found.blocks < 10 ? 1 : 0)} × ${found.atOnce}`

const lineOf = (found: ReadonlyArray<Measured | undefined>, name: string) => {
  const [first, last] = [found[0], found.at(-1)]
  const [from = Number.NaN, to = Number.NaN] = [first?.blocks, last?.blocks]
  const growth =
    Math.log(Math.max(to, 1) / Math.max(from, 1)) /
    Math.log((sizes.at(-1) ?? Number.NaN) / (sizes[0] ?? Number.NaN))
  const isMet = to <= maxBlocks(name) && (sizes.length === 1 || to < minGrown || growth < maxGrowth)
  const trouble = found.find((each) => each?.trouble !== undefined)?.trouble
  const cells = found.map(cellOf)
  const verdict = trouble ?? (isMet ? "met" : "**missed**")
  return `| ${[name, ...cells, growth.toFixed(2), (last?.ms ?? Number.NaN).toFixed(1), verdict].join(" | ")} |`
}

/** Prints a table and writes it down; the growth is the exponent of blocks from the first size to the last. */
export const main = async () => {
  const at: Array<ReadonlyArray<Measured>> = []
  for (const size of sizes) at.push(await atSize(size))
  const names = at.at(-1)?.map(({ name }) => name) ?? []
  if (names.length === 0) {
    console.error(`BENCH_ONLY=${process.env.BENCH_ONLY} is in no name of what is measured.`)
    process.exitCode = 2
    return
  }
  const lines = names.map((name) =>
    lineOf(
      at.map((told) => told.find((each) => each.name === name)),
      name
    )
  )
  const heads = [
    "blocks of a call",
    ...sizes.map((size) => `${size} rows`),
    "growth",
    "ms",
    "at most 200, below 0.2 from 20 blocks on"
  ]
  const table = [`| ${heads.join(" | ")} |`, `|${" --- |".repeat(heads.length)}`, ...lines].join(
    "\n"
  )
  console.log(table)
  const out = process.env.BENCH_OUT
  if (out !== undefined) await writeFile(out, `${table}\n`)
  const missed = lines.filter((line) => !line.endsWith("| met |")).length
  console.log(`\n${names.length} measured, ${missed} missed.`)
  if (missed > 0) process.exitCode = 1
}

if (import.meta.main) {
  await main()
  process.exit()
}
