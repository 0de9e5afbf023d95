/** The database itself lets an audit entry have its place, once, and refuses every other change of a log. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, DateTime, Effect, Exit, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as SqlError from "effect/sql/SqlError"
import * as Stores from "../../../adapters/postgres/stores.ts"
import { Audit } from "../../../core/audit/audit-store.ts"
import * as Tree from "../../../core/audit/tree.ts"
import { sha256 } from "../../support/audit-log.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import * as FreshEmbedded from "../../support/fresh-embedded-database.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"

/** The write must break on a rule of the log, not on something else. */
const isRefused = Effect.fnUntraced(function* <E, R>(write: Effect.Effect<unknown, E, R>) {
  const exit = yield* Effect.exit(Effect.orDie(write))
  const defect = Exit.isFailure(exit)
    ? exit.cause.reasons.find(Cause.isDieReason)?.defect
    : undefined
  assert.isTrue(SqlError.isSqlError(defect), "expected a database error")
  if (SqlError.isSqlError(defect)) {
    assert.include(["ConstraintError", "UniqueViolation"], defect.reason._tag)
  }
})

const anEntry = Effect.gen(function* () {
  const { id } = yield* Stored.account()
  const entry = Rows.anEntry(id, { facts: { label: "till", plan: "pro" } })
  yield* (yield* Audit).append([entry])
  return entry
})

/** What a row's owner may try: each column of an entry, one at a time, with a value it does not have. */
const changes = [
  `id = gen_random_uuid()`,
  `account_id = gen_random_uuid()`,
  `action = action || '\\x00'`,
  `actor = '\\x13'`,
  `subject = subject || '\\x00'`,
  `told = told || '\\x10'`,
  `told = '\\x10'`,
  `created_at = created_at + interval '1 microsecond'`
]

const place = (of: { readonly accountId: string }, id: string, sequence: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`insert into audit_place (account_id, "first", "second", entry_ids)
      select account_id, ${sequence}, date_trunc('second', created_at, 'UTC'), array[id]
      from audit_entry where id = ${id} and account_id = ${of.accountId}`
  )

/** Rows of places, in one statement. */
const places = (...rows: ReadonlyArray<object>) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`insert into audit_place select * from jsonb_populate_recordset(
      null::audit_place, ${JSON.stringify(rows)}::jsonb)`
  )

const node = { level: 0, index: 0, hash: new Uint8Array(32).fill(7) }

for (const [name, engine] of [
  ["embedded", FreshEmbedded.engine],
  ["server", FreshDatabase.engine]
] as const) {
  describe(`the audit log on ${name}`, () => {
    it.layer(Layer.orDie(Layer.provideMerge(Stores.layer, engine)))((it) => {
      it.effect("keeps the words of an entry, whether it has its place or not", () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const entry = yield* anEntry
          yield* Stored.account()
          const before = yield* sql`select * from audit_entry`
          const all = (change: string) =>
            sql.unsafe(`update audit_entry set ${change} where id = '${entry.id}'`)
          for (const change of changes) yield* isRefused(all(change))
          assert.deepStrictEqual(yield* sql`select * from audit_entry`, before)
          yield* place(entry, entry.id, 0)
          for (const change of changes) yield* isRefused(all(change))
          const { rows } = yield* (yield* Audit).list(entry.accountId, { limit: 5 })
          assert.deepStrictEqual(rows, [{ ...entry, sequence: 0 }])
        })
      )

      it.effect("gives a place once, and each place once", () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const entry = yield* anEntry
          const second = Rows.anEntry(entry.accountId)
          yield* (yield* Audit).append([second])
          yield* isRefused(place(entry, entry.id, -1))
          yield* place(entry, entry.id, 0)
          yield* isRefused(place(entry, entry.id, 1))
          yield* isRefused(place(entry, entry.id, 0))
          yield* isRefused(place(entry, second.id, 0))
          yield* place(entry, second.id, 1)
          const third = Rows.anEntry(entry.accountId)
          yield* (yield* Audit).append([third])
          yield* isRefused(place(entry, third.id, 3))
          yield* isRefused(sql`update audit_place set "first" = 2 where "first" = 1`)
          yield* isRefused(sql`update audit_place set entry_ids = array[${third.id}::uuid]`)
        })
      )

      it.effect(
        "gives no place of a statement to an entry of another second, account or row of it",
        () =>
          Effect.gen(function* () {
            const { id: accountId } = yield* Stored.account()
            const entries = [1, 1, 2].map((second) =>
              Rows.anEntry(accountId, { createdAt: Rows.at(second) })
            )
            const [first, next, later] = entries.map(({ id }) => id)
            const foreign = yield* anEntry
            yield* (yield* Audit).append(entries)
            const row = (
              first: number,
              second: number,
              id: string | undefined,
              of = accountId
            ) => ({
              account_id: of,
              first,
              second: DateTime.formatIso(Rows.at(second)),
              entry_ids: [id]
            })
            const one = row(0, 1, first)
            yield* isRefused(places(row(0, 1, later), row(1, 2, first)))
            yield* isRefused(places(one, row(1, 1, first)))
            yield* isRefused(places(one, row(0, 1, next, foreign.accountId)))
            yield* isRefused(places(one, row(2, 1, next)))
            yield* places(one, row(1, 1, next))
          })
      )

      it.effect("finds a place by its second, and no row has places of two", () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const audit = yield* Audit
          const { id: accountId } = yield* Stored.account()
          const entries = [1, 1, 2, 1].map((second) =>
            Rows.anEntry(accountId, { createdAt: Rows.at(second) })
          )
          yield* audit.append(entries)
          const placed = entries.map((entry, sequence) => ({ ...entry, sequence }))
          const { added } = Tree.grow(
            sha256,
            [],
            placed.map(({ id }) => Tree.leafHash(sha256, id))
          )
          yield* audit.hold(accountId)
          yield* audit.extend({
            accountId,
            placed,
            added,
            treeSize: 4,
            line: 1,
            grewAt: Rows.at(3)
          })
          const runs = yield* sql`select cardinality(entry_ids) as entries from audit_place
            where account_id = ${accountId} order by "first"`
          assert.deepStrictEqual(
            runs.map(({ entries }) => entries),
            [2, 1, 1]
          )
          for (const each of placed) {
            assert.deepStrictEqual(yield* audit.find(accountId, each.id), each)
          }
          const { rows } = yield* audit.list(accountId, { limit: 5 })
          assert.sameDeepMembers([...rows], placed)
          assert.deepStrictEqual(yield* audit.inOrder(accountId, 1, 2), placed.slice(1, 3))
        })
      )

      it.effect("keeps nodes that are completed together in few rows", () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const audit = yield* Audit
          const { id: accountId } = yield* Stored.account()
          const entries = Array.from({ length: 64 }, () => Rows.anEntry(accountId))
          yield* audit.append(entries)
          const placed = entries.map((entry, sequence) => ({ ...entry, sequence }))
          const leaves = placed.map(({ id }) => Tree.leafHash(sha256, id))
          const { added } = Tree.grow(sha256, [], leaves)
          yield* audit.hold(accountId)
          yield* audit.extend({
            accountId,
            placed,
            added,
            treeSize: 64,
            line: 1,
            grewAt: Rows.at(1)
          })
          const kept = yield* sql`select from audit_node where account_id = ${accountId}`
          assert.lengthOf(added, 127)
          assert.lengthOf(kept, 4)
          assert.deepStrictEqual(yield* audit.nodes(accountId, added), added)
        })
      )

      it.effect("loses neither entries nor nodes", () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const entry = yield* anEntry
          const { accountId } = entry
          const placed = [{ ...entry, sequence: 0 }]
          const growth = {
            accountId,
            placed,
            added: [node],
            treeSize: 1,
            line: 1,
            grewAt: Rows.at(1)
          }
          const audit = yield* Audit
          yield* audit.hold(accountId)
          yield* audit.extend(growth)
          for (const table of ["audit_entry", "audit_place", "audit_node"]) {
            yield* isRefused(sql`delete from ${sql(table)}`)
            yield* Effect.flip(sql`truncate ${sql(table)}`)
            yield* isRefused(sql`truncate ${sql(table)} cascade`)
          }
          yield* isRefused(sql`update audit_node set hashes = ${Buffer.alloc(32)}`)
          yield* isRefused(sql`update audit_node set "first" = 1`)
          for (const [first, length] of [
            [0, 32],
            [-1, 32],
            [1, 0],
            [1, 31],
            [1, 33 * 32]
          ]) {
            yield* isRefused(
              sql`insert into audit_node values (${accountId}, ${first}, ${Buffer.alloc(length ?? 0)})`
            )
          }
          assert.deepStrictEqual(yield* audit.nodes(accountId, [node]), [node])
          assert.deepStrictEqual(yield* audit.inOrder(accountId, 0, 5), placed)
        })
      )

      it.effect(
        "lets go of a text that a file has, and of no other, and never of the file's row",
        () =>
          Effect.gen(function* () {
            const sql = yield* SqlClient.SqlClient
            const audit = yield* Audit
            const { id: accountId } = yield* Stored.account()
            const entries = [1, 2, 3].map((second) =>
              Rows.anEntry(accountId, { createdAt: Rows.at(second) })
            )
            yield* audit.append(entries)
            const [first, second, waiting] = entries.map(({ id }) => id)
            yield* audit.hold(accountId)
            yield* place({ accountId }, first ?? "", 0)
            yield* place({ accountId }, second ?? "", 1)
            yield* sql`update audit_tree set tree_size = 2 where account_id = ${accountId}`
            const row = (from: number, end: number) => sql`
            insert into audit_archive values (${accountId}, ${from}, ${end}, ${DateTime.toDate(Rows.at(10))}, 'file',
              ${Buffer.alloc(32)}, ${DateTime.toDate(Rows.at(91 * 86_400))})`
            for (const [from, end] of [
              [0, 0],
              [0, 3],
              [1, 2]
            ] as const) {
              yield* isRefused(row(from, end))
            }
            yield* row(0, 1)
            for (const [from, end] of [
              [0, 1],
              [0, 2],
              [2, 2]
            ] as const) {
              yield* isRefused(row(from, end))
            }
            yield* isRefused(sql`update audit_archive set "end" = 2`)
            yield* isRefused(sql`update audit_archive set file = 'other'`)
            yield* isRefused(sql`delete from audit_archive`)
            yield* isRefused(sql`truncate audit_archive`)
            yield* isRefused(sql`delete from audit_entry where id = ${second}`)
            yield* isRefused(sql`delete from audit_entry where id = ${waiting}`)
            yield* sql`delete from audit_entry where id = ${first}`
            const { rows } = yield* audit.list(accountId, { limit: 5 })
            assert.deepStrictEqual(
              rows.map(({ id }) => id),
              [waiting, second]
            )
          })
      )
    })
  })
}
