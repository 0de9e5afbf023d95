/**
 * Reads vitest's JSON report and prints `N passed, N failed`. A skipped test, a file that did not load, an
 * error outside of any test or a report of nothing is a failure of its own, and then the line is not printed.
 */
import { readFileSync } from "node:fs"

const [path, status] = process.argv.slice(2)
const report = JSON.parse(readFileSync(path, "utf8"))
const tests = report.testResults.flatMap((file) =>
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
const unloaded = report.testResults
  .filter(
    (file) =>
      file.status === "failed" && file.assertionResults.every((test) => test.status === "passed")
  )
  .map((file) => `${file.name}: ${file.message}`)
if (unloaded.length > 0) stop(`Files failed outside of their tests:\n${unloaded.join("\n")}`)
if (failed === 0 && (status !== "0" || !report.success))
  stop("Something failed outside of the tests.")

console.log(`${passed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)
