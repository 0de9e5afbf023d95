/** Vitest over sources that hold all their mutants. What it is told stands in the environment (`main.ts`). */
import { mkdirSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { defineConfig } from "vitest/config"
import { BaseSequencer, type TestSpecification } from "vitest/node"
import { areas } from "./areas.ts"
import { instrument } from "./instrument.ts"

const here = dirname(fileURLToPath(import.meta.url))
const root = dirname(dirname(here))
const { MUTATION_ALONE, MUTATION_AREA = "money", MUTATION_OUT = "" } = process.env
const { modules, tests } = areas[MUTATION_AREA]
const { mutants, sources } = await instrument(root, modules)
mkdirSync(MUTATION_OUT, { recursive: true })
if (MUTATION_ALONE === undefined) {
  writeFileSync(`${MUTATION_OUT}/mutants.json`, JSON.stringify(mutants))
}

/** Files in the order in which the area names them. */
class NearestFirst extends BaseSequencer {
  async sort(files: Array<TestSpecification>) {
    return [...files].sort((one, other) => one.moduleId.localeCompare(other.moduleId))
  }
}

export default defineConfig({
  root,
  plugins: [
    {
      name: "mutants",
      enforce: "pre",
      load: (id) => sources.get(id.split("?")[0])
    }
  ],
  test: {
    root,
    include: [...tests],
    runner: `${here}/runner.ts`,
    pool: "forks",
    isolate: false,
    // Vitest keeps transformed modules by what the file on disk holds, and would mix runs up.
    fsModuleCache: false,
    maxWorkers: 1,
    fileParallelism: false,
    silent: true,
    // A mutant's connection may fail after its test has ended.
    dangerouslyIgnoreUnhandledErrors: true,
    // Endless loops are cut off by their turns; on a busy machine a test that is sound may take long.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    bail: MUTATION_ALONE === undefined ? 0 : 1,
    sequence: { sequencer: NearestFirst }
  }
})
