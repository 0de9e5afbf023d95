/** A table's columns, its statements and its nouns follow from one declaration of its fields. */

import { makeCompiler } from "@effect/sql-pg/PgClient"
import { DateTime } from "effect"
import type { Fragment } from "effect/sql/Statement"
import { describe, expect, it } from "vitest"
import {
  bigint,
  integer,
  json,
  keptAs,
  named,
  table,
  text,
  timestamp,
  together,
  units,
  uuid
} from "../../../adapters/postgres/table.ts"

interface Note {
  readonly accountId: string
  readonly id: string
  readonly kind: "long" | "short"
  readonly to: string
  readonly amountMicro: bigint
  readonly supply: bigint
  readonly pages: number
  readonly tags: ReadonlyArray<number>
  readonly place: { readonly chainId: string; readonly seenAt: DateTime.Utc } | null
  readonly endedAt: DateTime.Utc | null
}

const notes = table<Note>("note", {
  accountId: text,
  id: text,
  kind: text,
  to: named("recipient", text),
  amountMicro: bigint,
  supply: units,
  pages: integer,
  tags: json(),
  place: together("place", { chainId: text, seenAt: timestamp }),
  endedAt: timestamp
})

const at = DateTime.makeUnsafe("2027-01-02T03:04:05.678Z")

const note: Note = {
  accountId: "acc",
  id: "n1",
  kind: "long",
  to: "somebody",
  amountMicro: 5n,
  supply: 2n ** 255n,
  pages: 3,
  tags: [1, 2],
  place: { chainId: "base", seenAt: at },
  endedAt: null
}

const row = {
  account_id: "acc",
  id: "n1",
  kind: "long",
  recipient: "somebody",
  amount_micro: 5n,
  supply: String(2n ** 255n),
  pages: 3n,
  tags: [1, 2],
  place_chain_id: "base",
  place_seen_at: new Date("2027-01-02T03:04:05.678Z"),
  ended_at: null,
  lease: "not of the noun"
}

const compiled = (fragment: Fragment) => makeCompiler().compile(fragment, false)

describe("a table", () => {
  it("reads a row as its noun, and nothing else of it", () => {
    expect(notes.read(row)).toEqual(note)
  })

  it("reads a nested value as null when one of its columns is null", () => {
    expect(notes.read({ ...row, place_seen_at: null }).place).toBeNull()
    expect(notes.read({ ...row, place_chain_id: null }).place).toBeNull()
  })

  it("inserts every field into the column of its name, and what belongs to the row alone", () => {
    const [statement, values] = compiled(notes.insert(note, { digest: "d" }))
    expect(statement).toBe(
      `insert into note ("account_id", "id", "kind", "recipient", "amount_micro", "supply", "pages", ` +
        `"tags", "place_chain_id", "place_seen_at", "ended_at", "digest") ` +
        "values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)"
    )
    expect(values).toEqual([
      ...["acc", "n1", "long", "somebody", 5n, row.supply, 3, "[1,2]", "base"],
      ...[row.place_seen_at, null, "d"]
    ])
  })

  it("inserts many rows in one parameter, exact to the last digit", () => {
    const [, [rows]] = compiled(notes.insertAll([note], { digest: "d" }))
    const { lease: _, ...columns } = row
    expect(JSON.parse(String(rows))).toEqual([
      {
        ...columns,
        amount_micro: "5",
        pages: 3,
        place_seen_at: "2027-01-02T03:04:05.678Z",
        digest: "d"
      }
    ])
  })

  it("writes of many rows no more than the fields it is given", () => {
    const [statement, [rows]] = compiled(
      notes.records([{ noun: note, extra: { digest: "d" } }], ["id", "tags", "supply", "place"])
    )
    expect(statement).toBe("jsonb_populate_recordset(null::note, $1::jsonb)")
    expect(JSON.parse(String(rows))).toEqual([
      {
        id: "n1",
        tags: [1, 2],
        supply: row.supply,
        place_chain_id: "base",
        place_seen_at: "2027-01-02T03:04:05.678Z",
        digest: "d"
      }
    ])
  })

  it("sets the fields it is given, a nested value in all of its columns", () => {
    expect(compiled(notes.set(note, ["to", "endedAt"]))).toEqual([
      `"recipient" = $1, "ended_at" = $2`,
      ["somebody", null]
    ])
    expect(compiled(notes.set({ place: null }))).toEqual([
      `"place_chain_id" = $1, "place_seen_at" = $2`,
      [null, null]
    ])
  })

  it("names a row by its key, and compares with null as SQL does", () => {
    expect(compiled(notes.keyOf(note))).toEqual([`"account_id" = $1 and "id" = $2`, ["acc", "n1"]])
    expect(compiled(notes.equals({ kind: "short", endedAt: null }))).toEqual([
      `"kind" = $1 and "ended_at" is null`,
      ["short"]
    ])
    expect(compiled(notes.equals({}))).toEqual(["true", []])
  })

  it("keeps an id as a UUID: what is none cannot be written, and is looked for as what nothing has", () => {
    const pages = table<{
      readonly accountId: string
      readonly id: string
      readonly noteId: string | null
    }>("page", { accountId: uuid, id: uuid, noteId: uuid })
    const known = {
      accountId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d",
      id: "ffffffff-ffff-7fff-bfff-ffffffffffff"
    }
    const page = { ...known, noteId: null }
    const nobodys = "00000000-0000-0000-0000-000000000000"
    expect(compiled(pages.insert(page))[1]).toEqual([known.accountId, known.id, null])
    expect(compiled(pages.equals(page))[1]).toEqual([known.accountId, known.id])
    for (const other of ["n1", "", known.id.toUpperCase(), `${known.id} `, `{${known.id}}`]) {
      const words = `An id is to be a UUID in lower case: ${other}`
      expect(() => pages.insert({ ...page, id: other })).toThrow(words)
      expect(() => pages.insertAll([{ ...page, noteId: other }])).toThrow(words)
      expect(() => pages.set({ noteId: other })).toThrow(words)
      expect(compiled(pages.equals({ id: other }))[1]).toEqual([nobodys])
      expect(pages.soughtId(other)).toBe(nobodys)
    }
    expect(pages.soughtId(known.id)).toBe(known.id)
    expect(notes.soughtId("n1")).toBe("n1")
  })

  it("sets and compares no field that its rows keep inside of another", () => {
    interface Page {
      readonly id: string
      readonly body: string
    }
    const kept = table<{ readonly id: string; readonly packed: string }>("page", {
      id: text,
      packed: text
    })
    const pages = keptAs<Page, { readonly id: string; readonly packed: string }>(
      kept,
      ({ body, id }) => ({ id, packed: body }),
      ({ id, packed }) => ({ id, body: packed })
    )
    const page = { id: "p1", body: "words" }
    expect(compiled(pages.equals({ id: "p1" }))).toEqual([`"id" = $1`, ["p1"]])
    expect(compiled(pages.insert(page))[1]).toEqual(["p1", "words"])
    const words = "page keeps no body by itself."
    // @ts-expect-error it has no column
    expect(() => pages.set({ body: "other" })).toThrow(words)
    // @ts-expect-error it has no column
    expect(() => pages.set(page, ["body"])).toThrow(words)
    // @ts-expect-error it has no column
    expect(() => pages.setAll(["body"])).toThrow(words)
    // What has more fields than the type says is refused as well.
    expect(() => pages.equals(page)).toThrow(words)
  })
})
