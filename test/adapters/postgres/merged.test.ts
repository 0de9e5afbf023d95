/** Several statements as one text: what is put together once is said again with other parameters, and only of the same. */
import { assert, it } from "vitest"
import { sizesOf } from "../../../adapters/postgres/lone-writes.ts"
import * as Merged from "../../../adapters/postgres/merged.ts"

const entry = "insert into audit_entry (id, facts) values ($1, $2)"
const request = "update payment_request set status = $1 where id = $2 returning 1"

const written = (id: string, rows: number | undefined = 1): ReadonlyArray<Merged.Write> => [
  { statement: entry, parameters: [`entry of ${id}`, "{}"], rows: undefined },
  { statement: request, parameters: ["paid", id], rows }
]

it("the same statements are one text, with the parameters of each time", () => {
  const first = Merged.writes(written("a"))
  const second = Merged.writes(written("b"))
  assert.strictEqual(
    first.statement,
    `with write_0 as (insert into audit_entry (id, facts) values ($1, $2)), write_1 as (update payment_request set status = $3 where id = $4 returning 1) select (select 1 / (count(*) >= 1)::integer from write_1)`
  )
  assert.strictEqual(second.statement, first.statement)
  assert.deepStrictEqual(first.parameters, ["entry of a", "{}", "paid", "a"])
  assert.deepStrictEqual(second.parameters, ["entry of b", "{}", "paid", "b"])
})

it("what they must find, what is answered and their order make texts of their own", () => {
  const [one, two] = written("a") as [Merged.Write, Merged.Write]
  const texts = [
    Merged.writes([one, two]),
    Merged.writes(written("a", 2)),
    Merged.writes([one, { ...two, rows: undefined }]),
    Merged.writes([two, one]),
    Merged.writes([one], two),
    Merged.writes([{ ...one, rows: 1 }], two),
    Merged.reads([one, two])
  ].map(({ statement }) => statement)
  assert.strictEqual(new Set(texts).size, texts.length)
})

it("a write stands beside those that name no table of each other, by whole words", () => {
  const deleting = "delete from audit_waiting where entry_id = $1"
  assert.isTrue(Merged.standsBeside(request, [entry, deleting]))
  assert.isFalse(Merged.standsBeside(request, ["select * from wallet"]))
  assert.isFalse(Merged.standsBeside("select 1", [entry]))
  const both = "insert into audit_entry (id) select id from payment_request"
  assert.isFalse(Merged.standsBeside(request, [both]))
  assert.isFalse(Merged.standsBeside(both, [request]))
  assert.isTrue(Merged.standsBeside("insert into payment_request_note (id) values ($1)", [request]))
})

const inserted = (...values: ReadonlyArray<unknown>): ReadonlyArray<Merged.Write> => [
  {
    statement: 'insert into audit_entry ("id", "told") values ($1, $2)',
    parameters: values,
    rows: undefined
  }
]

it("inserts of the same rows are one insert of as many", () => {
  const all = [inserted("a", "1"), inserted("b", "2"), inserted("c", null)]
  assert.strictEqual(new Set(all.map(Merged.repeatableAs)).size, 1)
  assert.deepStrictEqual(Merged.repeated(all), [
    {
      statement: 'insert into audit_entry ("id", "told") values ($1, $2), ($3, $4), ($5, $6)',
      parameters: ["a", "1", "b", "2", "c", null],
      rows: undefined
    }
  ])
  assert.deepStrictEqual(Merged.repeated([inserted("a", "1")]), inserted("a", "1"))
})

it("updates that must find their rows stand side by side, and are told apart by how many", () => {
  const update = (id: string, rows: number): Merged.Write => ({
    statement: "update idempotency_key set answer = $1 where of_call = $2 returning 1",
    parameters: ["{}", id],
    rows
  })
  const all = ["a", "b"].map((id) => [...inserted(id, "1"), update(id, 1)])
  assert.strictEqual(new Set(all.map(Merged.repeatableAs)).size, 1)
  assert.deepStrictEqual(Merged.repeated(all).slice(1), [update("a", 1), update("b", 1)])
  assert.notStrictEqual(
    Merged.repeatableAs([update("a", 1)]),
    Merged.repeatableAs([update("a", 2)])
  )
  // Without a row to find, one of two that write to the same would be lost and nobody told.
  assert.isUndefined(Merged.repeatableAs([{ ...update("a", 1), rows: undefined }]))
  assert.isUndefined(Merged.repeatableAs([update("a", 0)]))
})

it("an insert that must not leave its row out becomes one that must leave out none", () => {
  const reserved = (id: string, units: bigint): ReadonlyArray<Merged.Write> => [
    {
      statement:
        "\n insert into sum as was (id, state, units)\n values ($1, 'held', $2)\n on conflict (id) do update set units = excluded.units where was.state = 'free' returning id",
      parameters: [id, units],
      rows: 1
    }
  ]
  const all = [reserved("a", 1n), reserved("b", 2n)]
  assert.strictEqual(new Set(all.map(Merged.repeatableAs)).size, 1)
  assert.deepStrictEqual(Merged.repeated(all), [
    {
      statement:
        "\n insert into sum as was (id, state, units)\n values ($1, 'held', $2), ($3, 'held', $4)\n on conflict (id) do update set units = excluded.units where was.state = 'free' returning id",
      parameters: ["a", 1n, "b", 2n],
      rows: 2
    }
  ])
  for (const rows of [undefined, 0]) {
    assert.isUndefined(Merged.repeatableAs(reserved("a", 1n).map((one) => ({ ...one, rows }))))
  }
  const [one] = reserved("a", 1n) as [Merged.Write]
  const own = { ...one, statement: one.statement.replace("excluded.units where", "$2 where") }
  assert.isUndefined(Merged.repeatableAs([own]))
})

it("inserts whose values are of other types are another statement", () => {
  const values = ["1", new Date(), Buffer.of(1), 1n, 1, 2 ** 40, 0.5, true, []]
  const keys = values.map((value) => Merged.repeatableAs(inserted("a", value)))
  assert.strictEqual(new Set(keys).size, keys.length)
})

it("what is more than an insert of one row is said by itself", () => {
  const [one] = inserted("a", "1") as [Merged.Write]
  for (const more of [" on conflict do nothing", " returning 1", ", ($1, $2)"]) {
    assert.isUndefined(Merged.repeatableAs([{ ...one, statement: one.statement + more }]))
  }
  assert.isUndefined(Merged.repeatableAs([one, { ...one, statement: request }]))
})

it("so many transactions are as many statements as their number has powers of two", () => {
  assert.deepStrictEqual([1, 2, 3, 13, 32, 69].map(sizesOf), [
    [1],
    [2],
    [2, 1],
    [8, 4, 1],
    [32],
    [32, 32, 4, 1]
  ])
})
