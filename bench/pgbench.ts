/** PostgreSQL's own load: one script of statements, prepared, over so many connections. */
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { sliceSeconds } from "./measure.ts"

const run = promisify(execFile)

export const isInstalled = async (): Promise<boolean> =>
  run("pgbench", ["--version"]).then(
    () => true,
    () => false
  )

export interface Script {
  readonly file: string
  readonly url: string
  readonly connections: number
  readonly variables: Readonly<Record<string, string>>
}

/** Transactions per second of one slice. */
export const slice = async ({ connections, file, url, variables }: Script): Promise<number> => {
  const named = Object.entries(variables).flatMap(([name, value]) => ["-D", `${name}=${value}`])
  const counts = ["-c", String(connections), "-j", "1", "-T", String(Math.ceil(sliceSeconds))]
  const options = ["-n", "-M", "prepared", ...counts, "-f", join(import.meta.dirname, file)]
  const { stdout } = await run("pgbench", [...options, ...named, url])
  const perSecond = /tps = ([\d.]+)/u.exec(stdout)?.[1]
  if (perSecond === undefined || !/failed transactions: 0 /u.test(stdout)) throw new Error(stdout)
  return Number(perSecond)
}

/** A statement by its verb and its table; what opens and ends a transaction is not among them. */
export const gist = (statement: string): string | undefined => {
  const words = /\b(?:(select|delete)\b.*?\bfrom|(insert)\s+into|(update))\s+"?(\w+)/isu.exec(
    statement
  )
  if (words === null) return undefined
  const [, read, insert, update, table] = words
  return `${(read ?? insert ?? update)?.toLowerCase()} ${table}`
}

/** The statements of a script, in order, without its comments. */
export const statementsOf = (file: string): ReadonlyArray<string> =>
  readFileSync(join(import.meta.dirname, file), "utf8")
    .replaceAll(/^--.*$/gmu, "")
    .split(";")
    .map((statement) => statement.trim())
    .filter((statement) => statement !== "")

export const gists = (file: string): ReadonlyArray<string> =>
  statementsOf(file).flatMap((statement) => gist(statement) ?? [])
