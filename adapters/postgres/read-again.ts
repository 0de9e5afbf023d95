/**
 * What a transaction has read since it last wrote or waited for a lock. Until then the same question gets the same
 * answer without a round trip: nothing of its own has changed, and it has not let anybody pass.
 */
import type { Result } from "@effect/sql-pg/PgConnection"

/** Reads that only read: no lock, no function that acts, no time that goes on. */
const isRepeatable = (statement: string): boolean =>
  /^\s*select\b.*\bfrom\b/isu.test(statement) &&
  !/\bfor (?:no key )?(?:update|share)\b|\bpg_|\bnextval\b|\brandom\b|_timestamp\(|\bnow\(/iu.test(
    statement
  )

const keyOf = (statement: string, parameters: ReadonlyArray<unknown>): string =>
  JSON.stringify([statement, parameters], (_, value: unknown) =>
    typeof value === "bigint" ? `${value}n` : value
  )

export class ReadAgain {
  readonly #known = new Map<string, Result>()

  /** The answer to the same question, if it still holds. */
  find(statement: string, parameters: ReadonlyArray<unknown>): Result | undefined {
    return this.#known.size > 0 && isRepeatable(statement)
      ? this.#known.get(keyOf(statement, parameters))
      : undefined
  }

  /** What was answered, or that something was done which may have changed any answer. */
  note(statement: string, parameters: ReadonlyArray<unknown>, result: Result): void {
    if (isRepeatable(statement)) this.#known.set(keyOf(statement, parameters), result)
    else this.forget()
  }

  forget(): void {
    this.#known.clear()
  }
}
