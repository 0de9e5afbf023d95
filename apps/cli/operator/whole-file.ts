/**
 * Writes a file so that it is whole on the disk under its name or is not there: synced before it gets its name, and its
 * folder synced before anybody is told of it.
 */
import { randomUUID } from "node:crypto"
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises"
import { dirname, join } from "node:path"
import { Effect } from "effect"
import * as Exit from "../exit.ts"

const ownerOnly = 0o700

/** A name is on the disk once its folder is. */
export const syncFolder = async (folder: string) => {
  const handle = await open(folder, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

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

/** So much is written at most before the disk has it: a disk that has much to catch up on keeps others waiting. */
const unsyncedBytes = 8 * 1024 * 1024

/** `otherwise` is said of what was not done where the disk refuses something. */
export const files = (otherwise: string) => {
  const tried = <A>(path: string, act: () => Promise<A>) =>
    Effect.tryPromise({
      try: act,
      catch: (error) =>
        Exit.refused(
          `${path}: ${error instanceof Error ? error.message : "it cannot be used"}. ${otherwise}`
        )
    })

  /** Makes a folder, and syncs the folders that its name stands in. */
  const makeFolder = (folder: string) =>
    tried(folder, async () => {
      const made = await mkdir(folder, { recursive: true, mode: ownerOnly })
      if (made === undefined) return
      for (let name = folder; name.length >= made.length; name = dirname(name)) {
        await syncFolder(dirname(name))
      }
    })

  /**
   * Writes what `work` hands over to a file that gets its name from what comes of it; without a name it goes. Each run has
   * a draft of its own, so that two of them never write to one file.
   */
  const writing = <A, E, R>(
    folder: string,
    draft: string,
    work: (
      write: (content: string | Uint8Array) => Effect.Effect<void, Exit.Stopped>
    ) => Effect.Effect<A, E, R>,
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
          let unsynced = 0
          const done = yield* work((content) =>
            tried(path, async () => {
              await file.appendFile(content)
              unsynced += content.length
              if (unsynced < unsyncedBytes) return
              unsynced = 0
              await file.datasync()
            })
          )
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

  return { makeFolder, tried, writing }
}
