/** Asks every write for every wrong value there is, and holds it to one sentence, one field and no change. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type Name, operations } from "../../core/treasury/operations.ts"
import type { Needs } from "../../core/treasury/treasury.ts"
import { asFunction, type Fields, type Said } from "./asking.ts"
import type { Owner } from "./one-of-everything.ts"
import { inputs } from "./valid-inputs.ts"
import { rivals, wrong } from "./wrong-values.ts"

export const writes = operations.filter(({ nature }) => nature !== "read")

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null

/** The value with what stands at a path below it replaced. */
const replaced = (
  value: unknown,
  [first, ...rest]: ReadonlyArray<string>,
  put: unknown
): unknown => {
  if (first === undefined) return put
  if (Array.isArray(value)) {
    return value.map((each, at) => (String(at) === first ? replaced(each, rest, put) : each))
  }
  const fields = isObject(value) ? value : {}
  return { ...fields, [first]: replaced(fields[first], rest, put) }
}

/** The operation's valid input with one value wrong, and nothing else that could be to blame. */
export const spoilt = (name: Name, own: Owner, path: string, value: unknown): Fields => {
  const { [rivals[path] ?? ""]: _, ...input } = inputs[name](own)
  return replaced(input, path.split("."), value) as Fields
}

const shown = (name: string, path: string, value: unknown) =>
  `${name}: ${path} = ${(typeof value === "bigint" ? `${value}n` : (JSON.stringify(value) ?? String(value))).slice(0, 80)}`

/** A refusal that names the field, or one within it, says so in a sentence, and did nothing. */
export const assertRefused = (said: Said, name: string, path: string, value: unknown): void => {
  const what = shown(name, path, value)
  assert.isFalse(said.ok, `accepted ${what}`)
  if (said.ok) return
  const { error, status } = said
  assert.strictEqual(status, 400, `${what} ${error.code} ${error.message}`)
  assert.match(error.code, /^[A-Z_]+$/u, what)
  assert.strictEqual(error.outcome, "not_executed", what)
  assert.isTrue(
    error.param === path || error.param?.startsWith(`${path}.`),
    `${what} ${error.param}`
  )
  assert.match(error.message, /^\S+ .+\.$/su, what)
}

/** Everything the account can list, and its whole audit log. */
export const lists = (own: Owner): Effect.Effect<string, never, Needs> =>
  Effect.map(
    Effect.forEach(
      operations.filter(({ name }) => name.startsWith("list_")),
      ({ name }) => asFunction(name, { limit: 100 }, own.caller)
    ),
    (all) => JSON.stringify(all)
  )

/** Tries each wrong value of one operation, by whichever way of asking. */
export const tryAll = Effect.fnUntraced(function* <R>(
  name: Name,
  own: Owner,
  ask: (path: string, input: Fields, value: unknown) => Effect.Effect<Said | undefined, never, R>,
  more: ReadonlyArray<unknown> = []
) {
  const before = yield* lists(own)
  for (const [path, values] of Object.entries(wrong[name] ?? {})) {
    for (const value of [...values, ...more]) {
      const said = yield* ask(path, spoilt(name, own, path, value), value)
      if (said !== undefined) assertRefused(said, name, path, value)
    }
  }
  assert.strictEqual(yield* lists(own), before)
})
