/**
 * Brings a database to the schema this version needs: numbered migrations, forward only, each applied
 * once, all of them in one transaction under an advisory lock, so any number of processes may start at once. A database
 * in which one of them stands with other statements is refused.
 * Kinds of proposals that are new in this version are added in the same transaction.
 */
import { createHash } from "node:crypto"
import { Data, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { kinds } from "../../core/treasury/kinds.ts"
import * as AdvisoryLock from "./advisory-lock.ts"
import * as Accounts from "./migrations/0001-baseline/accounts.ts"
import * as Audit from "./migrations/0001-baseline/audit.ts"
import * as Governing from "./migrations/0001-baseline/governing.ts"
import * as Humans from "./migrations/0001-baseline/humans.ts"
import * as Outlay from "./migrations/0001-baseline/outlay.ts"
import * as Payments from "./migrations/0001-baseline/payments.ts"
import * as Proposals from "./migrations/0001-baseline/proposals.ts"
import * as Submissions from "./migrations/0001-baseline/submissions.ts"
import * as Trades from "./migrations/0001-baseline/trades.ts"
import * as Waits from "./migrations/0001-baseline/waits.ts"
import * as Wallets from "./migrations/0001-baseline/wallets.ts"
import * as Webhooks from "./migrations/0001-baseline/webhooks.ts"

/**
 * The database takes accounts for alike and, where there are thousands, for small: it would read all of one that has a
 * million rows. Told that there are few, it plans for large ones, which is right for small ones too.
 */
const planForLargeAccounts = `do $$
  declare name text;
  begin
    for name in
      select table_name from information_schema.columns
      where table_schema = current_schema and column_name = 'account_id'
    loop
      execute format('alter table %I alter column account_id set (n_distinct = 5)', name);
    end loop;
  end
$$`

/** In the order in which one refers to the other. */
const baseline = [
  Accounts,
  Humans,
  Wallets,
  Payments,
  Webhooks,
  Proposals,
  Submissions,
  Outlay,
  Waits,
  Trades,
  Governing,
  Audit
]
  .flatMap(({ statements }) => statements)
  .concat(planForLargeAccounts)

/** The schema as it was changed over time; a released migration is never edited. */
const migrations: ReadonlyArray<{
  readonly name: string
  readonly statements: ReadonlyArray<string>
}> = [{ name: "0001-baseline", statements: baseline }]

/** The database has been migrated by a later version of this program, which alone understands it. */
export class DatabaseIsNewer extends Data.TaggedError("DatabaseIsNewer")<{
  readonly unknown: ReadonlyArray<string>
}> {
  override get message() {
    return `The database has migrations that this version does not know (${this.unknown.join(", ")}); start the newer version.`
  }
}

/** A version from before the first release has migrated the database, by a baseline that has been edited since. */
export class DatabaseIsOther extends Data.TaggedError("DatabaseIsOther")<{
  readonly others: ReadonlyArray<string>
}> {
  override get message() {
    return `The database was made by another version, whose ${this.others.join(", ")} is not this one's, and nothing leads from there to here; nothing was changed in it. Go on with the version that made it. To begin anew with the same wallets, export their root with that version (bursar keys export-root), and restore it into an empty database with this one (bursar keys restore-root).`
  }
}

/** What a migration is known by beside its name, which an edited one keeps. */
const hashOf = (statements: ReadonlyArray<string>) =>
  createHash("sha256").update(JSON.stringify(statements)).digest("hex")

const known: ReadonlyMap<string, string> = new Map(
  migrations.map(({ name, statements }) => [name, hashOf(statements)])
)

/** What stands in the database; the first versions kept no hash. */
const applied = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql<{ name: string; hash: string | null }>`
    select name, to_jsonb(migration) ->> 'hash' as hash from migration order by name`
)

/** What is to be applied where these are; refuses those that this version does not know. */
const missingBeside = (rows: Effect.Success<typeof applied>) => {
  const unknown = rows.filter(({ name }) => !known.has(name)).map(({ name }) => name)
  if (unknown.length > 0) return Effect.fail(new DatabaseIsNewer({ unknown }))
  const others = rows.filter(({ hash, name }) => hash !== known.get(name)).map(({ name }) => name)
  if (others.length > 0) return Effect.fail(new DatabaseIsOther({ others }))
  return Effect.succeed(migrations.filter((each) => !rows.some(({ name }) => name === each.name)))
}

/** What a start would apply, by name, and whether nothing was ever applied. It changes nothing. */
export const pending: Effect.Effect<
  { readonly isEmpty: boolean; readonly names: ReadonlyArray<string> },
  SqlError | DatabaseIsNewer | DatabaseIsOther,
  SqlClient.SqlClient
> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* sql<{ found: string | null }>`select to_regclass('migration') as found`
  const isEmpty = table === undefined || table.found === null
  const rows = isEmpty ? [] : yield* applied
  return { isEmpty, names: (yield* missingBeside(rows)).map(({ name }) => name) }
})

/** What a proposal may be of is more in this version than in those that started before. */
const kindsAreMissing = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const missing = yield* sql`
    select from unnest(${Object.keys(kinds)}::text[]) as wanted (name)
    where name not in (select name from proposal_kind) limit 1`
  return missing.length > 0
})

const applyMissing = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // Waiting for another process, or rewriting a large table, may take longer than any request.
  yield* sql`set local statement_timeout = 0`
  yield* sql`set local lock_timeout = 0`
  yield* sql`select pg_advisory_xact_lock(${AdvisoryLock.space}, ${AdvisoryLock.migrations})`
  yield* sql`create table if not exists migration (
    name text primary key,
    hash text not null,
    applied_at timestamptz not null default now()
  )`
  const missing = yield* missingBeside(yield* applied)
  for (const { name, statements } of missing) {
    yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
    yield* sql`insert into migration (name, hash) values (${name}, ${hashOf(statements)})`
  }
  // Beside the kinds that earlier versions have added.
  yield* sql`insert into proposal_kind (name)
    select unnest(${Object.keys(kinds)}::text[]) on conflict (name) do nothing`
  return missing.map(({ name }) => name)
})

/**
 * Applies what is missing; gives back the names of what it applied. Most starts lack nothing: they look, and wait for
 * nobody's lock.
 */
export const migrate: Effect.Effect<
  ReadonlyArray<string>,
  SqlError | DatabaseIsNewer | DatabaseIsOther,
  SqlClient.SqlClient
> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { names } = yield* pending
  if (names.length === 0 && !(yield* kindsAreMissing)) return names
  return yield* sql.withTransaction(applyMissing)
})

/** Only this version's tables can be read by it, and who only reads makes none. */
export class DatabaseIsOlder extends Data.TaggedError("DatabaseIsOlder")<{
  readonly isEmpty: boolean
  readonly names: ReadonlyArray<string>
}> {
  override get message() {
    return this.isEmpty
      ? "The database is empty, and this command changes nothing in it. The first start of the service makes its tables, and so does bursar migrate."
      : `The database is of an older version and lacks ${this.names.join(", ")}; this command changes nothing in it. Take a backup, then run bursar migrate, or use the version that it is of.`
  }
}

/** Refuses a database that lacks a migration when it is built, and changes nothing. */
export const asItStands = Layer.effectDiscard(
  Effect.flatMap(pending, (lacking) =>
    lacking.names.length === 0 ? Effect.void : Effect.fail(new DatabaseIsOlder(lacking))
  )
)

/** Migrates when it is built. */
export const layer = Layer.effectDiscard(migrate)
