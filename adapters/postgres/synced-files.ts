/**
 * The files of the embedded engine on this machine's disk. The engine is told that something is safe there only once the
 * disk has said so; by itself its package leaves that to the operating system, which may take half a minute.
 */
import { closeSync, fsyncSync, openSync } from "node:fs"
import type { PGlite } from "@electric-sql/pglite"
import type { NodeFS } from "@electric-sql/pglite/nodefs"
import { type Commands, haveNothingArchived } from "./no-archive.ts"

/** An open file or folder as the engine's own system of files knows it. */
interface Stream {
  readonly node: object
  /** Node's number of it. */
  readonly nfd?: number | null
}

/** The part of the engine's module that reaches the disk. */
interface Module extends Commands {
  readonly FS: { readonly ErrnoError: new (errno: number) => Error }
  readonly NODEFS: {
    readonly realPath: (node: object) => string
    readonly stream_ops: { fsync?: (stream: Stream) => number }
  }
}

/** "Input or output failed", as the engine numbers it. */
const failedOnDisk = 29

/**
 * Whether the disk has ever failed to keep what it was given. The system may have let that go and says so once, so nothing
 * that the engine does later counts: it is to be opened again, and goes on from what its log has.
 */
export interface Disk {
  hasFailed: boolean
}

/** Why it answers no more. */
export class DiskFailed extends Error {
  override readonly name = "DiskFailed"
  override readonly message =
    "the disk did not keep what was written to it, so it stays closed until this process is started again"
}

const syncFolder = (path: string) => {
  const folder = openSync(path, "r")
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

const syncThrough =
  ({ FS, NODEFS }: Module, disk: Disk) =>
  ({ nfd, node }: Stream): number => {
    try {
      if (typeof nfd === "number") fsyncSync(nfd)
      else syncFolder(NODEFS.realPath(node))
      return 0
    } catch {
      disk.hasFailed = true
      throw new FS.ErrnoError(failedOnDisk)
    }
  }

/** Takes the place of what the package would make of a path. */
export const syncedFiles = (Files: typeof NodeFS, directory: string, disk: Disk): NodeFS => {
  class SyncedFiles extends Files {
    override async init(database: PGlite, given: Parameters<NodeFS["init"]>[1]) {
      const made = await super.init(database, given)
      const reach = (module: unknown) => {
        const engine = module as Module
        engine.NODEFS.stream_ops.fsync = syncThrough(engine, disk)
        haveNothingArchived(engine)
      }
      const before = made.emscriptenOpts.preRun ?? []
      return { emscriptenOpts: { ...made.emscriptenOpts, preRun: [before, reach].flat() } }
    }
  }
  return new SyncedFiles(directory)
}
