/**
 * What a transaction has read since it last wrote or waited for a lock. Until then the same question gets the same
 * answer without a round trip: nothing of its own has changed, and it has not let anybody pass. A lock that it holds is
 * not taken again.
 */
import type { Result } from "@effect/sql-pg/PgConnection"

const rowLock = /\bfor (?:no key )?(?:update|share)\b/iu
const advisoryLock = /^\s*select pg_advisory_xact_lock(?:_shared)?\(/iu

/** Waits for a lock that the transaction keeps until it ends, and passes over nothing that is locked. */
export const isLock = (statement: string): boolean =>
  advisoryLock.test(statement) ||
  (/^\s*select\b/iu.test(statement) &&
    rowLock.test(statement) &&
    !/\bskip locked\b/iu.test(statement))

/** Reads that only read: no lock, no function that acts, no time that goes on. */
export const isRepeatable = (statement: string): boolean =>
  /^\s*select\b.*\bfrom\b/isu.test(statement) &&
  !rowLock.test(statement) &&
  !/\bpg_|\bnextval\b|\brandom\b|_timestamp\(|\bnow\(/iu.test(statement)

export const keyOf = (statement: string, parameters: ReadonlyArray<unknown>): string =>
  JSON.stringify([statement, parameters], (_, value: unknown) =>
    typeof value === "bigint" ? `${value}n` : value
  )

/** A lock of one row by its key, or of no row at all: what it found cannot become more. */
const holdsOne = (statement: string, { rows }: Result): boolean =>
  rows.length === 1 && !/\bany\(|\bjoin\b/iu.test(statement)

export class ReadAgain {
  readonly #read = new Map<string, Result>()
  /** What others cannot change before this transaction ends. */
  readonly #held = new Map<string, Result>()

  /** The answer to the same question, if it still holds. */
  find(statement: string, parameters: ReadonlyArray<unknown>): Result | undefined {
    if (isRepeatable(statement)) {
      return this.#read.size > 0 ? this.#read.get(keyOf(statement, parameters)) : undefined
    }
    return this.#held.size > 0 && isLock(statement)
      ? this.#held.get(keyOf(statement, parameters))
      : undefined
  }

  /** What was answered, or that something was done which may have changed any answer. */
  note(statement: string, parameters: ReadonlyArray<unknown>, result: Result): void {
    if (isRepeatable(statement)) {
      this.#read.set(keyOf(statement, parameters), result)
    } else if (isLock(statement)) {
      this.#read.clear()
      if (holdsOne(statement, result)) this.#held.set(keyOf(statement, parameters), result)
    } else {
      this.forget()
    }
  }

  forget(): void {
    this.#read.clear()
    this.#held.clear()
  }
}
