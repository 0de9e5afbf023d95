/**
 * The lines of history as the key store knows them: beside the key-encryption key, where no standby and no backup of the
 * records brings an older one back. Each is a file of its own with the server that took it, so that a number is taken
 * once and the highest is never lowered.
 */
import { randomBytes } from "node:crypto"
import { chmod, link, mkdir, open, readdir, readFile, stat, unlink } from "node:fs/promises"
import { join } from "node:path"
import { Clock, Data, Effect, Predicate } from "effect"
import type { Kept, KeyStore } from "../../core/timeline/timeline.ts"
import * as PrivateDirectory from "../disk/private-directory.ts"
import { oneAtATime } from "./one-at-a-time.ts"

const folderName = "records-timeline"
/** Tells this key store from an empty folder and from any other. */
const idName = "id"

/** How long the disk may take; a network file system that is away takes for ever. */
const limitMs = 2000

const hasCode = (cause: unknown, code: string) =>
  Predicate.hasProperty(cause, "code") && cause.code === code

const numberOf = (name: string) => (/^[1-9]\d{0,14}$/u.test(name) ? Number(name) : 0)

const namesIn = async (folder: string) => {
  try {
    return await readdir(folder)
  } catch (cause) {
    if (hasCode(cause, "ENOENT")) return []
    throw cause
  }
}

type Found = Pick<KeyStore, "id" | "kept">

/** What stands there: the highest line there ever was, and what the key store is known by. */
const readIn = async (dataDirectory: string): Promise<Found> => {
  const folder = join(dataDirectory, folderName)
  const names = await namesIn(folder)
  const contentOf = async (name: string) => (await readFile(join(folder, name), "utf8")).trim()
  const id = names.includes(idName) ? await contentOf(idName) : undefined
  const number = Math.max(0, ...names.map(numberOf))
  if (number === 0) return { id, kept: undefined }
  return { id, kept: { number, server: await contentOf(String(number)) } }
}

/** The highest line there ever was; undefined without one. */
export const read = (dataDirectory: string): Effect.Effect<Kept | undefined> =>
  Effect.map(
    Effect.promise(() => readIn(dataDirectory)),
    ({ kept }) => kept
  )

const flush = async (path: string) => {
  const folder = await open(path, "r")
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

const writeOnce = async (folder: string, name: string, content: string) => {
  const draft = join(folder, `draft-${randomBytes(8).toString("hex")}`)
  const file = await open(draft, "wx", 0o600)
  try {
    await file.writeFile(`${content}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  try {
    await link(draft, join(folder, name))
  } catch (cause) {
    if (!hasCode(cause, "EEXIST")) throw cause
  } finally {
    await unlink(draft)
  }
}

/** Takes a number for a server, on the disk when it returns; nothing happens when the number is taken. */
export const take = Effect.fnUntraced(function* (dataDirectory: string, { number, server }: Kept) {
  yield* Effect.orDie(PrivateDirectory.secure(dataDirectory))
  const folder = join(dataDirectory, folderName)
  yield* Effect.promise(async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeOnce(folder, idName, randomBytes(16).toString("hex"))
    await writeOnce(folder, String(number), server)
    await flush(folder)
    await flush(dataDirectory)
  })
})

/** Leaves the lines that stand in a directory to their owner alone. */
export const secure = (dataDirectory: string): Effect.Effect<void> =>
  Effect.promise(async () => {
    const folder = join(dataDirectory, folderName)
    const isOurs = (name: string) => name === idName || numberOf(name) > 0
    // A draft may be gone by the time it is looked at.
    for (const name of (await namesIn(folder)).filter(isOurs)) {
      const path = join(folder, name)
      if (((await stat(path)).mode & 0o077) !== 0) await chmod(path, 0o600)
    }
  })

/** Nobody can tell what the key store says. */
export class KeyStoreSilent extends Data.TaggedError("KeyStoreSilent")<{
  readonly detail: string
}> {}

/** Why a folder that nobody else is known to have does not say what it said before. */
const lowered = (directory: string, before: Found | undefined, { id, kept }: Found) =>
  before?.kept !== undefined && (id !== before.id || (kept?.number ?? 0) < before.kept.number)
    ? `${directory} lacks what was kept there before. Is it mounted? If its content is lost, end all processes on other servers and start this one again.`
    : undefined

export interface Place {
  readonly directory: string
  /** Whether it is the folder of all processes. */
  readonly isShared: boolean
  /** Reads the folder; the disk's own when left out. */
  readonly reading?: (directory: string) => Promise<Found>
}

/** The lines that are kept in a directory. */
export const at = ({ directory, isShared, reading = readIn }: Place) => {
  let before: Found | undefined
  let askedMs = 0
  let hangsSinceMs: number | undefined
  const asked = oneAtATime(async () => {
    hangsSinceMs = askedMs
    try {
      return await reading(directory)
    } finally {
      hangsSinceMs = undefined
    }
  })
  const late = new KeyStoreSilent({ detail: `${directory} does not answer.` })
  return {
    /** Read anew, within a time; whoever asks of a disk that hangs is answered at once. */
    read: Effect.gen(function* () {
      askedMs = yield* Clock.currentTimeMillis
      if (hangsSinceMs !== undefined && askedMs - hangsSinceMs > limitMs) return yield* late
      const found = yield* Effect.tryPromise({
        try: asked,
        catch: (cause) => new KeyStoreSilent({ detail: `${directory}: ${String(cause)}` })
      }).pipe(Effect.timeoutOrElse({ duration: limitMs, orElse: () => late }))
      // The records say which shared one is theirs, also to a process that has just started.
      const detail = isShared ? undefined : lowered(directory, before, found)
      if (detail !== undefined) return yield* new KeyStoreSilent({ detail })
      before = found
      return { ...found, isShared }
    }),
    take: (line: Kept) =>
      take(directory, line).pipe(
        Effect.timeoutOrElse({ duration: limitMs, orElse: () => Effect.die(late) })
      )
  }
}
