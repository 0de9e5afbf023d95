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

/** Puts statements side by side: each keeps its parameters under other numbers. */
export const numbered = (all: ReadonlyArray<Said>) => {
  const parameters: Array<unknown> = []
  const texts = all.map((said) => {
    const before = parameters.length
    parameters.push(...said.parameters)
    return said.statement.replaceAll(
      /\$(\d+)/gu,
      (_, place: string) => `$${Number(place) + before}`
    )
  })
  return { texts, parameters }
}

/** Rows as one value, in the form that the client reads columns in. */
const packed = (from: string) => `(select array_send(array_agg(q)) from ${from} q)`

/** Reads as one statement that gives one row, with a column for each. */
export const reads = (all: ReadonlyArray<Said>): Said => {
  const { parameters, texts } = numbered(all)
  const each = texts.map((text, at) => `${packed(`(${text})`)} as "answer_${at}"`)
  return { statement: `select ${each.join(", ")}`, parameters }
}

const tableOf = (statement: string): string | undefined =>
  /^\s*(?:insert\s+into|update|delete\s+from)\s+"?(\w+)"?/iu.exec(statement)?.[1]

const mentions = (statement: string, name: string): boolean =>
  new RegExp(`\\b${name}\\b`, "u").test(statement)

/**
 * Whether a write may stand beside others: statements that are one see nothing of each other, so none may name the
 * table of another.
 */
export const standsBeside = (statement: string, others: ReadonlyArray<string>): boolean => {
  const own = tableOf(statement)
  if (own === undefined) return false
  return others.every((other) => {
    const name = tableOf(other)
    return name !== undefined && !mentions(statement, name) && !mentions(other, own)
  })
}

/** A write that waits, and how many rows it must find, if that matters. */
export interface Write extends Said {
  readonly rows: number | undefined
}

/** Divides by zero, so that the commit which is sent with it commits nothing, when rows are missing. */
const required = (rows: number, from: string) =>
  `(select 1 / (count(*) >= ${rows})::integer from ${from})`

/** Writes as one statement, and the answer of the last one with it. */
export const writes = (all: ReadonlyArray<Write>, last?: Said): Said => {
  const { parameters, texts } = numbered(last === undefined ? all : [...all, last])
  const parts = texts.map((text, at) => `write_${at} as (${text})`)
  const checks = all.flatMap(({ rows }, at) =>
    rows === undefined ? [] : [required(rows, `write_${at}`)]
  )
  const answer = last === undefined ? [] : [`${packed(`write_${all.length}`)} as "answer_0"`]
  const told = [...answer, ...checks]
  return {
    statement: `with ${parts.join(", ")} select ${told.length === 0 ? "1" : told.join(", ")}`,
    parameters
  }
}

/** A write by itself that must find its rows. */
export const checked = ({ parameters, rows, statement }: Write): Said =>
  rows === undefined
    ? { statement, parameters }
    : {
        statement: `with written as (${statement}) select ${required(rows, "written")} as row`,
        parameters
      }

/** Reads the values of packed rows: an array of records in the database's own form. */
const unpacked = (bytes: Uint8Array, fields: ReadonlyArray<Field>): ReadonlyArray<Row> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const described = fields.map(({ dataTypeId }) => ({ dataTypeOid: dataTypeId, format: 1 }))
  const read = Outcome.getOrThrow(PgTypes.makeFieldReader(described))
  // Dimensions, flags, the type of an element, and for the one dimension there is its length and its first index.
  const count = view.getInt32(12)
  let at = 20
  return Array.from({ length: count }, () => {
    // The length of a record, and how many values it has.
    if (view.getInt32(at + 4) !== fields.length) throw new Error("The columns of a table changed")
    at += 8
    const row: Record<string, unknown> = {}
    for (const [column, { name }] of fields.entries()) {
      const size = view.getInt32(at + 4)
      row[name] = read(bytes, at + 8, size, column)
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
