/**
 * The line of history in its two places, the records and the key store. The server says by itself when it was promoted,
 * or when the records were put on another one.
 */
import { type Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Answer from "../../adapters/postgres/answer.ts"
import * as KeyMaterial from "../../adapters/postgres/key-material.ts"
import { type Kept, Line, standingOf, Timeline } from "../../core/timeline/timeline.ts"

const name = "records_timeline"

const asText = Schema.fromJsonString(Line)
const textOf = Schema.encodeSync(asText)
const lineOf = (text: string | null) =>
  text === null ? undefined : Option.getOrThrow(Schema.decodeUnknownOption(asText)(text))

/**
 * The line, and the server's identity with its own timeline. That is read from the log it writes, as its last
 * checkpoint still names the timeline before the promotion.
 */
const readRecords = (sql: SqlClient.SqlClient) =>
  Answer.only(
    sql<{ server: string; sealed: string | null }>`
      select system_identifier || '/' || (select oid from pg_database where datname = current_database())
        || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8) as server,
        (select sealed from key_material where name = ${name}) as sealed
      from pg_control_system()`,
    ({ sealed, server }) => ({ server, line: lineOf(sealed) })
  )

/** Makes the next look take these records for moved: the line is on no server. */
export const disown = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { line } = yield* readRecords(sql)
  if (line === undefined) return
  yield* KeyMaterial.replace(name, textOf(line), textOf({ ...line, server: "" }))
})

/** The lines that the key store knows. */
export interface KeyStore {
  /** The highest one, read anew. */
  readonly read: Effect.Effect<Kept | undefined>
  readonly take: (line: Kept) => Effect.Effect<void>
}

const over = (lines: KeyStore) =>
  Layer.effect(
    Timeline,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const onRecords = Effect.provideService(SqlClient.SqlClient, sql)
      const timeline: Context.Service.Shape<typeof Timeline> = {
        look: Effect.gen(function* () {
          const records = yield* readRecords(sql)
          // Last, so that nothing is taken for open that was fenced before the look.
          const kept = yield* lines.read
          return standingOf({ ...records, kept }, DateTime.formatIso(yield* DateTime.now))
        }),
        write: (from, to) =>
          onRecords(
            from === undefined
              ? Effect.map(
                  KeyMaterial.keep(name, textOf(to)),
                  ({ sealed }) => sealed === textOf(to)
                )
              : KeyMaterial.replace(name, textOf(from), textOf(to))
          ),
        keep: lines.take
      }
      // The first line needs nobody to wait for anything.
      const standing = yield* timeline.look
      if (standing._tag === "moved" && standing.next.held === null) {
        yield* timeline.write(standing.line, standing.next)
        yield* timeline.keep(standing.next)
      }
      return timeline
    })
  )

/** Without a key store for them all records are on one line. */
export const layer = (lines: KeyStore | undefined) =>
  lines === undefined ? Layer.empty : over(lines)
