/**
 * I13: another account's ids in the operations of sending, counted from the suite's own table test over
 * REST and as tools, which is run here by itself.
 */
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Part } from "./part.ts"

const operations = [
  "propose_transfer",
  "confirm_proposal",
  "get_proposal",
  "cancel_proposal",
  "simulate_transfer",
  "revoke_recipient"
]

const root = join(import.meta.dirname, "../..")

interface Report {
  readonly testResults: ReadonlyArray<{
    readonly assertionResults: ReadonlyArray<{
      readonly fullName: string
      readonly status: string
    }>
  }>
}

const reported = (): Promise<Report> => {
  const directory = mkdtempSync(join(tmpdir(), "bursar-foreign-"))
  const file = join(directory, "report.json")
  const vitest = join(root, "node_modules/vitest/vitest.mjs")
  const test = "test/surfaces/foreign-ids.test.ts"
  const only = ["-t", `is to (${operations.join("|")}) as an unknown`]
  const args = [vitest, "run", test, ...only, "--reporter=json", `--outputFile=${file}`]
  return new Promise<Report>((resolve, reject) => {
    execFile(process.execPath, args, { cwd: root }, (_, said, failed) => {
      try {
        resolve(JSON.parse(readFileSync(file, "utf8")) as Report)
      } catch {
        reject(new Error(`The suite told nothing:\n${said}${failed}`))
      }
    })
  }).finally(() => rmSync(directory, { recursive: true, force: true }))
}

export const part: Part = {
  name: "foreign",
  promise: "another account's ids are in sending as unknown as any",
  run: async () => {
    const { testResults } = await reported()
    const ran = testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status }) => status === "passed" || status === "failed")
    const passed = ran.filter(({ status }) => status === "passed")
    const told = operations.filter((name) =>
      passed.some(({ fullName }) => fullName.includes(`is to ${name} as`))
    )
    return [
      {
        invariant: "I13",
        what: "another account's ids in the operations of sending",
        seen:
          `${told.length} operations, ${ran.length} fields and surfaces, ` +
          `${ran.length - passed.length} told apart from an unknown id`,
        holds: passed.length === ran.length && told.length === operations.length
      }
    ]
  }
}
