/** Transactions of one moment: what is wrong with one is said to it alone, and what may have happened is never said again. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { SqlError, UnknownError } from "effect/sql/SqlError"
import * as LoneWrites from "../../../adapters/postgres/lone-writes.ts"
import type { Write } from "../../../adapters/postgres/merged.ts"
import { MissingRow } from "../../../adapters/postgres/waiting-writes.ts"

const writing = (value: string): ReadonlyArray<Write> => [
  { statement: 'insert into thing ("id") values ($1)', parameters: [value], rows: undefined }
]

const written = { command: "INSERT", rowCount: 1, oid: null, rows: [], fields: [] }

const refusing = (code: string) =>
  new SqlError({
    reason: new UnknownError({
      cause: Object.assign(new Error(code), { code }),
      message: code,
      operation: "execute"
    })
  })

/** A database that fails whatever has the value `bad` in it. */
const answers = Effect.fnUntraced(function* (failure: Effect.Effect<never, SqlError>) {
  const said: Array<number> = []
  const commit = LoneWrites.make((writes) => {
    const values = writes.flatMap(({ parameters }) => parameters)
    said.push(values.length)
    return values.includes("bad") ? failure : Effect.succeed(written)
  })
  const exits = yield* Effect.forEach(
    ["a", "bad", "b", "c"],
    (value) => Effect.exit(commit(writing(value)) ?? Effect.die("It is no insert.")),
    { concurrency: "unbounded" }
  )
  return { said, isWritten: exits.map(Exit.isSuccess) }
})

describe("of four transactions of one moment, one of which is refused", () => {
  for (const [code, why] of [
    ["23505", "a constraint"],
    ["40P01", "a deadlock"],
    ["54000", "a value that no index takes"],
    ["55P03", "a lock that somebody keeps"],
    ["57014", "a statement that took too long"],
    ["P0001", "a trigger"]
  ] as const) {
    it.live(`the others are written after ${why}`, () =>
      Effect.map(answers(Effect.fail(refusing(code))), ({ isWritten, said }) => {
        assert.deepStrictEqual(isWritten, [true, false, true, true])
        assert.deepStrictEqual(said, [4, 1, 1, 1, 1])
      })
    )
  }

  it.live("the others are written where it did not find its row", () =>
    Effect.map(answers(Effect.die(new MissingRow())), ({ isWritten, said }) => {
      assert.deepStrictEqual(isWritten, [true, false, true, true])
      assert.deepStrictEqual(said, [4, 1, 1, 1, 1])
    })
  )

  for (const code of ["08006", "57P01", "XX000", "EPIPE", "53100"]) {
    it.live(`all hear of ${code}, and nothing is said again`, () =>
      Effect.map(answers(Effect.fail(refusing(code))), ({ isWritten, said }) => {
        assert.deepStrictEqual(isWritten, [false, false, false, false])
        assert.deepStrictEqual(said, [4])
      })
    )
  }
})
