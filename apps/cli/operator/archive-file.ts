/**
 * Writes a file of texts that leave the records, so that it is whole on the disk under its name or is not there: synced,
 * read back and hashed before anybody is told of it.
 */
import { createHash, randomUUID } from "node:crypto"
import { createReadStream } from "node:fs"
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import * as Exit from "../exit.ts"

const ownerOnly = 0o700

const trouble = (path: string) => (error: unknown) =>
  Exit.refused(
    `${path}: ${error instanceof Error ? error.message : "it cannot be used"}. Nothing was dropped.`
  )

const tried = <A>(path: string, act: () => Promise<A>) =>
  Effect.tryPromise({ try: act, catch: trouble(path) })

/** A name is on the disk once its folder is. */
const syncFolder = async (folder: string) => {
  const handle = await open(folder, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Makes a folder, and syncs the folders that its name stands in. */
export const makeFolder = (folder: string) =>
  tried(folder, async () => {
    const made = await mkdir(folder, { recursive: true, mode: ownerOnly })
    if (made === undefined) return
    for (let name = folder; name.length >= made.length; name = dirname(name)) {
      await syncFolder(dirname(name))
    }
  })

const draftEnd = ".part"
/** Whoever writes a draft writes on all the time; one that was left for so long is of a run that was killed. */
const leftMs = 3_600_000

const removeLeft = async (folder: string, draft: string) => {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${draft}.`) || !name.endsWith(draftEnd)) continue
    const path = join(folder, name)
    const { mtimeMs } = await stat(path)
    if (Date.now() - mtimeMs > leftMs) await rm(path, { force: true })
  }
}

/**
 * Writes what `work` hands over to a file that gets its name from what comes of it; without a name it goes. Each run has
 * a draft of its own, so that two of them never write to one file.
 */
export const writing = <A, E, R>(
  folder: string,
  draft: string,
  work: (write: (text: string) => Effect.Effect<void, Exit.Stopped>) => Effect.Effect<A, E, R>,
  nameOf: (done: A) => string | undefined
) => {
  const path = join(folder, `${draft}.${randomUUID()}${draftEnd}`)
  return Effect.acquireUseRelease(
    tried(path, async () => {
      await removeLeft(folder, draft)
      return open(path, "wx", 0o600)
    }),
    (file) =>
      Effect.gen(function* () {
        const done = yield* work((text) => Effect.asVoid(tried(path, () => file.appendFile(text))))
        yield* tried(path, () => file.sync())
        const name = nameOf(done)
        if (name === undefined) return done
        yield* tried(path, async () => {
          await rename(path, join(folder, name))
          await syncFolder(folder)
        })
        return done
      }),
    (file) =>
      Effect.promise(async () => {
        await file.close()
        await rm(path, { force: true })
      })
  )
}

/** The hash over all of a file, in hex; undefined where there is none. */
export const sha256Of = (path: string) =>
  tried(path, async () => {
    const digest = createHash("sha256")
    try {
      for await (const chunk of createReadStream(path)) digest.update(chunk as Buffer)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
      throw error
    }
    return digest.digest("hex")
  })
