/**
 * The Merkle trees beside the audit store. A tree's head is the lock of its log: who grows it holds the
 * head until the transaction ends, and gives places only from there on.
 */
import { DateTime, Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Growth, Head, Held } from "../../core/audit/audit-store.ts"
import type { Hashed, Node } from "../../core/audit/tree.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import { type LineRow, lineNow, readLine } from "./line-now.ts"
import { integer, type Row, table, timestamp } from "./table.ts"

const headTable = table<Head>(
  "audit_tree",
  { treeSize: integer, line: integer, grewAt: timestamp },
  ["treeSize"]
)

export const head = (sql: SqlClient, accountId: string): Effect.Effect<Head | undefined> =>
  Answer.first(
    sql<Row>`select tree_size, line, grew_at from audit_tree
      where account_id = ${accountId} and tree_size > 0`,
    headTable.read
  )

/** An empty tree is written first, so that there is a row to hold; two that write it wait for each other. */
export const hold = (sql: SqlClient, accountId: string): Effect.Effect<Held> =>
  Effect.andThen(
    Answer.done(sql`
      insert into audit_tree (account_id, tree_size, grew_at)
      values (${accountId}, 0, now()) on conflict do nothing`),
    Answer.only(
      sql<Row & LineRow>`select tree_size, line, grew_at, now.*
        from audit_tree cross join ${lineNow(sql)} now
        where account_id = ${accountId} for no key update of audit_tree`,
      (row) => {
        const head = headTable.read(row)
        return { head: head.treeSize === 0 ? undefined : head, now: readLine(row) }
      }
    )
  )

/** The head moves on from where the places begin and to no earlier line, or not at all. */
const moving = (sql: SqlClient, { accountId, grewAt, line, placed, treeSize }: Growth) => sql`
  update audit_tree set tree_size = ${treeSize}, line = ${line}, grew_at = ${Column.date(grewAt)}
  where account_id = ${accountId} and tree_size = ${treeSize - placed.length} and line <= ${line}
  returning account_id`

/** Entries of one row at most, so that a row is kept whole in its page. */
const maxPlacesTogether = 32

const secondMs = 1000

interface Places {
  readonly first: number
  readonly second: Date
  readonly ids: ReadonlyArray<string>
}

/** Places that follow each other, of entries that were made in one second, together. */
const placesOf = (placed: Growth["placed"]): ReadonlyArray<Places> => {
  const all: Array<{ first: number; second: number; ids: Array<string> }> = []
  for (const { createdAt, id, sequence } of placed) {
    const second = Math.floor(DateTime.toEpochMillis(createdAt) / secondMs)
    const last = all.at(-1)
    const follows =
      last !== undefined && last.second === second && last.first + last.ids.length === sequence
    if (follows && last.ids.length < maxPlacesTogether) last.ids.push(id)
    else all.push({ first: sequence, second, ids: [id] })
  }
  return all.map((each) => ({
    ...each,
    second: Column.date(DateTime.makeUnsafe(each.second * secondMs))
  }))
}

/** The table takes what waits for a place, once, and no place but the next. */
const placing = (sql: SqlClient, { accountId, placed }: Growth) => sql`
  with run as (
    select * from jsonb_to_recordset(${Column.json(placesOf(placed))}::jsonb) as run (
      "first" bigint, "second" timestamptz, "ids" uuid[])
  )
  insert into audit_place (account_id, "first", "second", entry_ids)
  select ${accountId}::uuid, "first", "second", "ids" from run order by "first"`

const hashLength = 32

/** Hashes of one row at most, so that a row is kept whole in its page. */
const maxTogether = 32

/**
 * Which node it is of all, in the order in which they are completed: each right after the second of the two that it
 * joins. Counted, never shifted: bit operations end at 32 bits.
 */
const placeOf = ({ index, level }: Node): number => {
  let leaf = index
  for (let above = level; above > 0; above--) leaf = 2 * leaf + 1
  let place = level
  for (let before = leaf; before > 0; before = Math.floor(before / 2)) place += before
  return place
}

interface Run {
  readonly first: number
  readonly hashes: ReadonlyArray<Uint8Array>
}

/** Nodes that follow each other, together. */
const runsOf = (added: Growth["added"]): ReadonlyArray<Run> => {
  const runs: Array<{ first: number; hashes: Array<Uint8Array> }> = []
  const inOrder = added
    .map((node) => ({ place: placeOf(node), hash: node.hash }))
    .toSorted((one, other) => one.place - other.place)
  for (const { hash, place } of inOrder) {
    const last = runs.at(-1)
    const follows = last !== undefined && place === last.first + last.hashes.length
    if (follows && last.hashes.length < maxTogether) last.hashes.push(hash)
    else runs.push({ first: place, hashes: [hash] })
  }
  return runs
}

const planting = (sql: SqlClient, { accountId, added }: Growth) => {
  const rows = runsOf(added).map(({ first, hashes }) => ({
    first,
    hashes: Buffer.concat(hashes).toString("hex")
  }))
  return sql`
    insert into audit_node (account_id, "first", hashes)
    select ${accountId}::uuid, "first", decode(hashes, 'hex')
    from jsonb_to_recordset(${Column.json(rows)}::jsonb) as run ("first" bigint, "hashes" text)`
}

export const extend = (sql: SqlClient, growth: Growth): Effect.Effect<void> =>
  Effect.gen(function* () {
    yield* Answer.written(moving(sql, growth))
    const { placed, treeSize } = growth
    // The places of one growth follow each other up to the new size.
    if (placed.length > 0 && placed[0]?.sequence !== treeSize - placed.length) {
      return yield* Effect.die(new Error("A place of the audit log is not the next"))
    }
    yield* Answer.done(placing(sql, growth))
    yield* Answer.done(planting(sql, growth))
  })

interface NodeRow {
  readonly level: number
  readonly index: bigint
  readonly hash: Uint8Array
}

/** A row that ends before the place has fewer bytes there than a hash. */
const readNode = ({ hash, index, level }: NodeRow): ReadonlyArray<Hashed> =>
  hash.length === hashLength ? [{ level, index: Number(index), hash: new Uint8Array(hash) }] : []

export const nodes = (
  sql: SqlClient,
  accountId: string,
  wanted: ReadonlyArray<Node>
): Effect.Effect<ReadonlyArray<Hashed>> => {
  if (wanted.length === 0) return Effect.succeed([])
  const rows = wanted.map(({ index, level }, at) => ({
    at,
    level,
    index,
    place: placeOf({ level, index })
  }))
  // Looked up one by one: joined, the database may read the whole tree.
  const statement = sql<NodeRow>`
    select wanted."level", wanted."index", node.hash
    from jsonb_to_recordset(${Column.json(rows)}::jsonb) as wanted (
      "at" integer, "level" integer, "index" bigint, "place" bigint)
    cross join lateral (
      select substr(hashes, (${hashLength}::integer * (wanted."place" - "first"))::integer + 1,
        ${hashLength}::integer) as hash
      from audit_node where account_id = ${accountId} and "first" <= wanted."place"
      order by "first" desc limit 1
    ) node
    order by wanted."at"`
  return Effect.flatMap(Answer.all(statement, readNode), (found) => {
    const read = found.flat()
    return read.length === wanted.length
      ? Effect.succeed(read)
      : Effect.die(new Error("A node of the audit tree is not there"))
  })
}
