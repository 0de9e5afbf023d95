/** Prints what an operator's command found or did: for people unless asked, all of it as text, as JSON or as CSV. */
import { Console, Effect, Option, Schema } from "effect"
import { type Format, outputFlags, rendered } from "../output.ts"

/** The flags that choose the form. Without them it is for people, in a pipe too. */
export const form = outputFlags([], "Default: table.")

export interface Form {
  readonly output: Option.Option<Format>
  readonly json: boolean
}

export const formatFor = ({ json, output }: Form): Format =>
  Option.getOrElse(output, (): Format => (json ? "json" : "table"))

/** Data that people read in other lines than those of its fields. */
export const tell = Effect.fnUntraced(function* (data: Schema.Json, told: string, form: Form) {
  const format = formatFor(form)
  yield* Console.log(format === "table" ? told : yield* rendered(JSON.stringify(data), format))
})

/** What was done, in one sentence; to a program it stands beside what it asks for. */
export const say = (message: string, facts: Readonly<Record<string, Schema.Json>>, form: Form) =>
  tell({ ...facts, message }, message, form)

/** Encodes by the schema that also gives it its fields: what has none is not shown. */
export const encoded = Effect.fnUntraced(function* <Fields extends Schema.Struct.Fields>(
  fields: Fields,
  value: NoInfer<Schema.Struct<Fields>["Type"]>
) {
  const encode = Schema.encodeUnknownEffect(Schema.toCodecJson(Schema.Struct(fields)))
  // The value is of the schema's own type.
  return yield* Effect.orDie(encode(value) as Effect.Effect<Schema.Json, unknown>)
})

export const show = Effect.fnUntraced(function* <Fields extends Schema.Struct.Fields>(
  fields: Fields,
  value: NoInfer<Schema.Struct<Fields>["Type"]>,
  form: Form
) {
  const data = yield* encoded(fields, value)
  yield* Console.log(yield* rendered(JSON.stringify(data), formatFor(form)))
})

const unkept =
  "durable: false means that no standby of the database has this yet, so promoting one, or restoring a backup, would undo it. A database without standbys always says so."

/** What took authority away, and whether a standby has it. */
export const showTaken = Effect.fnUntraced(function* <Fields extends Schema.Struct.Fields>(
  fields: Fields,
  value: NoInfer<Schema.Struct<Fields>["Type"]>,
  { durable }: { readonly durable?: boolean },
  form: Form
) {
  const data = yield* encoded(fields, value)
  const told = durable === undefined ? data : { ...(data as Schema.JsonObject), durable }
  yield* Console.log(yield* rendered(JSON.stringify(told), formatFor(form)))
  if (durable === false && formatFor(form) === "table") yield* Console.error(unkept)
})
