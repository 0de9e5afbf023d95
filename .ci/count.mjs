/**
 * Reads vitest's JSON reports, one for each run. It prints each failure, and `N passed, N failed` over all of
 * them. A skipped test, a test file that no run had, a file that did not load, an error outside of any test or
 * a report of nothing is a failure of its own, and then the line is not printed.
 *
 *   node .ci/count.mjs <report> <exit code of its run> [<report> <exit code> ...]
 */
import { readdirSync, readFileSync } from "node:fs"
import { resolve } from "node:path"

const words = process.argv.slice(2)
const runs = words.flatMap((path, at) =>
  at % 2 === 0 ? [{ report: JSON.parse(readFileSync(path, "utf8")), exitCode: words[at + 1] }] : []
)
const files = runs.flatMap(({ report }) => report.testResults)
const tests = files.flatMap((file) =>
  file.assertionResults.map((test) => ({ ...test, file: file.name }))
)
const named = (wanted) =>
  tests
    .filter(({ status }) => wanted.has(status))
    .map(({ file, fullName }) => `${file}: ${fullName}`)

const passed = named(new Set(["passed"])).length
const failed = named(new Set(["failed"])).length
const unrun = named(new Set(["skipped", "pending", "todo", "disabled"]))

const stop = (message) => {
  console.error(message)
  process.exit(1)
}

if (unrun.length > 0) stop(`Tests were skipped:\n${unrun.join("\n")}`)
if (passed + failed === 0) stop("No test ran.")
const ran = files.map(({ name }) => resolve(name))
const twice = ran.filter((name, at) => ran.indexOf(name) !== at)
if (twice.length > 0) stop(`Files were run twice:\n${twice.join("\n")}`)
const left = readdirSync("test", { recursive: true })
  .filter((name) => /\.test\.tsx?$/u.test(name))
  .map((name) => resolve("test", name))
  .filter((name) => !ran.includes(name))
if (left.length > 0) stop(`Files were not run:\n${left.join("\n")}`)
const unloaded = files
  .filter(
    (file) =>
      file.status === "failed" && file.assertionResults.every((test) => test.status === "passed")
  )
  .map((file) => `${file.name}: ${file.message}`)
if (unloaded.length > 0) stop(`Files failed outside of their tests:\n${unloaded.join("\n")}`)
if (failed === 0 && runs.some(({ report, exitCode }) => exitCode !== "0" || !report.success))
  stop("Something failed outside of the tests.")

for (const { file, fullName, failureMessages } of tests.filter(({ status }) => status === "failed"))
  console.error(`\nFailed: ${file}: ${fullName}\n${failureMessages.join("\n").slice(0, 2_000)}`)

console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
