/** The flags of an operation's command: one for each field, and those that every command has. */
import { Option } from "effect"
import { Flag } from "effect/cli"
import type * as Operation from "../../core/operation/operation.ts"
import { operations } from "../../core/treasury/operations.ts"
import { limitsOf } from "../manual/field.ts"
import { type Field, kebab, ownFlag } from "./field.ts"
import { outputFlags } from "./output.ts"
import { followedBy } from "./wait.ts"

const shapes: Readonly<Record<Field["sort"], string>> = {
  text: "text",
  number: "number",
  boolean: "boolean",
  list: "text, repeatable",
  map: "key=value, repeatable",
  json: "JSON"
}

/** What the fields below a JSON flag are called, the optional ones with a question mark. */
const membersOf = ({ schema }: Field): string => {
  const { properties = {}, required = [] } = schema.items ?? schema
  const names = Object.keys(properties).map((name) => name + (required.includes(name) ? "" : "?"))
  return names.length === 0 ? "" : `{ ${names.join(", ")} }`
}

const names: ReadonlySet<string> = new Set(operations.map(({ name }) => name))

/** The catalogue speaks of operations by their names; here they are commands. */
export const spoken = (text: string) =>
  text.replaceAll(/[a-z]+(?:_[a-z]+)+/gu, (name) => (names.has(name) ? kebab(name) : name))

const sentence = (text: string) => (text === "" || text.endsWith(".") ? text : `${text}.`)

const requirement = (field: Field, isPositional: boolean): string => {
  if (isPositional) return "May stand without its flag."
  return field.required ? "Required." : ""
}

const descriptionOf = (field: Field, isPositional = false): string => {
  const limits = limitsOf(field.schema)
  return [
    requirement(field, isPositional),
    sentence(spoken(field.schema.description ?? "")),
    sentence(field.sort === "json" ? membersOf(field) : ""),
    limits === "" ? "" : `(${limits})`
  ]
    .filter((part) => part !== "")
    .join(" ")
}

/** Every flag gives the texts written behind it; none when it was left out. */
export const flagOf = (field: Field, isPositional = false): Flag.Flag<ReadonlyArray<string>> => {
  const described = <A>(flag: Flag.Flag<A>) =>
    flag.pipe(
      Flag.withDescription(descriptionOf(field, isPositional)),
      Flag.withMetavar(`<${shapes[field.sort]}>`)
    )
  if (field.sort === "boolean") {
    return Flag.Boolean(field.flag).pipe(
      Flag.withDescription(descriptionOf(field)),
      Flag.optional,
      Flag.map(Option.match({ onNone: () => [], onSome: (value) => [String(value)] }))
    )
  }
  const text = described(Flag.String(field.flag))
  if (field.sort === "list" || field.sort === "map")
    return Flag.atLeast(text, field.required ? 1 : 0)
  return field.required && !isPositional
    ? Flag.map(text, (one) => [one])
    : Flag.map(Flag.optional(text), Option.match({ onNone: () => [], onSome: (one) => [one] }))
}

const optionally = <A>(flag: Flag.Flag<A>, description: string) =>
  flag.pipe(Flag.withDescription(description), Flag.optional, Flag.map(Option.getOrUndefined))

/** Flags every operation's command has. */
export const connectionFlags = (fields: ReadonlyArray<Field> = []) => ({
  url: optionally(
    Flag.String(ownFlag(fields, "url")).pipe(Flag.withMetavar("<url>")),
    "The service's address. Default: BURSAR_URL, or the sandbox of this directory."
  ),
  key: optionally(
    Flag.Redacted(ownFlag(fields, "key")).pipe(Flag.withMetavar("<key>")),
    "The API key. Default: BURSAR_API_KEY, which other users of this machine cannot see."
  ),
  as: optionally(
    Flag.Literals(ownFlag(fields, "as"), ["developer", "agent"]).pipe(Flag.withMetavar("<kind>")),
    "Which of the sandbox's accounts to use."
  )
})

/** Only where there is something to wait for; elsewhere there is no such flag. */
const waitFlag = (operation: Operation.Any, fields: ReadonlyArray<Field>) =>
  followedBy(operation) === undefined
    ? {}
    : {
        wait: Flag.Boolean(ownFlag(fields, "wait")).pipe(
          Flag.withDescription(
            "Wait until it has ended, and show how it goes. Exits with 1 if it does not succeed."
          ),
          Flag.withoutNegation,
          Flag.withDefault(false)
        )
      }

export const ownFlags = (operation: Operation.Any, fields: ReadonlyArray<Field>) => ({
  ...connectionFlags(fields),
  ...outputFlags(fields),
  ...waitFlag(operation, fields),
  idempotencyKey:
    operation.sideEffect === "read"
      ? Flag.Never.pipe(Flag.withHidden, Flag.optional, Flag.map(Option.getOrUndefined))
      : optionally(
          Flag.String(ownFlag(fields, "idempotency-key")).pipe(Flag.withMetavar("<text>")),
          "Your own key for this call; a call with the same key is executed once. Default: a new key."
        )
})
