/** What `.ci/count.mjs` makes of reports: it counts all runs together, and prints nothing that hides a test. */
import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, it } from "@effect/vitest"

const count = join(import.meta.dirname, "../.ci/count.mjs")
const folder = mkdtempSync(join(tmpdir(), "bursar-count-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

mkdirSync(join(folder, "test/kill"), { recursive: true })
writeFileSync(join(folder, "test/one.test.ts"), "")
writeFileSync(join(folder, "test/kill/two.test.ts"), "")

const one = join(folder, "test/one.test.ts")
const two = join(folder, "test/kill/two.test.ts")

const fileOf = (name: string, ...statuses: ReadonlyArray<string>) => ({
  name,
  status: statuses.every((status) => status === "passed") ? "passed" : "failed",
  message: "",
  assertionResults: statuses.map((status, at) => ({
    status,
    fullName: `${status} ${at}`,
    failureMessages: status === "failed" ? ["expected 1 to be 2"] : []
  }))
})

type File = ReturnType<typeof fileOf>

interface Run {
  readonly files: ReadonlyArray<File>
  readonly exitCode?: number
}

const counted = (...runs: ReadonlyArray<Run>) => {
  const words = runs.flatMap(({ files, exitCode = 0 }, at) => {
    const report = join(folder, `${at}.json`)
    writeFileSync(report, JSON.stringify({ success: exitCode === 0, testResults: files }))
    return [report, String(exitCode)]
  })
  const { status, stdout, stderr } = spawnSync(process.execPath, [count, ...words], {
    cwd: folder,
    encoding: "utf8"
  })
  return { status, stdout, stderr }
}

it("counts the tests of all runs in one line", () => {
  const { status, stdout } = counted(
    { files: [fileOf(one, "passed", "passed")] },
    { files: [fileOf(two, "passed")] }
  )
  assert.deepStrictEqual({ status, stdout }, { status: 0, stdout: "3 passed, 0 failed\n" })
})

it("counts failures, says what they were, and fails", () => {
  const { status, stderr, stdout } = counted(
    { files: [fileOf(one, "passed", "failed")], exitCode: 1 },
    { files: [fileOf(two, "failed")], exitCode: 1 }
  )
  assert.deepStrictEqual({ status, stdout }, { status: 1, stdout: "1 passed, 2 failed\n" })
  assert.include(stderr, `Failed: ${one}: failed 1\nexpected 1 to be 2`)
})

const broken: ReadonlyArray<readonly [string, ReadonlyArray<Run>, RegExp]> = [
  ["a file that no run had", [{ files: [fileOf(one, "passed")] }], /not run:\n.*two\.test\.ts/u],
  [
    "a skipped test",
    [{ files: [fileOf(one, "passed", "skipped"), fileOf(two, "passed")] }],
    /skipped:\n.*one\.test\.ts/u
  ],
  [
    "a file that two runs had",
    [{ files: [fileOf(one, "passed"), fileOf(two, "passed")] }, { files: [fileOf(two, "passed")] }],
    /run twice:\n.*two\.test\.ts/u
  ],
  [
    "a file that did not load",
    [
      { files: [fileOf(one, "passed")] },
      { files: [{ ...fileOf(two), status: "failed", message: "It is broken." }], exitCode: 1 }
    ],
    /outside of their tests:\n.*It is broken\./u
  ],
  [
    "an error outside of the tests, of the first run as well",
    [{ files: [fileOf(one, "passed")], exitCode: 1 }, { files: [fileOf(two, "passed")] }],
    /outside of the tests/u
  ],
  ["a report of nothing", [{ files: [] }], /No test ran/u]
]

for (const [what, runs, said] of broken) {
  it(`prints no line about ${what}`, () => {
    const { status, stdout, stderr } = counted(...runs)
    assert.deepStrictEqual({ status, stdout }, { status: 1, stdout: "" })
    assert.match(stderr, said)
  })
}
