/**
 * The data directory is its owner's alone. PGlite makes files that everybody may read and write whatever
 * the umask, so whoever opens the directory makes it 0700 first, or is refused with what to do.
 */
import { chmodSync, mkdirSync, realpathSync, statSync } from "node:fs"
import { isMainThread } from "node:worker_threads"
import { Data, Effect } from "effect"

/** What is wrong and what to do. */
export class DataDirectoryRefused extends Data.TaggedError("DataDirectoryRefused")<{
  readonly directory: string
  readonly message: string
}> {}

const ownerOnly = 0o700

/** Modes and owners mean nothing there. */
const hasModes = process.platform !== "win32"

/** What this process makes from now on is for its own user alone; threads share the umask of the first. */
export const keepToSelf = (): void => {
  if (isMainThread) process.umask(0o077)
}

const refuse = (directory: string, why: string) =>
  new DataDirectoryRefused({ directory, message: `The data directory ${directory} ${why}` })

const elsewhere = "or set BURSAR_DATA_DIR to another directory."

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code

const modeOf = (directory: string) => statSync(directory).mode & 0o777

const narrow = (directory: string): DataDirectoryRefused | undefined => {
  if (modeOf(directory) === ownerOnly) return undefined
  try {
    chmodSync(directory, ownerOnly)
  } catch (error) {
    return refuse(
      directory,
      `can be opened by other users, and chmod 700 fails (${codeOf(error)}); run chmod as its owner, ${elsewhere}`
    )
  }
  // Some file systems take a mode and keep none.
  return modeOf(directory) === ownerOnly
    ? undefined
    : refuse(
        directory,
        `is on a file system without file modes, so other users could open it; move it to another one, ${elsewhere}`
      )
}

const secured = (named: string): string | DataDirectoryRefused => {
  keepToSelf()
  let directory: string
  try {
    mkdirSync(named, { recursive: true, mode: ownerOnly })
    directory = realpathSync(named)
  } catch (error) {
    return refuse(
      named,
      `can be neither read nor created (${codeOf(error)}); correct its path, ${elsewhere}`
    )
  }
  if (!hasModes) return directory
  const { uid } = statSync(directory)
  return uid === process.geteuid?.()
    ? (narrow(directory) ?? directory)
    : refuse(
        directory,
        `belongs to the user with id ${uid}; run this as that user, change its owner with chown, ${elsewhere}`
      )
}

/** Makes the directory when it is missing and leaves it to its owner alone; gives back its real path. */
export const secure = (directory: string): Effect.Effect<string, DataDirectoryRefused> =>
  Effect.suspend(() => {
    const found = secured(directory)
    return typeof found === "string" ? Effect.succeed(found) : Effect.fail(found)
  })
