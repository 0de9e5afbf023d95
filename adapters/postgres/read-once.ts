/**
 * Reads outside of transactions: what several ask in one turn of the event loop in the same words is said once, when
 * that turn ends, and answers all of them. It is said after each of them asked, so nobody is told what was before.
 */
import type { Result, Row } from "@effect/sql-pg/PgConnection"
import { type Context, Effect, type Exit, type Fiber } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import type { Said } from "./merged.ts"
import { keyOf } from "./read-again.ts"

type Say = (said: Said) => Effect.Effect<Result, SqlError>

type Resume = (answer: Effect.Effect<Result, SqlError>) => void

/** A question, and who waits for its answer. */
interface Asked {
  readonly said: Said
  readonly context: Context.Context<never>
  readonly waiting: Set<Resume>
  fiber?: Fiber.Fiber<Result, SqlError>
}

type Read = (row: never) => unknown

/** Of rows that answer several: what was made of them, by what made it. */
const shared = new WeakMap<ReadonlyArray<Row>, Map<Read, ReadonlyArray<unknown>>>()

/** What `read` makes of each row; once for all whom these rows answer. Nobody changes what a store gives. */
export const each = <Given, A>(
  rows: ReadonlyArray<Given>,
  read: (row: Given) => A
): ReadonlyArray<A> => {
  const made = shared.get(rows as ReadonlyArray<Row>)
  if (made === undefined) return rows.map((row) => read(row))
  const known = made.get(read as Read)
  // What is kept by a function was made by it.
  if (known !== undefined) return known as ReadonlyArray<A>
  const fresh = rows.map((row) => read(row))
  made.set(read as Read, fresh)
  return fresh
}

/** What `read` makes of the first row of some. */
export const first = <Given, A>(rows: ReadonlyArray<Given>, read: (row: Given) => A): A =>
  shared.has(rows as ReadonlyArray<Row>) ? (each(rows, read)[0] as A) : read(rows[0] as Given)

/** Of rows that are asked for again. */
export const share = (rows: ReadonlyArray<Row>): void => {
  if (!shared.has(rows)) shared.set(rows, new Map())
}

const answered = ({ waiting }: Asked, exit: Exit.Exit<Result, SqlError>) => {
  if (exit._tag === "Success" && waiting.size > 1) shared.set(exit.value.rows, new Map())
  for (const resume of waiting) resume(exit)
}

const begin = (asked: Asked, say: Say) => {
  const { context, said, waiting } = asked
  const [only, ...others] = waiting
  if (only === undefined) return
  // Alone, it says it itself. With others, a fiber that is nobody's does: whoever asked first may be interrupted.
  if (others.length === 0) return only(say(said))
  asked.fiber = Effect.runForkWith(context)(say(said))
  asked.fiber.addObserver((exit) => answered(asked, exit))
}

/** What asks by `say` for all who ask in one turn. */
export const make = (say: Say): Say => {
  let turn = new Map<string, Asked>()

  const end = () => {
    const all = turn
    turn = new Map()
    for (const asked of all.values()) begin(asked, say)
  }

  const askedIn = (said: Said, context: Context.Context<never>): Asked => {
    const key = keyOf(said.statement, said.parameters)
    const known = turn.get(key)
    if (known !== undefined) return known
    if (turn.size === 0) setImmediate(end)
    const asked = { said, context, waiting: new Set<Resume>() }
    turn.set(key, asked)
    return asked
  }

  return (said) =>
    Effect.contextWith((context: Context.Context<never>) =>
      Effect.callback<Result, SqlError>((resume) => {
        const asked: Asked = askedIn(said, context)
        asked.waiting.add(resume)
        return Effect.sync(() => {
          asked.waiting.delete(resume)
          // What nobody waits for any more is not said to its end.
          if (asked.waiting.size === 0) asked.fiber?.interruptUnsafe()
        })
      })
    )
}
