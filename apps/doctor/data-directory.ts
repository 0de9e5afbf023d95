/** The data directory: there, its owner's alone, and with room on its disk. */
import { existsSync, statfsSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { Effect } from "effect"
import * as PrivateDirectory from "../../adapters/disk/private-directory.ts"
import { type Finding, ok, problem, warning } from "./finding.ts"

const mib = 1024 * 1024

/** Below this an embedded database may stop in the middle of its work. */
const minFreeMib = 256
const lowFreeMib = 2048

/** The nearest directory above that is there: what will be made lies on its disk. */
const standing = (directory: string): string =>
  existsSync(directory) ? directory : standing(dirname(resolve(directory)))

const roomIn = (directory: string): Finding => {
  const { bavail, bsize } = statfsSync(standing(directory))
  const freeMib = Math.floor((bavail * bsize) / mib)
  const room = `${freeMib} MiB are free on the disk of ${directory}`
  if (freeMib < minFreeMib) {
    return problem("disk", `${room}. Free some space, or set BURSAR_DATA_DIR to another disk.`)
  }
  return freeMib < lowFreeMib
    ? warning("disk", `${room}. Free some space before it is full.`)
    : ok("disk", `${room}.`)
}

export const examine = (directory: string): Effect.Effect<ReadonlyArray<Finding>> =>
  existsSync(directory)
    ? PrivateDirectory.secure(directory).pipe(
        Effect.match({
          onFailure: ({ message }) => [problem("data directory", message)],
          onSuccess: (path) => [
            ok("data directory", `${path} is open to its own user alone.`),
            roomIn(directory)
          ]
        })
      )
    : Effect.succeed([
        warning(
          "data directory",
          `There is no ${directory} yet; the first start makes it. If there should be one, set BURSAR_DATA_DIR.`
        ),
        roomIn(directory)
      ])
