/**
 * The lines of history as the key store knows them: beside the key-encryption key, where no standby and no backup of the
 * records brings an older one back. Each is a file of its own with the server that took it, so that a number is taken
 * once and the highest is never lowered.
 */
import { randomBytes } from "node:crypto"
import { chmod, link, mkdir, open, readdir, readFile, stat, unlink } from "node:fs/promises"
import { join } from "node:path"
import { Effect, Predicate } from "effect"
import type { Kept } from "../../core/timeline/timeline.ts"
import * as PrivateDirectory from "../disk/private-directory.ts"

const folderName = "records-timeline"

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

/** The highest line there ever was; undefined without one. What cannot be read is a defect: nothing is signed. */
export const read = (dataDirectory: string): Effect.Effect<Kept | undefined> =>
  Effect.promise(async () => {
    const folder = join(dataDirectory, folderName)
    const number = Math.max(0, ...(await namesIn(folder)).map(numberOf))
    if (number === 0) return undefined
    return { number, server: (await readFile(join(folder, String(number)), "utf8")).trim() }
  })

const flush = async (path: string) => {
  const folder = await open(path, "r")
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

const writeOnce = async (folder: string, { number, server }: Kept) => {
  const draft = join(folder, `draft-${randomBytes(8).toString("hex")}`)
  const file = await open(draft, "wx", 0o600)
  try {
    await file.writeFile(`${server}\n`)
    await file.sync()
  } finally {
    await file.close()
  }
  try {
    await link(draft, join(folder, String(number)))
  } catch (cause) {
    if (!hasCode(cause, "EEXIST")) throw cause
  } finally {
    await unlink(draft)
  }
}

/** Takes a number for a server, on the disk when it returns; nothing happens when the number is taken. */
export const take = Effect.fnUntraced(function* (dataDirectory: string, line: Kept) {
  yield* Effect.orDie(PrivateDirectory.secure(dataDirectory))
  const folder = join(dataDirectory, folderName)
  yield* Effect.promise(async () => {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    await writeOnce(folder, line)
    await flush(folder)
    await flush(dataDirectory)
  })
})

/** Leaves the lines that stand in a directory to their owner alone. */
export const secure = (dataDirectory: string): Effect.Effect<void> =>
  Effect.promise(async () => {
    const folder = join(dataDirectory, folderName)
    // A draft may be gone by the time it is looked at.
    for (const name of (await namesIn(folder)).filter((each) => numberOf(each) > 0)) {
      const path = join(folder, name)
      if (((await stat(path)).mode & 0o077) !== 0) await chmod(path, 0o600)
    }
  })

/** The lines that are kept in a directory. */
export const at = (directory: string) => ({
  read: read(directory),
  take: (line: Kept) => take(directory, line)
})
