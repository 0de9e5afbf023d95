/**
 * Copies the embedded database while it is written to, PostgreSQL's own way: its files as they come between the start and
 * the end of a backup, and the log from there to there, which makes them whole when the copy is opened. Nobody waits.
 */
import { closeSync, fstatSync, openSync, readdirSync, readSync, statSync } from "node:fs"
import { join } from "node:path"
import { Clock, Data, Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Answer from "./answer.ts"
import { type Embedded, Engine } from "./engine.ts"
import * as Tar from "./tar.ts"

export class BackupRefused extends Data.TaggedError("BackupRefused")<{
  readonly message: string
}> {}

/** Says which log is read, last, as it is written at each checkpoint. */
const controlFile = join("global", "pg_control")

const logFolder = "pg_wal"

/** What is in them is of the process that is running. */
const emptied = new Set([
  logFolder,
  "pg_dynshmem",
  "pg_notify",
  "pg_replslot",
  "pg_serial",
  "pg_snapshots",
  "pg_stat_tmp",
  "pg_subtrans"
])

const leftOut = /^(?:postmaster\.(?:pid|opts)|backup_label\.old|pg_internal\.init.*|pgsql_tmp.*)$/u

interface Entry {
  readonly path: string
  readonly isFolder: boolean
}

/** Folders before what is in them. */
function* entriesIn(files: string, folder = ""): Generator<Entry> {
  for (const found of readdirSync(join(files, folder), { withFileTypes: true })) {
    const path = join(folder, found.name)
    if (leftOut.test(found.name) || path === controlFile) continue
    yield { path, isFolder: found.isDirectory() }
    if (found.isDirectory() && !emptied.has(path)) yield* entriesIn(files, path)
  }
}

/** What goes meanwhile was dropped, and the log says so too. */
const unlessGone = <A>(act: () => A): A | undefined => {
  try {
    return act()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw error
  }
}

const chunkBytes = 256 * 1024

interface Copying {
  readonly files: string
  readonly unixSeconds: number
}

/** As long as it was at first: what is added meanwhile is in the log, and so is that something was cut off. */
function* contentOf(file: number, bytes: number): Generator<Buffer> {
  for (let at = 0; at < bytes; ) {
    const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, bytes - at))
    const has = readSync(file, chunk, 0, chunk.length, at)
    yield has === 0 ? chunk.fill(0) : chunk.subarray(0, has)
    at += has === 0 ? chunk.length : has
  }
  yield Tar.padding(bytes)
}

function* fileIn({ files, unixSeconds }: Copying, path: string): Generator<Buffer> {
  const file = unlessGone(() => openSync(join(files, path), "r"))
  if (file === undefined) return
  try {
    const { size: bytes } = fstatSync(file)
    yield Tar.header(path, { bytes, isFolder: false, unixSeconds })
    yield* contentOf(file, bytes)
  } finally {
    closeSync(file)
  }
}

function* added({ unixSeconds }: Copying, path: string, content: string): Generator<Buffer> {
  const bytes = Buffer.from(content)
  yield Tar.header(path, { bytes: bytes.length, isFolder: false, unixSeconds })
  yield bytes
  yield Tar.padding(bytes.length)
}

function* allFiles(copying: Copying): Generator<Buffer> {
  const { files, unixSeconds } = copying
  for (const { isFolder, path } of entriesIn(files)) {
    if (isFolder) yield Tar.header(path, { bytes: 0, isFolder, unixSeconds })
    else yield* fileIn(copying, path)
  }
  yield* fileIn(copying, controlFile)
}

interface Ended {
  readonly first: string
  readonly last: string
  readonly label: string
}

/** From the file of the log that the backup began in to that in which it ended, and what has whoever opens it read that. */
function* logOf(copying: Copying, { first, label, last }: Ended): Generator<Buffer> {
  const names = readdirSync(join(copying.files, logFolder)).toSorted()
  const log = names.filter((name) => /^[0-9A-F]{24}$/u.test(name) && name >= first && name <= last)
  if (!log.includes(first) || !log.includes(last)) {
    throw new Error("the log was cut while it was copied")
  }
  for (const name of [...names.filter((each) => each.endsWith(".history")), ...log]) {
    yield* fileIn(copying, join(logFolder, name))
  }
  yield* added(copying, "backup_label", label)
  // By it the copy begins a timeline of its own.
  yield* added(copying, "recovery.signal", "")
  yield Tar.end()
}

/** Small pieces go together, as others come in between each two that are written. */
const pieceBytes = 1024 * 1024

/**
 * Reads and writes by turns. Nothing else of this process runs while a page is read, the engine that would write it
 * included, so that none is copied by halves.
 */
const written = Effect.fnUntraced(function* <E, R>(
  content: Generator<Buffer>,
  write: (bytes: Uint8Array) => Effect.Effect<void, E, R>
) {
  const nextPiece = Effect.try({
    try: () => {
      const parts: Array<Buffer> = []
      for (let bytes = 0; bytes < pieceBytes; ) {
        const { done, value } = content.next()
        if (done === true) break
        parts.push(value)
        bytes += value.length
      }
      return Buffer.concat(parts)
    },
    catch: (cause) =>
      new BackupRefused({ message: `The database cannot be copied: ${String(cause)}` })
  })
  yield* Effect.gen(function* () {
    while (true) {
      const piece = yield* nextPiece
      if (piece.length === 0) return
      yield* write(piece)
    }
  }).pipe(Effect.ensuring(Effect.sync(() => content.return(undefined))))
})

/** Held for one at a time, as the engine has one session, and its log until the copy has it. */
const holdLog = ({ log }: Embedded) =>
  Effect.acquireRelease(
    Effect.suspend(() => {
      if (log.isHeld) {
        return Effect.fail(
          new BackupRefused({ message: "Another backup is being made; wait until it is done." })
        )
      }
      log.isHeld = true
      return Effect.void
    }),
    () =>
      Effect.sync(() => {
        log.isHeld = false
      })
  )

/** Its files, log included: about what a copy takes. */
export const bytesOf = (files: string): number =>
  readdirSync(files, { recursive: true, withFileTypes: true })
    .filter((found) => found.isFile())
    .reduce(
      (sum, { name, parentPath }) =>
        sum + (unlessGone(() => statSync(join(parentPath, name)))?.size ?? 0),
      0
    )

const begun = (sql: SqlClient.SqlClient) =>
  Answer.only(
    sql<{ first: string }>`
      select pg_walfile_name(pg_backup_start('bursar backup', true)) as first`,
    ({ first }) => first
  )

const ended = (sql: SqlClient.SqlClient) =>
  Answer.only(
    sql<{ label: string; last: string }>`
      select labelfile as label, pg_walfile_name(lsn) as last from pg_backup_stop(false)`,
    (row) => row
  )

/** Copies an embedded database as a tar file. All that was committed before it began is in it. */
export const copy = <E, R>(
  engine: Embedded & { readonly files: string },
  write: (bytes: Uint8Array) => Effect.Effect<void, E, R>
) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* holdLog(engine)
    const nowMs = yield* Clock.currentTimeMillis
    const copying = { files: engine.files, unixSeconds: Math.floor(nowMs / 1000) }
    let isOpen = true
    const first = yield* Effect.acquireRelease(begun(sql), () =>
      isOpen ? Effect.catchCause(ended(sql), () => Effect.void) : Effect.void
    )
    yield* written(allFiles(copying), write)
    const end = yield* ended(sql)
    isOpen = false
    yield* written(logOf(copying, { first, ...end }), write)
  }).pipe(Effect.scoped)

/** The engine, if it is one that can be copied so. */
export const copyable = Effect.flatMap(Engine, (engine) =>
  engine.kind === "embedded" && engine.files !== undefined
    ? Effect.succeed({ ...engine, files: engine.files })
    : Effect.fail(
        new BackupRefused({
          message:
            "This is for the embedded database. Back a PostgreSQL server up by its own means: archive_command with pg_basebackup, or its provider's point-in-time recovery."
        })
      )
)
