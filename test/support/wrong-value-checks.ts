/** Asks every write for every wrong value there is, and holds it to one sentence, one field and no change. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type Name, operations } from "../../core/treasury/operations.ts"
import type { Needs } from "../../core/treasury/treasury.ts"
import type { Owner } from "./full-account.ts"
import { asFunction, type Fields, type Said } from "./surface-calls.ts"
import { inputs } from "./valid-inputs.ts"
import { rivals, wrong } from "./wrong-values.ts"

export const writes = operations.filter(({ sideEffect }) => sideEffect !== "read")

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

/** Which wrong values of a field are tried; the place tells one field of the table from another. */
export type Choice = (values: ReadonlyArray<unknown>, place: number) => ReadonlyArray<unknown>

export const whole: Choice = (values) => values

/** Of each field one in ten, and one at least; another tenth for each field, so that every kind is met. */
export const sample: Choice = (values, place) =>
  values.filter((_, at) => at === place % values.length || (at + place) % 10 === 0)

/** Tries wrong values in each field of one operation, by whichever way of asking. */
export const tryAll = Effect.fnUntraced(function* <R>(
  name: Name,
  own: Owner,
  ask: (path: string, input: Fields, value: unknown) => Effect.Effect<Said | undefined, never, R>,
  choice: Choice
) {
  const before = yield* lists(own)
  const first = writes.findIndex((each) => each.name === name)
  for (const [at, [path, values]] of Object.entries(wrong[name] ?? {}).entries()) {
    const chosen = choice(values, first + at)
    assert.isNotEmpty(chosen, `${name}: ${path}`)
    for (const value of chosen) {
      const said = yield* ask(path, spoilt(name, own, path, value), value)
      if (said !== undefined) assertRefused(said, name, path, value)
    }
  }
  assert.strictEqual(yield* lists(own), before)
})
