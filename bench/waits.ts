/**
 * What a PostgreSQL that logs its waits for locks says of them, each under its own process, so that no wait is told of
 * another's statement; and whose an advisory lock is, which the log tells only as a number.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { ofLedgers, ofOutlay, space } from "../adapters/postgres/advisory-lock.ts"

/** Every wait of more than a millisecond is logged, after the process that waited. */
export const settings = ["log_lock_waits=on", "deadlock_timeout=1ms", "log_line_prefix=%p "]

export interface Wait {
  readonly lock: string
  readonly ms: number
  /** The two halves of an advisory lock's number. */
  readonly key?: string | undefined
  /** Whose row it was, where the log says so. */
  table?: string
}

const line = /^(?<pid>\d+) (?<kind>[A-Z]+): {2}(?<said>.*)$/u
const follows = new Set(["DETAIL", "HINT", "CONTEXT", "STATEMENT"])
const waited =
  /acquired \w+ on (?<lock>[a-z]+)(?: lock)? (?:\[\d+,(?<key>\d+,\d+),\d\])?.*after (?<ms>[\d.]+) ms/u
const ofTable = /in relation "(?<table>\w+)"/u
const ofStatement = /(?:from|into|update) "?(?<table>\w+)/u

/** Hears the server's log: a wait, and in the lines of the same process that follow, what it was for. */
export const listener = (waits: Array<Wait>) => {
  const last = new Map<string, Wait>()
  let rest = ""
  let now: { readonly pid: string; readonly kind: string } | undefined
  const hear = (pid: string, kind: string, said: string) => {
    if (!follows.has(kind)) last.delete(pid)
    const { key, lock, ms } = waited.exec(said)?.groups ?? {}
    if (lock !== undefined) {
      const wait: Wait = { lock, ms: Number(ms), key }
      last.set(pid, wait)
      waits.push(wait)
      return
    }
    const wait = last.get(pid)
    const table = (kind === "STATEMENT" ? ofStatement : ofTable).exec(said)?.groups?.table
    if (wait !== undefined && table !== undefined) wait.table ??= table
  }
  return (message: string) => {
    const lines = `${rest}${message}`.split("\n")
    rest = lines.pop() ?? ""
    for (const each of lines) {
      const { kind = "", pid, said = "" } = line.exec(each)?.groups ?? {}
      // A line that goes on begins with a tab.
      if (pid !== undefined) now = { pid, kind }
      if (now !== undefined) hear(now.pid, now.kind, pid === undefined ? each : said)
    }
  }
}

/** Which advisory lock has which number, of all accounts, wallets, chains and days that there are. */
export const advisoryLocks = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly key: string; readonly name: string }>`
    with lock (name, number) as (
      select 'the ledgers of an account', hashtextextended(id::text, ${ofLedgers}) from account
      union all
      select 'the co-signers of an account', hashtextextended(id::text, ${space}) from account
      union all
      select distinct 'the transactions of a wallet', hashtextextended(chain_id || ' ' || relayer, ${space})
      from submission
      union all
      select distinct 'shares of fees', hashtextextended(chain_id || ' ' || day, ${ofOutlay})
      from outlay_share
    )
    select name, ((number >> 32) & 4294967295) || ',' || (number & 4294967295) as key from lock`
  return new Map(rows.map(({ key, name }) => [key, name]))
})
