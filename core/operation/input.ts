/**
 * Reads an operation's input and writes its output by its own schemas, compiled at their first use. Input with a
 * property the operation does not know is refused, and every refusal names the field and what it may hold.
 */
import { Effect, Schema } from "effect"
import { compile, unfit } from "./compile.ts"
import type * as Operation from "./operation.ts"
import * as Problems from "./problems.ts"
import { InvalidRequest, UnknownField } from "./refusal.ts"

type Decode = (input: unknown) => Effect.Effect<unknown, Schema.SchemaError>
type Encode = (output: unknown) => Effect.Effect<Schema.JsonObject, Schema.SchemaError>

interface Codec {
  readonly decode: Decode
  readonly encodeInput: Encode
  readonly encode: Encode
}

const codecs = new WeakMap<Operation.OperationSpec, Codec>()

/** A struct of no fields lets anything pass; with one that can never be there, it lets `{}` pass alone. */
const nothing = Schema.Struct({ "": Schema.optionalKey(Schema.Never) })

/** What is compiled goes first. Where it does not fit, the schema says what is wrong, or that nothing is. */
const first =
  <Done, Failed>(
    compiled: (value: unknown) => unknown,
    schema: (value: unknown) => Effect.Effect<Done, Failed>
  ) =>
  (value: unknown): Effect.Effect<Done, Failed> => {
    const done = compiled(value)
    return done === unfit ? schema(value) : Effect.succeed(done as Done)
  }

const codecFor = (operation: Operation.OperationSpec): Codec => {
  const isEmpty = Object.keys(operation.input.fields).length === 0
  const input = Schema.toCodecJson(isEmpty ? nothing : operation.input)
  const output = Schema.toCodecJson(operation.output)
  const decode = Schema.decodeUnknownEffect(input, { onExcessProperty: "error", errors: "all" })
  return {
    decode: first(compile(input, "read"), decode as Decode),
    encodeInput: Schema.encodeUnknownEffect(input) as Encode,
    encode: first(compile(output, "write"), Schema.encodeUnknownEffect(output) as Encode)
  }
}

const codecOf = (operation: Operation.OperationSpec): Codec => {
  const known = codecs.get(operation)
  if (known !== undefined) return known
  const compiled = codecFor(operation)
  codecs.set(operation, compiled)
  return compiled
}

/** What one answer lists: more of them help nobody, and an answer is no larger than what was asked. */
const maxListed = 20

const listed = (problems: ReadonlyArray<Problems.Problem>) => ({
  problems: problems.slice(0, maxListed),
  ...(problems.length > maxListed ? { moreProblems: problems.length - maxListed } : {})
})

const refusalOf = (
  operation: Operation.OperationSpec,
  input: unknown,
  error: Schema.SchemaError
) => {
  const problems = Problems.of(error.issue, input)
  const unknown = problems.find(Problems.isUnknownField)
  if (unknown !== undefined) {
    const known = Object.keys(operation.input.fields)
    return new UnknownField({ ...unknown, details: { known, ...listed(problems) } })
  }
  const { message, param } = problems[0] ?? { param: "", message: "The input is invalid." }
  return new InvalidRequest({
    ...(param === "" ? {} : { param }),
    message,
    details: listed(problems)
  })
}

export const decode = (
  operation: Operation.OperationSpec,
  input: unknown
): Effect.Effect<unknown, InvalidRequest | UnknownField> =>
  Effect.mapErrorEager(codecOf(operation).decode(input), (error) =>
    refusalOf(operation, input, error)
  )

/** The input as it would be sent again: what an idempotency key's fingerprint is taken of. */
export const encodeInput = (operation: Operation.OperationSpec, input: unknown) =>
  Effect.orDie(codecOf(operation).encodeInput(input))

/** An output that does not fit its schema is a bug of ours, never an answer. */
export const encode = (operation: Operation.OperationSpec, output: unknown) =>
  Effect.catchEager(codecOf(operation).encode(output), Effect.die)
