/**
 * The line of history in its two places, the records and the key store. The server says by itself when it was promoted,
 * or when the records were put on another one.
 */
import { type Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Answer from "../../adapters/postgres/answer.ts"
import * as Durability from "../../adapters/postgres/durability.ts"
import * as KeyMaterial from "../../adapters/postgres/key-material.ts"
import { lineName as name } from "../../adapters/postgres/line-now.ts"
import { serverNow } from "../../adapters/postgres/server-identity.ts"
import {
  type Kept,
  type KeyStore,
  Line,
  type Standing,
  standingOf,
  Timeline,
  unreadOf
} from "../../core/timeline/timeline.ts"

const asText = Schema.fromJsonString(Line)
const textOf = Schema.encodeSync(asText)
const lineOf = (text: string | null) =>
  text === null ? undefined : Option.getOrThrow(Schema.decodeUnknownOption(asText)(text))

const readRecords = (sql: SqlClient.SqlClient) =>
  Answer.only(
    sql<{ server: string; sealed: string | null }>`
      select ${serverNow(sql)} as server,
        (select sealed from key_material where name = ${name}) as sealed`,
    ({ sealed, server }) => ({ server, line: lineOf(sealed) })
  )

/**
 * A session may lead to another server than the one that was read before, with the same line in its records. Only the
 * server that the new line names takes it.
 */
const writeOn = (sql: SqlClient.SqlClient, from: Line | undefined, to: Line) =>
  from === undefined
    ? Answer.any(sql`
        insert into key_material (name, sealed, version)
        select ${name}, ${textOf(to)}, 1 where ${serverNow(sql)} = ${to.server}
        on conflict do nothing returning name`)
    : Answer.any(sql`
        update key_material set sealed = ${textOf(to)}, version = version + 1
        where name = ${name} and sealed = ${textOf(from)} and ${serverNow(sql)} = ${to.server}
        returning name`)

/** The chains on which the records let no wallet sign yet, as they say themselves. */
export const unreadChains = Effect.map(KeyMaterial.find(name), (kept) =>
  unreadOf(lineOf(kept?.sealed ?? null))
)

/** Makes the next look take these records for moved: the line is on no server, and if asked for, in no key store. */
export const disown = Effect.fnUntraced(function* (leavesKeyStore: boolean) {
  const sql = yield* SqlClient.SqlClient
  const disowned = Effect.gen(function* () {
    // Whatever is written meanwhile is read after it, and nothing comes between.
    const line = yield* Answer.first(
      sql<{ sealed: string }>`select sealed from key_material where name = ${name} for update`,
      ({ sealed }) => lineOf(sealed)
    )
    if (line === undefined) return
    const keyStore = leavesKeyStore ? null : line.keyStore
    const sealed = textOf({ ...line, server: "", keyStore })
    yield* Answer.done(sql`
      update key_material set sealed = ${sealed}, version = version + 1 where name = ${name}`)
  })
  yield* Effect.orDie(sql.withTransaction(disowned))
})

/** The lines that the key store knows. */
export interface Lines {
  /** What stands there, read anew. */
  readonly read: Effect.Effect<KeyStore, { readonly detail: string }>
  readonly take: (line: Kept) => Effect.Effect<void>
}

const over = (lines: Lines) =>
  Layer.effect(
    Timeline,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const timeline: Context.Service.Shape<typeof Timeline> = {
        look: Effect.gen(function* () {
          const records = yield* readRecords(sql)
          // Last, so that nothing is taken for open that was fenced before the look.
          const keyStore = yield* lines.read
          return standingOf({ ...records, keyStore }, DateTime.formatIso(yield* DateTime.now))
        }).pipe(Effect.catch(({ detail }) => Effect.succeed<Standing>({ _tag: "silent", detail }))),
        write: (from, to) => writeOn(sql, from, to),
        keep: lines.take
      }
      // The first line needs nobody to wait for anything.
      const standing = yield* timeline.look
      if (standing._tag === "moved" && standing.next.held === null) {
        yield* timeline.write(standing.line, standing.next)
        yield* timeline.keep(standing.next)
        const kept = yield* timeline.look
        if (kept._tag === "unnamed") yield* timeline.write(kept.line, kept.next)
      }
      return timeline
    })
  )

/** Without a key store for them all records are on one line. What a standby has is asked in any case. */
export const layer = (lines: Lines | undefined) =>
  Layer.merge(Durability.layer, lines === undefined ? Layer.empty : over(lines))
