/** A folder of a test's own, which goes with the scope. */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"

/** Its name begins with `prefix`. */
export const temporaryFolder = (prefix: string) =>
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), prefix))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
