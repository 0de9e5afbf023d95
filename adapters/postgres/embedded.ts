/**
 * The engine that needs nothing installed: PGlite in this process. It has one session, and nothing in
 * it keeps a second process from its files, so opening a data directory takes our own lock first.
 */
import { join } from "node:path"
import type { PGlite } from "@electric-sql/pglite"
import { type Context, Data, Duration, Effect, Layer, type Scope } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import * as Client from "./client.ts"
import * as DataDirectoryLock from "./data-directory-lock.ts"
import { type Connection, Engine } from "./engine.ts"
import { noArchive } from "./no-archive.ts"
import { compiledQuickly } from "./quick-code.ts"
import * as Room from "./room.ts"
import { sessionOver } from "./session-stream.ts"
import { type Disk, syncedFiles } from "./synced-files.ts"
import * as Upkeep from "./upkeep.ts"

/** Its pages lie in the files' cache beside it anyway; what it keeps of them itself stays resident for good. */
const smallBuffers = ["shared_buffers=8MB"]

/** Its log is cut at each checkpoint, and no more of it is kept than the next ones need. */
const shortLog = ["max_wal_size=64MB", "min_wal_size=32MB"]

/** What commits is on the disk, by the only way that the engine's package has for it. */
const onDisk = ["fsync=on", "wal_sync_method=fsync", ...noArchive]

const filesIn = (directory: string) => join(directory, "postgres")

/** An engine, and what is known of its disk. */
interface Opened {
  readonly database: PGlite
  readonly disk: Disk
}

/** Files that nobody can open as they are: damaged, of a copy that is not whole, or of something else. */
export class EmbeddedDatabaseUnreadable extends Data.TaggedError("EmbeddedDatabaseUnreadable")<{
  readonly message: string
}> {}

const unreadable = (files: string, reason: string) =>
  new EmbeddedDatabaseUnreadable({
    message: `The embedded database in ${files} cannot be opened: ${reason}. Move that folder aside, keep it, and restore a backup; the manual says how under "Back up and restore".`
  })

/** The engine's last words before it gave up, which its package keeps to itself. */
const lastWords = () => {
  let words: string | undefined
  return {
    hear: (line: string) => {
      const [, said] = /(?:FATAL|PANIC): +(.+)$/u.exec(line) ?? []
      words = said ?? words
      return false
    },
    orElse: (cause: unknown) => words ?? (cause instanceof Error ? cause.message : String(cause))
  }
}

const startedIn = async (directory: string | undefined, hear: (line: string) => boolean) => {
  // Loaded when it is opened: a library on a server of its own does without the package.
  const [{ PGlite }, { NodeFS }] = await Promise.all([
    import("@electric-sql/pglite"),
    import("@electric-sql/pglite/nodefs")
  ])
  const settings = [...smallBuffers, ...shortLog, ...(directory === undefined ? [] : onDisk)]
  const disk: Disk = { hasFailed: false }
  const database = await compiledQuickly(() =>
    PGlite.create({
      startParams: [...PGlite.defaultStartParams, ...settings.flatMap((each) => ["-c", each])],
      onStderr: hear,
      ...(directory === undefined ? {} : { fs: syncedFiles(NodeFS, filesIn(directory), disk) })
    })
  )
  return { database, disk }
}

// What it would write as its last word may be wrong.
const closed = ({ database, disk }: Opened) =>
  disk.hasFailed ? Effect.void : Effect.promise(() => database.close())

const openedIn = (directory: string) =>
  Effect.acquireRelease(
    Effect.suspend(() => {
      const { hear, orElse } = lastWords()
      return Effect.tryPromise({
        try: () => startedIn(directory, hear),
        catch: (cause) => unreadable(filesIn(directory), orElse(cause))
      })
    }),
    closed
  )

const openedInMemory: Effect.Effect<Opened, never, Scope.Scope> = Effect.acquireRelease(
  Effect.promise(() => startedIn(undefined, () => false)),
  closed
)

/** One session: a pool of one waits for it in turn, and opens it anew should it break. */
const sessionsOf = ({ database, disk }: Opened, room: Room.Room) =>
  Client.pool({
    stream: () => sessionOver(database, room, disk),
    username: "postgres",
    database: "postgres",
    ssl: false,
    maxConnections: 1,
    minConnections: 1,
    applicationName: "bursar",
    // There is no network to be slow.
    connectTimeout: Duration.infinity,
    preparedStatementCacheSize: 250
  })

const over = <E>(
  database: Effect.Effect<Opened, E, Scope.Scope>,
  room: Effect.Effect<Room.Room> = Effect.succeed(Room.endless),
  files: { readonly files?: string } = {}
): Layer.Layer<Connection, E | SqlError> =>
  Layer.unwrap(
    Effect.gen(function* () {
      return Client.layer(yield* sessionsOf(yield* database, yield* room))
    })
  ).pipe(
    Layer.merge(
      Layer.sync(Engine, () => ({ kind: "embedded" as const, log: { isHeld: false }, ...files }))
    )
  )

/** Says in the log when there is no room to write any more, and when there is again. */
const roomIn = (directory: string, free: () => number) =>
  Effect.contextWith((context: Context.Context<never>) =>
    Effect.sync(() => {
      const say = Effect.runForkWith(context)
      return Room.make(free, (isThere, freeMib) => {
        const left = `${freeMib} MiB are free on the disk of ${directory}`
        say(
          isThere
            ? Effect.logWarning(`${left}: the database is written to again.`)
            : Effect.logError(
                `${left}: nothing is written to the database until there is room, and calls fail. Free some space.`
              )
        )
      })
    })
  )

/** Keeps its rows in a directory, which is created when it is missing and locked while it is open. */
export const layer = (settings: {
  readonly directory: string
  /** Bytes that are free on its disk; looked up where it is left out. */
  readonly free?: () => number
}): Layer.Layer<Connection, SqlError | DataDirectoryLock.Refused | EmbeddedDatabaseUnreadable> =>
  over(
    Effect.gen(function* () {
      yield* DataDirectoryLock.hold(settings.directory)
      return yield* openedIn(settings.directory)
    }),
    roomIn(settings.directory, settings.free ?? Room.freeIn(settings.directory)),
    { files: filesIn(settings.directory) }
  ).pipe((connection) => Layer.provideMerge(Upkeep.layer, connection))

/** Forgets everything when its scope closes. */
export const memory: Layer.Layer<Connection, SqlError> = over(openedInMemory)

/** On an engine that somebody else opened and will close; one at a time, as it has one session. */
export const on = (database: PGlite): Layer.Layer<Connection, SqlError> =>
  over(Effect.succeed({ database, disk: { hasFailed: false } }))
