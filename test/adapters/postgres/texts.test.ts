/** The text of a statement is put together once: it is what the client makes of it, whatever its values, and the same string. */
import * as PgClient from "@effect/sql-pg/PgClient"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Statement from "effect/sql/Statement"
import { saidBy } from "../../../adapters/postgres/texts.ts"

const sql = Statement.make(
  Effect.die(new Error("Nothing is said here")),
  PgClient.makeCompiler(),
  [],
  undefined
)

const plain = (id: string, at: Date) =>
  sql`select * from ${sql("account")} where "id" = ${id} and (created_at, id) > (${at}, ${id})`

const within = (ids: ReadonlyArray<string>) => sql`select from account where ${sql.in("id", ids)}`

const forms = [
  plain("one", new Date(0)),
  plain("$2", new Date(1)),
  sql`select ${1n} from ${sql("a.b")} where ${sql.literal("true")}`,
  sql`select ${null}, ${["x"]}::text[]`,
  sql`select from a where ${Statement.fragment([Statement.literal("b = "), Statement.parameter(2)])}`,
  within(["one"]),
  within(["one", "two"]),
  within([]),
  sql.unsafe("select $1", ["one"]),
  sql`insert into account ${sql.insert({ id: "one", name: "two" })}`
]

it("it says what the client says, whichever statement came before", () => {
  for (let round = 0; round < 3; round++) {
    for (const form of forms) {
      const [statement, parameters] = form.compile()
      assert.deepStrictEqual(saidBy(form), { statement, parameters })
    }
  }
})

it("statements of the same parts are put together once, whatever their values", () => {
  let compiled = 0
  const counted = (id: string) => {
    const made = plain(id, new Date(5))
    const compile = () => {
      compiled += 1
      return made.compile()
    }
    return { segments: [...made.segments, Statement.literal(" limit 7")], compile }
  }
  for (const id of ["one", "two", "three"]) {
    assert.deepStrictEqual(saidBy(counted(id)).parameters, [id, new Date(5), id])
  }
  assert.strictEqual(compiled, 1)
})
