/**
 * What a transaction has read since it last wrote or waited for a lock. Until then the same question gets the same
 * answer without a round trip: nothing of its own has changed, and it has not let anybody pass. A lock that it holds is
 * not taken again.
 */
import type { Result } from "@effect/sql-pg/PgConnection"

const rowLock = /\bfor (?:no key )?(?:update|share)\b/iu
const advisoryLock = /^\s*select pg_advisory_xact_lock(?:_shared)?\(/iu

/** What is to be known of a statement's words, which are the same in call after call. */
interface Words {
  readonly isLock: boolean
  readonly isRepeatable: boolean
  /** Stands for the text where two are compared. */
  readonly key: string
}

const known = new Map<string, Words>()

/** As many texts are known at most; there are a few hundred. Any other is read each time, and stands for itself. */
const maxKnown = 5000

const wordsOf = (statement: string): Words => {
  const found = known.get(statement)
  if (found !== undefined) return found
  const isKept = known.size < maxKnown
  const locksRows = rowLock.test(statement)
  const words: Words = {
    isLock:
      advisoryLock.test(statement) ||
      (/^\s*select\b/iu.test(statement) && locksRows && !/\bskip locked\b/iu.test(statement)),
    isRepeatable:
      /^\s*select\b.*\bfrom\b/isu.test(statement) &&
      !locksRows &&
      !/\bpg_|\bnextval\b|\brandom\b|_timestamp\(|\bnow\(/iu.test(statement),
    key: isKept ? String(known.size) : statement
  }
  if (isKept) known.set(statement, words)
  return words
}

/** Waits for a lock that the transaction keeps until it ends, and passes over nothing that is locked. */
export const isLock = (statement: string): boolean => wordsOf(statement).isLock

/** Reads that only read: no lock, no function that acts, no time that goes on. */
export const isRepeatable = (statement: string): boolean => wordsOf(statement).isRepeatable

/** What JSON says as it is. */
const isPlain = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.every(isPlain)
    : typeof value === "string" || typeof value === "number" || typeof value === "boolean"

const makeKey = (statement: string, parameters: ReadonlyArray<unknown>): string => {
  const said = isPlain(parameters)
    ? JSON.stringify(parameters)
    : JSON.stringify(parameters, (_, value: unknown) =>
        typeof value === "bigint" ? `${value}n` : value
      )
  return `${wordsOf(statement).key} ${said}`
}

/** The keys of statements that are being said: each is asked for several times, with the same list of parameters. */
const keys = new WeakMap<
  ReadonlyArray<unknown>,
  { readonly statement: string; readonly key: string }
>()

/** What a statement with these parameters is known by. Nobody changes a list of parameters that was handed over. */
export const keyOf = (statement: string, parameters: ReadonlyArray<unknown>): string => {
  const known = keys.get(parameters)
  if (known?.statement === statement) return known.key
  const key = makeKey(statement, parameters)
  keys.set(parameters, { statement, key })
  return key
}

/** A lock of one row by its key, or of no row at all: what it found cannot become more. */
const holdsOne = (statement: string, { rows }: Result): boolean =>
  rows.length === 1 && !/\bany\(|\bjoin\b/iu.test(statement)

export class ReadAgain {
  readonly #read = new Map<string, Result>()
  /** Rows that were looked up with others, by who looks them up and by their keys. */
  readonly #found = new Map<object, Map<string, unknown>>()
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

  /** The row that was looked up before, if that still holds; there may have been none. */
  findRow(lookUp: object, key: string): { readonly row: unknown } | undefined {
    const rows = this.#found.get(lookUp)
    return rows?.has(key) === true ? { row: rows.get(key) } : undefined
  }

  noteRow(lookUp: object, key: string, row: unknown): void {
    const rows = this.#found.get(lookUp) ?? new Map<string, unknown>()
    this.#found.set(lookUp, rows.set(key, row))
  }

  /** What was answered, or that something was done which may have changed any answer. */
  note(statement: string, parameters: ReadonlyArray<unknown>, result: Result): void {
    if (isRepeatable(statement)) {
      this.#read.set(keyOf(statement, parameters), result)
    } else if (isLock(statement)) {
      this.#read.clear()
      this.#found.clear()
      if (holdsOne(statement, result)) this.#held.set(keyOf(statement, parameters), result)
    } else {
      this.forget()
    }
  }

  forget(): void {
    this.#read.clear()
    this.#found.clear()
    this.#held.clear()
  }
}
