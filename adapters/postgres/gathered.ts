/**
 * Looks rows up by their keys: those that are looked for in one turn of the event loop are one statement, of whatever
 * tables. In a transaction that holds or wrote something each is its own, as it must see what the transaction wrote; and
 * so is each of those that are asked with others.
 */
import { Context, Effect, Exit } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { gatheredInTurn } from "../turns/end-of-turn.ts"
import { Gathered } from "./asked-together.ts"
import { askedAs, mapped, plainly, type Running, runningIn } from "./said.ts"
import { askedAsOne } from "./together.ts"

/** Looks up the rows of these keys, by key. */
type LookUp = (keys: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, unknown>>

interface Sought {
  readonly lookUp: LookUp
  readonly key: string
}

/** All that is sought in one turn, each table by itself and all of them as one statement. */
const makeSeeking = () =>
  gatheredInTurn<Sought, unknown, never>((all) => {
    const tables = [...Map.groupBy(all, ({ question }) => question.lookUp)]
    const looked = tables.map(([lookUp, sought]) =>
      lookUp([...new Set(sought.map(({ question }) => question.key))])
    )
    return Effect.map(askedAsOne(looked), (found) => {
      for (const [at, [, sought]] of tables.entries()) {
        for (const { answer, question } of sought) {
          answer(Exit.succeed(found[at]?.get(question.key)))
        }
      }
    })
  })

const seekers = new WeakMap<SqlClient, ReturnType<typeof makeSeeking>>()

const seekingOf = (sql: SqlClient) => {
  const known = seekers.get(sql)
  if (known !== undefined) return known
  const made = makeSeeking()
  seekers.set(sql, made)
  return made
}

/** Whether the transaction has asked it already. */
const isKnown = (question: Effect.Effect<unknown>, services: Context.Context<never>): boolean => {
  const asked = plainly(question, services)
  return asked?.place.known(asked.said) !== undefined
}

/** `many` answers with the rows there are of these keys, in any order; `keyOf` tells them apart. */
export const gathered = <A>(
  sql: SqlClient,
  keyOf: (found: A) => string,
  many: (keys: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<A>>
) => {
  const lookUp = (keys: ReadonlyArray<string>) =>
    mapped(many(keys), (found) => new Map(found.map((each) => [keyOf(each), each])))
  const seek = seekingOf(sql)

  const outside = (services: Context.Context<never>): Context.Context<never> =>
    Context.omit(sql.transactionService)(services)

  return (key: string): Effect.Effect<A | undefined> => {
    const byItself = () => mapped(many([key]), (found) => found.find((each) => keyOf(each) === key))
    // The row of a table is what its own look up finds.
    const withOthers = seek({ lookUp, key }) as Effect.Effect<A | undefined>
    const within = (running: Running, services: Context.Context<never>) => {
      const alone = byItself()
      if (!running.isFree() || isKnown(alone, services)) return alone
      const known = running.readAgain.findRow(lookUp, key)
      if (known !== undefined) return Effect.succeed(known.row as A | undefined)
      return Effect.tap(Effect.updateContext(withOthers, outside), (row) =>
        Effect.sync(() => {
          // What it holds or wrote meanwhile may have changed the row.
          if (running.isFree()) running.readAgain.noteRow(lookUp, key, row)
        })
      )
    }
    const seeking = Effect.contextWith((services: Context.Context<never>) => {
      if (Context.get(services, Gathered) !== undefined) return byItself()
      const running = runningIn(sql.transactionService, services)
      return running === undefined ? withOthers : within(running, services)
    })
    return askedAs(seeking, byItself)
  }
}

/** All rows of a key, looked up in the same way. */
export const gatheredAll = <A>(
  sql: SqlClient,
  keyOf: (found: A) => string,
  many: (keys: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<A>>
) => {
  const find = gathered<readonly [string, ReadonlyArray<A>]>(
    sql,
    ([key]) => key,
    (keys) => Effect.map(many(keys), (found) => [...Map.groupBy(found, keyOf)])
  )
  return (key: string) => mapped(find(key), (found) => found?.[1] ?? [])
}

/** What was found, if it is the account's. */
export const ownedBy = <A extends { readonly accountId: string }>(
  accountId: string,
  found: Effect.Effect<A | undefined>
): Effect.Effect<A | undefined> =>
  mapped(found, (row) => (row?.accountId === accountId ? row : undefined))
