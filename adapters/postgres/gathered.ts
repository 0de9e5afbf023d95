/**
 * Looks rows up by their keys: those that are looked for in one turn of the event loop, outside of any transaction,
 * are one statement. In a transaction each is its own, as it must see what the transaction wrote; and so is each of those that are asked with others.
 */
import { Effect, Exit, Request, RequestResolver } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import { Gathered } from "./asked-together.ts"

/** Until whoever else looks in this turn has asked. */
const endOfTurn = Effect.callback<void>((resume) => {
  const handle = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(handle))
})

/** `many` answers with the rows there are of these keys, in any order; `keyOf` tells them apart. */
export const gathered = <A>(
  sql: SqlClient,
  keyOf: (found: A) => string,
  many: (keys: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<A>>
) => {
  class Sought extends Request.Class<{ readonly key: string }, A | undefined> {}

  const lookUp = (keys: ReadonlyArray<string>) =>
    Effect.map(
      many([...new Set(keys)]),
      (found) => new Map(found.map((each) => [keyOf(each), each]))
    )

  const resolver = RequestResolver.makeWith<Sought>({
    batchKey: () => "all",
    delay: endOfTurn,
    collectWhile: () => true,
    runAll: (entries) =>
      Effect.map(lookUp(entries.map(({ request }) => request.key)), (found) => {
        for (const entry of entries) {
          entry.completeUnsafe(Exit.succeed(found.get(entry.request.key)))
        }
      })
  })

  return (key: string): Effect.Effect<A | undefined> =>
    Effect.flatMap(
      Effect.all([Effect.serviceOption(sql.transactionService), Gathered]),
      ([running, gathering]) =>
        running._tag === "Some" || gathering !== undefined
          ? Effect.map(lookUp([key]), (found) => found.get(key))
          : Effect.request(new Sought({ key }), resolver)
    )
}

/** What was found, if it is the account's. */
export const ownedBy = <A extends { readonly accountId: string }>(
  accountId: string,
  found: Effect.Effect<A | undefined>
): Effect.Effect<A | undefined> =>
  Effect.map(found, (row) => (row?.accountId === accountId ? row : undefined))
