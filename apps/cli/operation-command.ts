/**
 * One command for each operation, made of what the catalogue says of it. The catalogue gives the flags
 * and the help; whether a call is allowed, and what comes of it, the service alone says.
 */
import { Console, Effect, Option, Result } from "effect"
import { Command, Flag } from "effect/cli"
import type { Bound } from "../../adapters/http/route.ts"
import type * as Operation from "../../core/operation/operation.ts"
import { operations } from "../../core/treasury/operations.ts"
import { inputOf } from "../manual/example.ts"
import { limitsOf } from "../manual/field.ts"
import { commandLine, type Spoken } from "./command-line.ts"
import { connect } from "./connection.ts"
import { misused } from "./exit.ts"
import { type Field, fieldsOf, kebab, ownFlag, readValue, type Value } from "./field.ts"
import { endOf } from "./outcome.ts"
import { cursorAfter, lines } from "./print.ts"
import { requestOf, send, type Values } from "./request.ts"
import { Shell } from "./shell.ts"

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
const spoken = (text: string) =>
  text.replaceAll(/[a-z]+(?:_[a-z]+)+/gu, (name) => (names.has(name) ? kebab(name) : name))

const sentence = (text: string) => (text === "" || text.endsWith(".") ? text : `${text}.`)

const descriptionOf = (field: Field): string => {
  const limits = limitsOf(field.schema)
  return [
    field.required ? "Required." : "",
    sentence(spoken(field.schema.description ?? "")),
    sentence(field.sort === "json" ? membersOf(field) : ""),
    limits === "" ? "" : `(${limits})`
  ]
    .filter((part) => part !== "")
    .join(" ")
}

/** Every flag gives the texts written behind it; none when it was left out. */
const flagOf = (field: Field): Flag.Flag<ReadonlyArray<string>> => {
  const described = <A>(flag: Flag.Flag<A>) =>
    flag.pipe(
      Flag.withDescription(descriptionOf(field)),
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
  return field.required
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

const ownFlags = (operation: Operation.Any, fields: ReadonlyArray<Field>) => ({
  ...connectionFlags(fields),
  json: Flag.Boolean(ownFlag(fields, "json")).pipe(
    Flag.withDescription("Print the service's data unchanged, as JSON."),
    Flag.withoutNegation,
    Flag.withDefault(false)
  ),
  idempotencyKey:
    operation.sideEffect === "read"
      ? Flag.Never.pipe(Flag.withHidden, Flag.optional, Flag.map(Option.getOrUndefined))
      : optionally(
          Flag.String(ownFlag(fields, "idempotency-key")).pipe(Flag.withMetavar("<text>")),
          "Your own key for this call; a call with the same key is executed once. Default: a new key."
        )
})

const valuesOf = Effect.fnUntraced(function* (
  fields: ReadonlyArray<Field>,
  written: Readonly<Record<string, ReadonlyArray<string>>>
) {
  const values = new Map<string, Value>()
  for (const field of fields) {
    const texts = written[field.name] ?? []
    if (texts.length === 0) continue
    const value = readValue(field, texts)
    if (Result.isFailure(value)) return yield* misused(value.failure)
    values.set(field.name, value.success)
  }
  return values as Values
})

/** A read needs no key; a write without one gets one that is said before it is sent. */
const keyFor = Effect.fnUntraced(function* (operation: Operation.Any, given: string | undefined) {
  if (operation.sideEffect === "read" || given !== undefined) return given
  const made = crypto.randomUUID()
  yield* Console.error(`To retry exactly this call: --idempotency-key ${made}`)
  return made
})

const show = Effect.fnUntraced(function* (
  operation: Operation.Any,
  values: Values,
  json: string,
  spoken: Spoken
) {
  const { columns } = yield* Shell
  const data: unknown = JSON.parse(json)
  yield* Console.log(lines(data, columns).join("\n"))
  const cursor = cursorAfter(data)
  if (cursor === undefined) return
  const given = [...values].filter(([name]) => name !== "cursor")
  const input = Object.fromEntries(given.map(([name, { text }]) => [name, text]))
  yield* Console.error(`Next page: ${commandLine(operation, { ...input, cursor }, spoken)}`)
})

const help = (operation: Operation.Any): string =>
  [
    spoken(operation.summary),
    "",
    `Next: ${spoken(operation.next)}`,
    `Scope: ${operation.scope}. ${
      operation.sideEffect === "read" ? "Read-only." : "Executed once per idempotency key."
    }`
  ].join("\n")

export const operationCommand = (bound: Bound) => {
  const { operation } = bound
  const fields = fieldsOf(operation)
  const input = Object.fromEntries(fields.map((field) => [field.name, flagOf(field)]))
  return Command.make(
    kebab(operation.name),
    { input, own: ownFlags(operation, fields) },
    Effect.fnUntraced(function* ({ input, own }) {
      const values = yield* valuesOf(fields, input)
      const connection = yield* connect(own)
      const idempotencyKey = yield* keyFor(operation, own.idempotencyKey)
      const reply = yield* send(connection, requestOf(bound, values), idempotencyKey)
      if (reply._tag === "answered") {
        yield* own.json ? Console.log(reply.json) : show(operation, values, reply.json, own)
      }
      const end = endOf(
        { operation, idempotencyKey, spoken: own, siteUrl: connection.siteUrl },
        reply
      )
      if (end !== undefined) return yield* end
    })
  ).pipe(
    Command.withDescription(help(operation)),
    Command.withShortDescription(spoken(operation.summary)),
    Command.withExamples([{ command: commandLine(operation, inputOf(operation)) }])
  )
}
