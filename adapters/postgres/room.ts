/**
 * Whether there is room to write on the disk of the embedded database. PostgreSQL inside this process waits for ever,
 * and the process with it, where its log cannot begin its next file of 16 MiB; so writing ends well before.
 */
import { statfsSync } from "node:fs"

const mib = 1024 * 1024

/** Below the first nothing is written any more; from the second on it is again. */
const minFreeBytes = 48 * mib
const enoughFreeBytes = 64 * mib

/** Bytes that are free for this process on the disk of a directory. */
export const freeIn = (directory: string) => (): number => {
  const { bavail, bsize } = statfsSync(directory)
  return bavail * bsize
}

export interface Room {
  /** Asked before each transaction. */
  readonly isThere: () => boolean
}

/** Tells `changed` whenever the answer changes. */
export const make = (
  free: () => number,
  changed: (isThere: boolean, freeMib: number) => void
): Room => {
  let isThere = true
  return {
    isThere: () => {
      const bytes = free()
      const now = bytes >= (isThere ? minFreeBytes : enoughFreeBytes)
      if (now !== isThere) {
        isThere = now
        changed(now, Math.floor(bytes / mib))
      }
      return isThere
    }
  }
}

/** Where nothing lies on a disk. */
export const endless: Room = { isThere: () => true }
