/**
 * Tables as nouns have them. Each field of a noun declares how it is kept; the name of a column is its field's
 * in snake case, and reading, inserting and guarded updates follow. `rows.ts` makes statements of them.
 */
import type { DateTime } from "effect"
import * as Statement from "effect/sql/Statement"
import * as Columns from "./column.ts"
import * as Packed from "./packed.ts"
import * as Terse from "./terse.ts"

/** A row as the client gives it, by column. */
export type Row = Readonly<Record<string, unknown>>

/**
 * How one value is kept in one column. Null stays null in any column: the noun's type says whether a field
 * may be null, and so does the schema.
 */
export interface Column<A> {
  /** From what the client reads; without it the value is taken as it is. */
  readonly decode?: (value: never) => A
  /** To what the client sends; without it the value is sent as it is. */
  readonly encode?: (value: A) => unknown
  /** To what rows are looked for by, where that may be what no row has; without it as it is sent. */
  readonly seek?: (value: A) => unknown
  /** To what stands in a row that is written as JSON; without it as it is sent. */
  readonly inJson?: (value: A) => unknown
  /** The column's name, if it is not the field's. */
  readonly name?: string
}

/** Fields of a nested value, in columns of their own. */
interface Together<A> {
  readonly prefix: string
  readonly fields: Fields<A>
}

/** A literal type or a brand is kept as the strings or numbers it stands for. */
type Kept<A> = A extends string
  ? string
  : A extends bigint
    ? bigint
    : A extends ReadonlyArray<string>
      ? ReadonlyArray<string>
      : A

/** A column, or several, for each field of a noun: the compiler asks for every one. */
export type Fields<A> = {
  readonly [Field in keyof A]-?:
    | Column<Kept<NonNullable<A[Field]>>>
    | Together<NonNullable<A[Field]>>
}

export const text: Column<string> = {}
/** `uuid`, of which an id that is written is one, and an id that somebody asks for need not be. */
export const uuid: Column<string> = { encode: Columns.uuid, seek: Columns.soughtUuid }
/** `text[]`. */
export const texts: Column<ReadonlyArray<string>> = {}
export const bool: Column<boolean> = {}
/** Millionths of a dollar or of a USDC, and any other whole number up to 2^63. */
export const bigint: Column<bigint> = {}
/** A whole number up to 2^53, in `integer` or `bigint`. */
export const integer: Column<number> = { decode: (value: number | bigint) => Number(value) }
/** `numeric(78,0)`: units of any token. */
export const units: Column<bigint> = { decode: (value: string) => BigInt(value), encode: String }
/** To the millisecond. */
export const timestamp: Column<DateTime.Utc> = {
  decode: Columns.instant,
  encode: Columns.date
}
/** `jsonb`: the client sends text and reads values. What JSON cannot say is written as `write` makes it. */
export const json = <A>(
  write: (value: A) => unknown = (value) => value,
  read?: (written: never) => A
): Column<A> => ({
  encode: (value) => JSON.stringify(write(value)),
  inJson: write,
  ...(read === undefined ? {} : { decode: read })
})

/** `bytea`: an id, a hash, an address or a word as the bytes that it is. */
export const terse: Column<string> = { decode: Terse.decode, encode: Terse.encode }
/** `bytea`: several of these. */
export const terseAll: Column<ReadonlyArray<string>> = {
  decode: Terse.decodeAll,
  encode: Terse.encodeAll
}

/** `bytea`: a long text in few bytes. */
export const packed: Column<string> = { decode: Packed.unpack, encode: Packed.pack }
/** `bytea`: JSON in few bytes. */
export const packedJson = <A>(): Column<A> => ({
  decode: (value: Uint8Array) => JSON.parse(Packed.unpack(value)) as A,
  encode: (value) => Packed.pack(JSON.stringify(value))
})

export const named = <A>(name: string, column: Column<A>): Column<A> => ({ ...column, name })

/** A nested value in columns that share a prefix; null when one of them is. */
export const together = <A>(prefix: string, fields: Fields<A>): Together<A> => ({ prefix, fields })

const snake = (name: string) => name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`)

interface Place {
  /** The way from the noun to the value: a field, or the field of a field. */
  readonly path: ReadonlyArray<string>
  readonly column: string
  readonly decode: ((value: never) => unknown) | undefined
  readonly encode: ((value: never) => unknown) | undefined
  readonly seek: ((value: never) => unknown) | undefined
  readonly inJson: ((value: never) => unknown) | undefined
}

const placesOf = (
  fields: Readonly<Record<string, Column<never> | Together<never>>>,
  prefix = "",
  above: ReadonlyArray<string> = []
): ReadonlyArray<Place> =>
  Object.entries(fields).flatMap(([field, kept]) => {
    const path = [...above, field]
    if ("prefix" in kept) return placesOf(kept.fields, kept.prefix, path)
    const own = kept.name ?? snake(field)
    const column = prefix === "" ? own : `${prefix}_${own}`
    const { decode, encode, inJson = encode, seek = encode } = kept
    return [{ path, column, decode, encode, seek, inJson }]
  })

const quoted = (name: string) => `"${name}"`

type Noun = Readonly<Record<string, unknown>>

const valueAt = (noun: Noun, path: ReadonlyArray<string>): unknown => {
  const [field = "", inner] = path
  const value = noun[field] ?? null
  return inner === undefined || value === null ? value : ((value as Noun)[inner] ?? null)
}

const encodeBy = (encode: Place["encode"], value: unknown): unknown =>
  encode === undefined || value === null ? value : encode(value as never)

const encoded = ({ encode }: Place, value: unknown): unknown => encodeBy(encode, value)

const decoded = (row: Row, column: string, decode: Place["decode"]): unknown => {
  const value = row[column]
  return decode === undefined || value === null ? value : decode(value as never)
}

const nestedReader = (places: ReadonlyArray<Place>) => (row: Row) => {
  const nested: Record<string, unknown> = {}
  for (const { column, decode, path } of places) {
    const value = decoded(row, column, decode)
    if (value === null) return null
    nested[path[1] as string] = value
  }
  return nested
}

/** Every row read is a copy of one blank noun, so that all have one shape: a list reads thousands. */
const reader = (places: ReadonlyArray<Place>) => {
  const plain = places.filter(({ path }) => path.length === 1)
  const fields = plain.map(({ path }) => path[0] as string)
  const columns = plain.map(({ column }) => column)
  const decoders = plain.map(({ decode }) => decode)
  const nested = [
    ...Map.groupBy(
      places.filter(({ path }) => path.length > 1),
      ({ path }) => path[0] as string
    )
  ].map(([field, inner]) => [field, nestedReader(inner), inner[0]?.column ?? ""] as const)
  const blank: Noun = Object.fromEntries(places.map(({ path }) => [path[0], null]))
  return (row: Row): Noun => {
    const noun: Record<string, unknown> = { ...blank }
    for (let at = 0; at < fields.length; at++) {
      noun[fields[at] as string] = decoded(row, columns[at] as string, decoders[at])
    }
    for (const [field, inner, column] of nested) {
      if (row[column] !== null) noun[field] = inner(row)
    }
    return noun
  }
}

const always = Statement.fragment([Statement.literal("true")])

type Segments = ReadonlyArray<Statement.Segment>

const joined = (parts: ReadonlyArray<Segments>, separator: string): Statement.Fragment =>
  Statement.fragment(
    parts.flatMap((part, at) => (at === 0 ? part : [Statement.literal(separator), ...part]))
  )

const assigning = (place: Place, noun: Noun): Segments => [
  Statement.literal(`${quoted(place.column)} = `),
  Statement.parameter(encoded(place, valueAt(noun, place.path)))
]

const comparing = ({ column, path, seek }: Place, noun: Noun): Segments => {
  const value = valueAt(noun, path)
  return value === null
    ? [Statement.literal(`${quoted(column)} is null`)]
    : [Statement.literal(`${quoted(column)} = `), Statement.parameter(encodeBy(seek, value))]
}

/** What stands in JSON for a value that the client sends in another form. */
const plainInJson = (sent: unknown): unknown => {
  if (typeof sent === "bigint") return String(sent)
  if (!(sent instanceof Uint8Array)) return sent
  return `\\x${Buffer.from(sent.buffer, sent.byteOffset, sent.length).toString("hex")}`
}

/** A row of the table as JSON has it. */
const inJson = (places: ReadonlyArray<Place>, noun: Noun, extra: Extra | undefined) => {
  const row: Record<string, unknown> = {}
  for (const place of places) {
    row[place.column] = plainInJson(encodeBy(place.inJson, valueAt(noun, place.path)))
  }
  return Object.assign(row, extra)
}

/** What belongs to a row and not to its noun, by column, such as the digest of a secret. */
export type Extra = Readonly<Record<string, unknown>>

/** What is written to one row: its noun, and what belongs to the row alone. */
export interface Written<A> {
  readonly noun: A
  readonly extra?: Extra
}

const records = (
  name: string,
  places: ReadonlyArray<Place>,
  written: ReadonlyArray<Written<Noun>>
) =>
  Statement.fragment([
    Statement.literal(`jsonb_populate_recordset(null::${name}, `),
    Statement.parameter(
      JSON.stringify(written.map(({ extra, noun }) => inJson(places, noun, extra)))
    ),
    Statement.literal("::jsonb)")
  ])

const comma = Statement.literal(", ")
const end = Statement.literal(")")

const inserting = (name: string, places: ReadonlyArray<Place>) => {
  const columns = places.map(({ column }) => quoted(column)).join(", ")
  const columnsAnd = (extra: Extra) =>
    [columns, ...Object.keys(extra).map((column) => quoted(column))].join(", ")
  return {
    insert: (noun: Noun, extra: Extra = {}) =>
      Statement.fragment([
        Statement.literal(`insert into ${name} (${columnsAnd(extra)}) values (`),
        ...[
          ...places.map((place) => encoded(place, valueAt(noun, place.path))),
          ...Object.values(extra)
        ].flatMap((value, at) =>
          at === 0 ? [Statement.parameter(value)] : [comma, Statement.parameter(value)]
        ),
        end
      ]),

    insertAll: (nouns: ReadonlyArray<Noun>, extra: Extra = {}) =>
      Statement.fragment([
        Statement.literal(`insert into ${name} (${columnsAnd(extra)}) select ${columnsAnd(extra)}
          from `),
        ...records(
          name,
          places,
          nouns.map((noun) => ({ noun, extra }))
        ).segments
      ])
  }
}

/** `Own` are the fields that have columns of their own. */
export interface Table<A, Own extends keyof A = keyof A> {
  readonly name: string
  readonly read: (row: Row) => A
  /** `insert into … values (…)`. */
  readonly insert: (noun: A, extra?: Extra) => Statement.Fragment
  /** `insert into … select …`, of any number of rows in one parameter. */
  readonly insertAll: (nouns: ReadonlyArray<A>, extra?: Extra) => Statement.Fragment
  /** `"status" = …, "updated_at" = …` of these fields, or of all there are. */
  readonly set: (noun: Partial<Pick<A, Own>>, fields?: ReadonlyArray<Own>) => Statement.Fragment
  /** `"status" = written."status", …`: these fields, from records that are called `written`. */
  readonly setAll: (fields: ReadonlyArray<Own>) => Statement.Fragment
  /** Any number of rows in one parameter, to select or update from: these fields of them, or all there are. */
  readonly records: (
    written: ReadonlyArray<Written<A>>,
    fields?: ReadonlyArray<Own>
  ) => Statement.Fragment
  /** `"account_id" = … and "revoked_at" is null`. */
  readonly equals: (of: Partial<Pick<A, Own>>) => Statement.Fragment
  /** Condition for the row of a noun. */
  readonly keyOf: (noun: A) => Statement.Fragment
  /** An id as its column is compared with. */
  readonly soughtId: (id: string) => unknown
  /** A field's column. */
  readonly column: (field: Own & string) => string
}

/** The table of a noun; its key is what a write to a row names it by. */
export const table = <A extends object>(
  name: string,
  fields: Fields<A>,
  key: ReadonlyArray<keyof A> = ["accountId", "id"] as never
): Table<A> => {
  const places = placesOf(fields as unknown as Parameters<typeof placesOf>[0])
  const byField = Map.groupBy(places, ({ path }) => path[0] as PropertyKey)
  const placesOfField = (field: PropertyKey) => {
    const found = byField.get(field)
    // Left out, it would be a row that keeps its old value, or a condition that more rows meet.
    if (found === undefined) throw new Error(`${name} keeps no ${String(field)} by itself.`)
    return found
  }
  const of = (names: ReadonlyArray<PropertyKey>) => names.flatMap(placesOfField)
  const equals = (noun: Partial<A>, names: ReadonlyArray<PropertyKey> = Object.keys(noun)) =>
    joined(
      of(names).map((place) => comparing(place, noun as Noun)),
      " and "
    )
  return {
    name,
    // The fields are those of the noun, by the type of `fields`.
    read: reader(places) as (row: Row) => A,
    ...(inserting(name, places) as Pick<Table<A>, "insert" | "insertAll">),
    set: (noun, names) =>
      joined(
        of(names ?? Object.keys(noun)).map((place) => assigning(place, noun as Noun)),
        ", "
      ),
    setAll: (names) =>
      joined(
        of(names).map(({ column }) => [
          Statement.literal(`${quoted(column)} = written.${quoted(column)}`)
        ]),
        ", "
      ),
    records: (written, names) =>
      records(
        name,
        names === undefined ? places : of(names),
        written as ReadonlyArray<Written<Noun>>
      ),
    equals: (noun) => (Object.keys(noun).length === 0 ? always : equals(noun)),
    keyOf: (noun) => equals(noun, key),
    soughtId: (id) => encodeBy(byField.get("id")?.[0]?.seek, id),
    column: (field) => byField.get(field)?.[0]?.column ?? snake(field)
  }
}

/** A table of rows that are kept in another form than their noun's; only what has one form in both is set or compared. */
export const keptAs = <A, Kept>(
  kept: Table<Kept>,
  keep: (noun: A) => Kept,
  read: (kept: Kept) => A
): Table<A, keyof A & keyof Kept> => ({
  ...(kept as unknown as Table<A, keyof A & keyof Kept>),
  read: (row) => read(kept.read(row)),
  insert: (noun, extra) => kept.insert(keep(noun), extra),
  insertAll: (nouns, extra) => kept.insertAll(nouns.map(keep), extra),
  records: (written, fields) =>
    kept.records(
      written.map((each) => ({ ...each, noun: keep(each.noun) })),
      fields
    )
})
