/**
 * One command for each operation, made of what the catalogue says of it. The catalogue gives the flags
 * and the help; whether a call is allowed, and what comes of it, the service alone says.
 */
import { Console, Effect, Option, Result } from "effect"
import { Argument, Command } from "effect/cli"
import type { Bound } from "../../adapters/http/route.ts"
import type * as Operation from "../../core/operation/operation.ts"
import { inputOf } from "../manual/example.ts"
import { commandLine, type Spoken } from "./command-line.ts"
import { connect } from "./connection.ts"
import { misused } from "./exit.ts"
import { type Field, fieldsOf, kebab, positionalOf, readValue, type Value } from "./field.ts"
import { flagOf, ownFlags, spoken } from "./operation-flags.ts"
import { endOf } from "./outcome.ts"
import { type Format, formatOf, rendered } from "./output.ts"
import { cursorAfter } from "./print.ts"
import { requestOf, send, type Values } from "./request.ts"
import type { Fields } from "./table.ts"
import { followedBy, waited } from "./wait.ts"

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

interface Answered {
  readonly operation: Operation.Any
  readonly values: Values
  readonly json: string
  readonly format: Format
  readonly spoken: Spoken
}

const show = Effect.fnUntraced(function* ({ format, json, operation, spoken, values }: Answered) {
  yield* Console.log(yield* rendered(json, format))
  const cursor = format === "json" ? undefined : cursorAfter(JSON.parse(json))
  if (cursor === undefined) return
  const given = [...values].filter(([name]) => name !== "cursor")
  const input = Object.fromEntries(given.map(([name, { text }]) => [name, text]))
  yield* Console.error(`Next page: ${commandLine(operation, { ...input, cursor }, spoken)}`)
})

/** What was written, the id that stands without a flag among it. */
const withPositional = Effect.fnUntraced(function* (
  operation: Operation.Any,
  field: Field | undefined,
  written: Readonly<Record<string, ReadonlyArray<string>>>,
  alone: string | undefined
) {
  if (field === undefined) return written
  const flagged = written[field.name] ?? []
  if (alone !== undefined && flagged.length > 0 && flagged[0] !== alone) {
    return yield* misused(`<${field.flag}> and --${field.flag} differ; write one of them.`)
  }
  if (alone === undefined && flagged.length === 0) {
    return yield* misused(`Missing <${field.flag}>.`, `See: bursar ${kebab(operation.name)} --help`)
  }
  return alone === undefined ? written : { ...written, [field.name]: [alone] }
})

/** The argument of a command that takes an id without a flag; of others it takes nothing and is not shown. */
const positionalArgument = (field: Field | undefined) =>
  field === undefined
    ? {}
    : {
        alone: Argument.String(field.flag).pipe(
          Argument.withDescription(spoken(field.schema.description ?? "Its id.")),
          Argument.optional,
          Argument.map(Option.getOrUndefined)
        )
      }

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
  const positional = positionalOf(operation)
  const input = Object.fromEntries(
    fields.map((field) => [field.name, flagOf(field, field.name === positional?.name)])
  )
  const follows = followedBy(operation)
  return Command.make(
    kebab(operation.name),
    { ...positionalArgument(positional), input, own: ownFlags(operation, fields) },
    Effect.fnUntraced(function* ({ own, ...written }) {
      const { alone } = written as { readonly alone?: string | undefined }
      const values = yield* valuesOf(
        fields,
        yield* withPositional(operation, positional, written.input, alone)
      )
      const format = yield* formatOf(Option.getOrUndefined(own.output), own.json)
      const connection = yield* connect(own)
      const idempotencyKey = yield* keyFor(operation, own.idempotencyKey)
      const reply = yield* send(connection, requestOf(bound, values), idempotencyKey)
      const end = endOf(
        { operation, idempotencyKey, spoken: own, siteUrl: connection.siteUrl },
        reply
      )
      if (end !== undefined) return yield* end
      if (reply._tag !== "answered") return
      const answered = { operation, values, format, spoken: own }
      const { wait } = own as { readonly wait?: boolean }
      if (wait !== true || follows === undefined)
        return yield* show({ ...answered, json: reply.json })
      const last = yield* waited(connection, follows, JSON.parse(reply.json) as Fields)
      yield* show({ ...answered, json: JSON.stringify(last.data) })
      if (last.end !== undefined) return yield* last.end
    })
  ).pipe(
    Command.withDescription(help(operation)),
    Command.withShortDescription(spoken(operation.summary)),
    Command.withExamples([{ command: commandLine(operation, inputOf(operation)) }])
  )
}
