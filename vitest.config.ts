/** How tests run: a project for each lane of `test/lanes.ts`, around one PostgreSQL server that starts when first asked for. */
import { availableParallelism } from "node:os"
import { relative } from "node:path"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { excludeOf, isHeavy, type Lane, lanes, longest } from "./test/lanes.ts"

/** As vitest orders files, but those that are known to take longest before the others of their group. */
class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>) {
    const placeOf = ({ moduleId, project }: TestSpecification) => {
      const at = longest.indexOf(relative(import.meta.dirname, moduleId))
      return [project.config.sequence.groupOrder, at === -1 ? longest.length : at] as const
    }
    return (await super.sort(files)).toSorted((one, other) => {
      const [[group, place], [otherGroup, otherPlace]] = [placeOf(one), placeOf(other)]
      return group - otherGroup || place - otherPlace
    })
  }
}

// Projects of one group run side by side, and groups one after the other.
const groupOf = (lane: Lane) => (lane.isTimed ? 2 : isHeavy(lane) ? 1 : 0)

export default defineConfig({
  test: {
    globalSetup: ["test/support/global-setup.ts"],
    sequence: { sequencer: LongestFirst },
    // Much of a test's time is another process's: a database, a chain, a service that starts.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    projects: lanes.map((lane) => ({
      test: {
        name: lane.name,
        include: [...lane.include],
        exclude: [...excludeOf(lane)],
        isolate: lane.isolate,
        setupFiles: lane.isolate ? [] : ["test/support/every-kind.ts"],
        sequence: { groupOrder: groupOf(lane) },
        // Some files set the umask, which a thread may not.
        pool: "forks",
        testTimeout: 30_000,
        hookTimeout: 60_000
      }
    }))
  }
})
