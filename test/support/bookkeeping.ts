/** Books of a test's treasury, in each format, as text; and what bookkeepers' own programs say of them. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Stream } from "effect"
import { Accounts } from "../../core/accounts/account-store.ts"
import { closeBooks } from "../../core/books/close.ts"
import type { FormatName } from "../../core/books/formats.ts"
import type { Period } from "../../core/books/statement.ts"
import { writeBooks } from "../../core/books/write.ts"

/** All of it in memory. */
export const booksOf = Effect.fnUntraced(function* (
  accountId: string,
  period: Period,
  format: FormatName
) {
  const account = yield* (yield* Accounts).find(accountId)
  if (account === undefined) return yield* Effect.die(new Error(`There is no ${accountId}.`))
  const closing = yield* closeBooks(account, period)
  const kept = new Map<string, string>()
  let text = ""
  const movements = yield* writeBooks(closing, format, {
    write: (piece) =>
      Effect.sync(() => {
        text += piece
      }),
    aside: {
      put: (key, piece) => Effect.sync(() => void kept.set(key, (kept.get(key) ?? "") + piece)),
      take: (key) => Stream.fromIterable(kept.has(key) ? [kept.get(key) ?? ""] : [])
    },
    progress: () => Effect.void
  })
  return { text, movements, statement: closing.statement }
})

/** What a program says of a file; that it is not installed fails the test. */
export const run = (
  program: string,
  text: string,
  words: (file: string) => ReadonlyArray<string>
) => {
  const directory = mkdtempSync(join(tmpdir(), "bursar-books-"))
  try {
    const file = join(directory, "books")
    writeFileSync(file, text)
    const ran = spawnSync(program, words(file), { encoding: "utf8" })
    if (ran.error !== undefined) throw ran.error
    return { status: ran.status, stdout: ran.stdout, stderr: ran.stderr }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** `hledger check` of the strictest kind: accounts and commodities are declared, and balances are as asserted. */
export const checked = (journal: string) =>
  run("hledger", journal, (file) => ["-f", file, "check", "--strict"])

/** The balance of an account and a commodity, as hledger computes it from the movements. */
export const hledgerBalance = (journal: string, account: string): string =>
  run("hledger", journal, (file) => [
    "-f",
    file,
    "bal",
    "--flat",
    "--no-total",
    "--format",
    "%(total)",
    account
  ]).stdout.trim()
