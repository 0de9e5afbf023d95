/** Prints what an operator's command found or did, for people or as JSON. */
import { Console, Effect, Schema } from "effect"
import { Flag } from "effect/cli"
import { lines } from "../print.ts"
import { Shell } from "../shell.ts"

export const json = Flag.Boolean("json").pipe(
  Flag.withDescription("Print JSON."),
  Flag.withoutNegation,
  Flag.withDefault(false)
)

/** Encodes by the schema that also gives it its fields: what has none is not shown. */
export const show = Effect.fnUntraced(function* <Fields extends Schema.Struct.Fields>(
  fields: Fields,
  value: NoInfer<Schema.Struct<Fields>["Type"]>,
  asJson: boolean
) {
  const encode = Schema.encodeUnknownEffect(Schema.toCodecJson(Schema.Struct(fields)))
  // The value is of the schema's own type.
  const data = yield* Effect.orDie(encode(value) as Effect.Effect<Schema.Json, unknown>)
  const { columns } = yield* Shell
  yield* Console.log(asJson ? JSON.stringify(data) : lines(data, columns).join("\n"))
})
