/**
 * Several statements as one: reads side by side, and writes to tables of their own with what is asked last. What each
 * answers is told apart again and is what it would have answered by itself.
 */
import type { Field, Result, Row } from "@effect/sql-pg/PgConnection"
import * as PgTypes from "@effect/sql-pg/PgTypes"
import { Result as Outcome } from "effect"

/** A statement with its parameters. */
export interface Said {
  readonly statement: string
  readonly parameters: ReadonlyArray<unknown>
}

/** The columns that a statement gave when it was said by itself. Those of a text never change. */
const columns = new Map<string, ReadonlyArray<Field>>()

/** As many texts are known at most; there are a few hundred. */
const maxKnown = 5000

export const note = (statement: string, { fields }: Result): void => {
  if (columns.size < maxKnown) columns.set(statement, fields)
}

/** Whether its answer can be told apart from others. */
export const isKnown = (statement: string): boolean => columns.has(statement)

/** Texts side by side: each keeps its parameters under other numbers. */
const numbered = (all: ReadonlyArray<Said>): ReadonlyArray<string> => {
  let before = 0
  return all.map(({ parameters, statement }) => {
    const from = before
    before += parameters.length
    return statement.replaceAll(/\$(\d+)/gu, (_, place: string) => `$${Number(place) + from}`)
  })
}

/** Texts by those that they were put together of: the same ones stand together in call after call. */
const merges = new Map<string, string>()

/** Texts of many statements are long; there are some dozens. */
const maxMerges = 1000

/** Statements as one, whose text is put together once; `form` is what it depends on beside their texts. */
const together = (
  form: string,
  all: ReadonlyArray<Said>,
  make: (texts: ReadonlyArray<string>) => string
): Said => {
  const parameters = all.flatMap((said) => said.parameters)
  const key = [form, ...all.map((said) => said.statement)].join("\u0000")
  const known = merges.get(key)
  if (known !== undefined) return { statement: known, parameters }
  const statement = make(numbered(all))
  if (merges.size < maxMerges) merges.set(key, statement)
  return { statement, parameters }
}

/** Rows as one value, in the form that the client reads columns in. */
const packed = (from: string) => `(select array_send(array_agg(q)) from ${from} q)`

/** Reads as one statement that gives one row, with a column for each. */
export const reads = (all: ReadonlyArray<Said>): Said =>
  together("reads", all, (texts) => {
    const each = texts.map((text, at) => `${packed(`(${text})`)} as "answer_${at}"`)
    return `select ${each.join(", ")}`
  })

/** The table that a statement writes to, if it only does that, and every word in it. */
interface Named {
  readonly table: string | undefined
  readonly words: ReadonlySet<string>
}

const names = new Map<string, Named>()

const namedIn = (statement: string): Named => {
  const known = names.get(statement)
  if (known !== undefined) return known
  const writing = /^\s*(?:insert\s+into|update|delete\s+from)\s+"?(\w+)"?/iu.exec(statement)
  const named = { table: writing?.[1], words: new Set(statement.match(/\w+/gu)) }
  if (names.size < maxKnown) names.set(statement, named)
  return named
}

/**
 * Whether a write may stand beside others: statements that are one see nothing of each other, so none may name the
 * table of another.
 */
export const standsBeside = (statement: string, others: ReadonlyArray<string>): boolean => {
  const { table, words } = namedIn(statement)
  if (table === undefined) return false
  return others.every((other) => {
    const named = namedIn(other)
    return named.table !== undefined && !words.has(named.table) && !named.words.has(table)
  })
}

/** A write that waits, and how many rows it must find, if that matters. */
export interface Write extends Said {
  readonly rows: number | undefined
}

/** An insert of one row: what comes before its values, these, and what comes after them. */
interface OneRow {
  readonly head: string
  readonly values: string
  readonly tail: string
}

/** Its values are parameters and words, and nothing before or after them is a parameter. */
const ofOneRow = /^(\s*insert into \w+(?: as \w+)? \([^()]*\)\s*values )(\([^()]*\))([^$]*)$/u

const rowsOfOne = new Map<string, OneRow | undefined>()

const oneRowOf = (statement: string): OneRow | undefined => {
  if (rowsOfOne.has(statement)) return rowsOfOne.get(statement)
  const [, head, values, tail] = ofOneRow.exec(statement) ?? []
  const isOne = head !== undefined && values !== undefined && tail !== undefined
  const found = isOne && !head.includes("$") ? { head, values, tail } : undefined
  if (rowsOfOne.size < maxKnown) rowsOfOne.set(statement, found)
  return found
}

/** What the client tells the types of parameters apart by: to the database other types are another statement. */
const sortOf = (value: unknown): string => {
  if (value === null || typeof value === "string") return "s"
  if (value instanceof Date) return "d"
  if (value instanceof Uint8Array) return "b"
  if (typeof value !== "number") return Array.isArray(value) ? "a" : typeof value
  return !Number.isInteger(value) ? "f" : Math.abs(value) < 2 ** 31 ? "n" : "l"
}

/**
 * An update that must find its rows: where two would write to the same one, only one of them does, and the other is told
 * that its row is missing.
 */
const findsRows = ({ rows, statement }: Write): boolean =>
  rows !== undefined && rows > 0 && /^\s*update\b/iu.test(statement)

/** An insert that may leave its row out is one of several only if it must not. */
const insertsRows = ({ rows, statement }: Write): boolean => {
  const oneRow = oneRowOf(statement)
  return oneRow !== undefined && (rows === undefined ? oneRow.tail === "" : rows > 0)
}

const isRepeatable = (write: Write): boolean => insertsRows(write) || findsRows(write)

/** What is the same of writes that may be said together, each with its own values; undefined where they may not. */
export const repeatableAs = (all: ReadonlyArray<Write>): string | undefined =>
  all.every(isRepeatable)
    ? all
        .map(
          ({ parameters, rows, statement }) =>
            `${statement}${rows ?? ""}${parameters.map(sortOf).join("")}`
        )
        .join("\u0000")
    : undefined

const inserts = new Map<string, string>()

/** The same insert of so many rows. */
const insertOf = (statement: string, { head, tail, values }: OneRow, rows: number): string => {
  const key = `${rows} ${statement}`
  const known = inserts.get(key)
  if (known !== undefined) return known
  const row: Said = { statement: values, parameters: values.match(/\$\d+/gu) ?? [] }
  const all = numbered(Array.from({ length: rows }, () => row)).join(", ")
  const text = `${head}${all}${tail}`
  if (inserts.size < maxMerges) inserts.set(key, text)
  return text
}

/** The same writes of several: each insert becomes one of as many rows, and updates stand side by side. */
export const repeated = (all: ReadonlyArray<ReadonlyArray<Write>>): ReadonlyArray<Write> => {
  const [first = []] = all
  if (all.length === 1) return first
  return first.flatMap(({ rows, statement }, at) => {
    const each = all.map((writes) => writes[at] as Write)
    const oneRow = oneRowOf(statement)
    if (oneRow === undefined) return each
    return {
      statement: insertOf(statement, oneRow, all.length),
      parameters: each.flatMap(({ parameters }) => parameters),
      rows: rows === undefined ? undefined : rows * all.length
    }
  })
}

/** Divides by zero, so that the commit which is sent with it commits nothing, when rows are missing. */
const required = (rows: number, from: string) =>
  `(select 1 / (count(*) >= ${rows})::integer from ${from})`

/** Writes as one statement, and the answer of the last one with it. */
export const writes = (all: ReadonlyArray<Write>, last?: Said): Said => {
  const form = `${last === undefined ? "writes" : "answers"} ${all.map(({ rows }) => rows).join()}`
  return together(form, last === undefined ? all : [...all, last], (texts) => {
    const parts = texts.map((text, at) => `write_${at} as (${text})`)
    const checks = all.flatMap(({ rows }, at) =>
      rows === undefined ? [] : [required(rows, `write_${at}`)]
    )
    const answer = last === undefined ? [] : [`${packed(`write_${all.length}`)} as "answer_0"`]
    const told = [...answer, ...checks]
    return `with ${parts.join(", ")} select ${told.length === 0 ? "1" : told.join(", ")}`
  })
}

/** A write by itself that must find its rows. */
export const checked = ({ parameters, rows, statement }: Write): Said =>
  rows === undefined
    ? { statement, parameters }
    : {
        statement: `with written as (${statement}) select ${required(rows, "written")} as row`,
        parameters
      }

type Reader = (bytes: Uint8Array, at: number, size: number, column: number) => unknown

const readers = new WeakMap<ReadonlyArray<Field>, Reader>()

const readerOf = (fields: ReadonlyArray<Field>): Reader => {
  const known = readers.get(fields)
  if (known !== undefined) return known
  const described = fields.map(({ dataTypeId }) => ({ dataTypeOid: dataTypeId, format: 1 }))
  const reader = Outcome.getOrThrow(PgTypes.makeFieldReader(described))
  readers.set(fields, reader)
  return reader
}

/** Reads the values of packed rows: an array of records in the database's own form. */
const unpacked = (bytes: Uint8Array, fields: ReadonlyArray<Field>): ReadonlyArray<Row> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const read = readerOf(fields)
  // Dimensions, flags, the type of an element, and for the one dimension there is its length and its first index.
  const count = view.getInt32(12)
  let at = 20
  return Array.from({ length: count }, () => {
    // The length of a record, and how many values it has.
    if (view.getInt32(at + 4) !== fields.length) throw new Error("The columns of a table changed")
    at += 8
    const row: Record<string, unknown> = {}
    for (let column = 0; column < fields.length; column++) {
      const size = view.getInt32(at + 4)
      row[fields[column]?.name as string] = read(bytes, at + 8, size, column)
      at += 8 + Math.max(size, 0)
    }
    return row
  })
}

/** What a statement would have answered by itself. */
export const answerOf = (row: Row | undefined, at: number, statement: string): Result => {
  const fields = columns.get(statement) ?? []
  const value = row?.[`answer_${at}`]
  const rows = value instanceof Uint8Array ? unpacked(value, fields) : []
  return { command: "SELECT", rowCount: rows.length, oid: null, rows, fields }
}
