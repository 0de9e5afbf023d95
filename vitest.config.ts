/** How tests run: a project for each lane of `test/lanes.ts`, around one PostgreSQL server that starts when first asked for. */
import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { excludeOf, lanes } from "./test/lanes.ts"

export default defineConfig({
  test: {
    globalSetup: ["test/support/global-setup.ts"],
    // Much of a test's time is another process's: a database, a chain, a service that starts.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: lanes.map((lane) => ({
      test: {
        name: lane.name,
        include: [...lane.include],
        exclude: [...excludeOf(lane)],
        isolate: lane.isolate,
        // Projects of one group run side by side, and groups one after the other.
        sequence: { groupOrder: lane.isTimed ? 1 : 0 },
        // Some files set the umask, which a thread may not.
        pool: "forks",
        testTimeout: 30_000,
        hookTimeout: 60_000
      }
    }))
  }
})
