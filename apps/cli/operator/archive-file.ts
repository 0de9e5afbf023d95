/**
 * Writes a file of texts that leave the records, so that it is whole on the disk under its name or is not there: synced,
 * read back and hashed before anybody is told of it.
 */
import { createHash } from "node:crypto"
import { createReadStream } from "node:fs"
import { mkdir, open, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { Effect } from "effect"
import * as Exit from "../exit.ts"

const ownerOnly = 0o700

const trouble = (path: string) => (error: unknown) =>
  Exit.refused(
    `${path}: ${error instanceof Error ? error.message : "it cannot be used"}. Nothing was dropped.`
  )

const tried = <A>(path: string, act: () => Promise<A>) =>
  Effect.tryPromise({ try: act, catch: trouble(path) })

export const makeFolder = (folder: string) =>
  tried(folder, () => mkdir(folder, { recursive: true, mode: ownerOnly }))

/** A name is on the disk once its folder is. */
const syncFolder = async (folder: string) => {
  const handle = await open(folder, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** Writes what `work` hands over to a file that gets its name from what comes of it; without a name it goes. */
export const writing = <A, E, R>(
  folder: string,
  draft: string,
  work: (write: (text: string) => Effect.Effect<void, Exit.Stopped>) => Effect.Effect<A, E, R>,
  nameOf: (done: A) => string | undefined
) => {
  const path = join(folder, draft)
  return Effect.acquireUseRelease(
    tried(path, () => open(path, "w", 0o600)),
    (file) =>
      Effect.gen(function* () {
        const done = yield* work((text) => Effect.asVoid(tried(path, () => file.appendFile(text))))
        yield* tried(path, () => file.sync())
        const name = nameOf(done)
        yield* tried(path, async () => {
          if (name === undefined) return rm(path)
          await rename(path, join(folder, name))
          await syncFolder(folder)
        })
        return done
      }),
    (file) => Effect.promise(() => file.close())
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
