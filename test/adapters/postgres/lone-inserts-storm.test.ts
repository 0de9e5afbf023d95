/**
 * Transactions of one moment on a real server, many of them bad in some way: each hears its own answer, and the rows that
 * stand afterwards are those of whoever was told that it was written, each once.
 */
import { randomBytes } from "node:crypto"
import { assert, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError } from "effect/sql/SqlError"
import * as Answer from "../../../adapters/postgres/answer.ts"
import * as Atomically from "../../../adapters/postgres/atomically.ts"
import * as Client from "../../../adapters/postgres/client.ts"
import { sessionParameters } from "../../../adapters/postgres/server.ts"
import { Atomically as Port } from "../../../core/ports/atomically.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"

/** Few sessions, that wait for no lock for long. */
const engine = Layer.unwrap(
  Effect.gen(function* () {
    const sessions = yield* Client.pool({
      url: Redacted.make(yield* FreshDatabase.url("empty")),
      maxConnections: 6,
      preparedStatementCacheSize: 1000,
      startupParameters: { ...sessionParameters, lock_timeout: "100ms" }
    })
    return Client.layer(sessions)
  })
)

/** The same numbers for the same seed (Lehmer). */
const makeRandom = (seed: number) => {
  let state = (seed * 48_271 + 11) % 2_147_483_647
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

interface Meant {
  readonly who: string
  readonly key: number
  readonly size: string
  readonly wide: string
  readonly at: Date
}

/** What is wrong with a transaction, and what the server says to it; `good` has nothing wrong. */
const faults = {
  good: {},
  twin: {},
  held: {},
  refusedByCheck: { size: "no" },
  tooLong: { size: "x".repeat(50) },
  nul: { size: "a\u0000b" },
  // No index takes a row that is so large: what is random is not made shorter.
  tooLargeForAnIndex: { wide: randomBytes(6000).toString("hex") },
  raised: { size: "raise" },
  // It is no date that could be sent.
  notToBeSent: { at: new Date(Number.NaN) }
} as const satisfies Record<string, Partial<Meant>>
type Fault = keyof typeof faults

const schema = [
  "create table item (key integer primary key, who text not null, size varchar(20) not null check (size <> 'no'), wide text not null, at timestamptz not null)",
  "create index on item (wide)",
  "create table note (who text not null, key integer not null)",
  `create function refuse() returns trigger language plpgsql as
    'begin if new.size = ''raise'' then raise exception ''no''; end if; return new; end'`,
  "create trigger refusing before insert on item for each row execute function refuse()"
]

const prepared = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of schema) yield* sql.unsafe(statement)
})

const write = ({ at, key, size, who, wide }: Meant) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* Answer.done(
      sql`insert into item (key, who, size, wide, at) values (${key}, ${who}, ${size}, ${wide}, ${at})`
    )
    yield* Answer.done(sql`insert into note (who, key) values (${who}, ${key})`)
  })

/** Whether the server said no, and not only that nobody knows. */
const isRefusal = (cause: Cause.Cause<unknown>): boolean =>
  cause.reasons.some((reason) => {
    if (!Cause.isDieReason(reason) || !isSqlError(reason.defect)) return false
    const { cause: why } = reason.defect.reason as { readonly cause?: { readonly code?: string } }
    const name = String((why as { readonly _tag?: string } | undefined)?._tag)
    return /^(?:22|23|40|54|55|P0)/u.test(String(why?.code)) || name === "PgTypesCodecError"
  })

const rowsOf = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const items = yield* sql<{ who: string }>`select who from item`
  const notes = yield* sql<{ who: string }>`select who from note`
  const count = (rows: ReadonlyArray<{ readonly who: string }>, who: string) =>
    rows.filter((row) => row.who === who).length
  return (who: string) => [count(items, who), count(notes, who)]
})

/** Keeps a key that is not committed until it may end; whoever wants it waits in vain. */
const holding = Effect.fnUntraced(function* (key: number, until: Deferred.Deferred<void>) {
  const sql = yield* SqlClient.SqlClient
  const isHeld = yield* Deferred.make<void>()
  const fiber = yield* Effect.forkChild(
    sql.withTransaction(
      Effect.gen(function* () {
        yield* sql`insert into item (key, who, size, wide, at) values (${key}, 'holder', 's', 'w', now()) returning 1`
        yield* Deferred.succeed(isHeld, undefined)
        yield* Deferred.await(until)
        return yield* Effect.fail("It is taken back")
      })
    )
  )
  yield* Deferred.await(isHeld)
  return fiber
})

/** Ends the sessions of all others in the middle. */
const cutting = (after: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* Effect.sleep(after)
    yield* sql`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and state <> 'idle'`
  })

const names = Object.keys(faults) as ReadonlyArray<Fault>

/** One round; `isCut` ends sessions in the middle of it. */
const round = Effect.fnUntraced(function* (seed: number, isCut: boolean) {
  const random = makeRandom(seed)
  const { run } = yield* Port
  const lockedKey = seed * 1000 + 999
  const mayEnd = yield* Deferred.make<void>()
  const all = Array.from({ length: 2 + Math.floor(random() * 38) }, (_, at) => {
    const isBad = random() < 0.25
    const fault: Fault = isBad ? (names[Math.floor(random() * names.length)] ?? "good") : "good"
    const own = seed * 1000 + at
    const key = fault === "held" ? lockedKey : fault === "twin" ? seed * 1000 : own
    const meant: Meant = {
      ...{ who: `${seed}-${at}`, key, size: "m", wide: "w", at: new Date(0) },
      ...faults[fault]
    }
    return { meant, fault }
  })
  const holder = all.some(({ fault }) => fault === "held")
    ? yield* holding(lockedKey, mayEnd)
    : undefined
  const cut = isCut ? yield* Effect.forkChild(cutting(random() * 8)) : undefined
  const exits = yield* Effect.forEach(all, ({ meant }) => Effect.exit(run(write(meant))), {
    concurrency: "unbounded"
  }).pipe(Effect.timeout("60 seconds"))
  yield* Deferred.succeed(mayEnd, undefined)
  if (holder !== undefined) yield* Fiber.await(holder)
  if (cut !== undefined) yield* Fiber.await(cut)
  const stand = yield* Effect.retry(rowsOf, { times: 5 })
  for (const [at, exit] of exits.entries()) {
    const { fault, meant } = all[at] as (typeof all)[number]
    const told = `${meant.who} ${fault}: ${Exit.isSuccess(exit) ? "written" : Cause.pretty(exit.cause).slice(0, 300)}`
    const found = stand(meant.who)
    if (Exit.isSuccess(exit)) assert.deepStrictEqual(found, [1, 1], told)
    else if (isRefusal(exit.cause)) assert.deepStrictEqual(found, [0, 0], told)
    else {
      assert.isTrue(isCut, told)
      assert.include([0, 1], found[0], told)
      assert.strictEqual(found[0], found[1], told)
    }
    if (
      fault === "good" &&
      all.every((other) => other === all[at] || other.meant.key !== meant.key)
    ) {
      assert.isTrue(Exit.isSuccess(exit) || (isCut && !isRefusal(exit.cause)), told)
    }
    if (fault !== "good" && fault !== "twin" && fault !== "held")
      assert.isTrue(Exit.isFailure(exit), told)
  }
  return exits.filter(Exit.isSuccess).length
})

const rounds = 20
/** Any other begins another storm. */
const firstSeed = 1

const storm = (isCut: boolean) =>
  Effect.gen(function* () {
    yield* prepared
    let written = 0
    for (let at = 0; at < rounds; at++) written += yield* round(firstSeed + at, isCut)
    assert.isAbove(written, rounds * 3)
  }).pipe(Effect.provide(Atomically.layer), Effect.provide(engine))

it.live("each of a moment hears its own answer, and no other's", () => storm(false), 120_000)

it.live(
  "what was written stands once and whole, also where sessions end in the middle",
  () => storm(true),
  120_000
)
