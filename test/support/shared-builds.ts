/**
 * What the test files of one run need built: the bundles they start processes from, and the compiled package. The first
 * file that asks builds it, in a folder of the run's; it is built anew before a watched run repeats.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"

/** Names the folder of the run to each of its processes. */
const variable = "BURSAR_TEST_BUILDS"

export interface Built {
  readonly folder: string
  readonly remove: () => void
}

const remove = (folder: string) => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })

/** Opens the folder of a run; gives back how to empty it, and how to remove it. */
export const open = () => {
  const folder = mkdtempSync(join(tmpdir(), "bursar-builds-"))
  process.env[variable] = folder
  return {
    empty: () => {
      remove(folder)
      mkdirSync(folder)
    },
    close: () => remove(folder)
  }
}

/** Whether nobody else is at it. */
const begins = (making: string): boolean => {
  try {
    mkdirSync(making)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false
    throw error
  }
}

/** What is built under a name, by this process or by another of the run; outside of a run, by this one for itself. */
export const built = async (
  name: string,
  make: (folder: string) => Promise<unknown>
): Promise<Built> => {
  const shared = process.env[variable]
  if (shared === undefined) {
    const folder = mkdtempSync(join(tmpdir(), `bursar-${name}-`))
    await make(folder)
    return { folder, remove: () => remove(folder) }
  }
  const folder = join(shared, name)
  const making = `${folder}.making`
  while (!existsSync(folder)) {
    // Another process tells nobody when it has built it; this only paces the asking.
    if (!begins(making)) await setTimeout(50)
    else if (existsSync(folder)) remove(making)
    else {
      try {
        await make(making)
        renameSync(making, folder)
      } finally {
        remove(making)
      }
    }
  }
  return { folder, remove: () => undefined }
}
