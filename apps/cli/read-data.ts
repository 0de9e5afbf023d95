/** Reads an operation's data for a command that needs more than one call; what goes wrong ends the command. */
import { Effect } from "effect"
import { bound } from "../../adapters/http/route.ts"
import type { Name } from "../../core/treasury/operations.ts"
import type { Connection } from "./connection.ts"
import { fieldsOf, readValue, type Value } from "./field.ts"
import { endOf } from "./outcome.ts"
import { requestOf, send } from "./request.ts"

const tooMany = "RATE_LIMITED"

/** The data of a read. A long walk may use up its rate limit for a minute; then it waits for the next one. */
export const readData = Effect.fnUntraced(function* (
  connection: Connection,
  name: Name,
  input: Readonly<Record<string, string>> = {}
) {
  const found = bound.find(({ operation }) => operation.name === name)
  if (found === undefined) return yield* Effect.die(new Error(`Unknown operation ${name}.`))
  const values = new Map<string, Value>()
  for (const field of fieldsOf(found.operation)) {
    const text = input[field.name]
    if (text === undefined) continue
    values.set(field.name, yield* Effect.orDie(Effect.fromResult(readValue(field, [text]))))
  }
  const { siteUrl } = connection
  while (true) {
    const reply = yield* send(connection, requestOf(found, values), undefined)
    if (reply._tag === "refused" && reply.error.code === tooMany) {
      yield* Effect.sleep(`${reply.error.details?.retryAfterSeconds ?? 60} seconds`)
      continue
    }
    const end = endOf(
      { operation: found.operation, siteUrl, idempotencyKey: undefined, spoken: {} },
      reply
    )
    if (end !== undefined) return yield* end
    if (reply._tag === "answered") return JSON.parse(reply.json) as unknown
  }
})
