/**
 * One process at a time owns a data directory. The lock is a file that names its owner; it is taken over
 * only when that process is provably gone, by its id and, where the system tells it, its start time.
 */
import {
  existsSync,
  linkSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync
} from "node:fs"
import { join } from "node:path"
import { Data, Effect, type Scope } from "effect"
import * as PrivateDirectory from "../disk/private-directory.ts"

export class DataDirectoryInUse extends Data.TaggedError("DataDirectoryInUse")<{
  readonly directory: string
  /** The process that has it open. */
  readonly pid: number
}> {
  override get message() {
    return `The data directory ${this.directory} is in use by process ${this.pid}; stop that process, or choose another directory.`
  }
}

interface Owner {
  readonly pid: number
  /** The process's start in clock ticks since boot; null where the system does not tell. */
  readonly startedTicks: string | null
}

const fileName = "lock"

/** Directories this process holds: a lock with its own id is otherwise one of an earlier run. */
const lockedHere = new Set<string>()

const startedTicks = (pid: number): string | null => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The command name before may hold spaces and parentheses; the start time is the 22nd field.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? null
  } catch {
    return null
  }
}

const exists = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Another user's process may not be signalled, but it is there.
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

const isAlive = (owner: Owner): boolean => {
  if (!exists(owner.pid)) return false
  const ticks = startedTicks(owner.pid)
  return ticks === null || owner.startedTicks === null || ticks === owner.startedTicks
}

const readOwner = (file: string): Owner | undefined => {
  try {
    const { pid, startedTicks } = JSON.parse(readFileSync(file, "utf8"))
    return Number.isInteger(pid) ? { pid, startedTicks: startedTicks ?? null } : undefined
  } catch {
    return undefined
  }
}

const errorCode = (error: unknown) => (error as NodeJS.ErrnoException).code

/** Makes the lock file appear with its content at once; false when there is one already. */
const appear = (file: string, owner: Owner): boolean => {
  const draft = `${file}.${owner.pid}`
  writeFileSync(draft, JSON.stringify(owner), { mode: 0o600 })
  try {
    linkSync(draft, file)
    return true
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false
    throw error
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Moves a dead owner's lock out of the way; puts back one that was taken over meanwhile. */
const clear = (file: string, dead: Owner | undefined) => {
  const aside = `${file}.${process.pid}.aside`
  try {
    renameSync(file, aside)
  } catch (error) {
    if (errorCode(error) === "ENOENT") return
    throw error
  }
  const moved = readOwner(aside)
  if (moved !== undefined && moved.pid !== dead?.pid && isAlive(moved)) {
    try {
      linkSync(aside, file)
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error
    }
  }
  rmSync(aside, { force: true })
}

const take = (directory: string): DataDirectoryInUse | undefined => {
  const file = join(directory, fileName)
  const self: Owner = { pid: process.pid, startedTicks: startedTicks(process.pid) }
  if (lockedHere.has(directory)) return new DataDirectoryInUse({ directory, pid: self.pid })
  while (!appear(file, self)) {
    const owner = readOwner(file)
    if (owner !== undefined && owner.pid !== self.pid && isAlive(owner)) {
      return new DataDirectoryInUse({ directory, pid: owner.pid })
    }
    clear(file, owner)
  }
  lockedHere.add(directory)
  return undefined
}

const living = (directory: string): Owner | undefined => {
  const owner = readOwner(join(directory, fileName))
  const isHeld = owner?.pid === process.pid ? lockedHere.has(directory) : true
  return owner !== undefined && isHeld && isAlive(owner) ? owner : undefined
}

/** How whoever would open a directory that somebody holds is refused; nothing is changed. */
export const heldBy = (named: string): DataDirectoryInUse | undefined => {
  if (!existsSync(named)) return undefined
  const directory = realpathSync(named)
  const owner = living(directory)
  return owner && new DataDirectoryInUse({ directory, pid: owner.pid })
}

const release = (directory: string) => {
  lockedHere.delete(directory)
  const file = join(directory, fileName)
  if (readOwner(file)?.pid === process.pid) rmSync(file, { force: true })
}

export type Refused = DataDirectoryInUse | PrivateDirectory.DataDirectoryRefused

/** Holds a directory, created when it is missing and its owner's alone, until the scope closes. */
export const hold = (directory: string): Effect.Effect<void, Refused, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.flatMap(PrivateDirectory.secure(directory), (path) => {
      const refused = take(path)
      return refused === undefined ? Effect.succeed(path) : Effect.fail(refused)
    }),
    (path) => Effect.sync(() => release(path))
  ).pipe(Effect.asVoid)
