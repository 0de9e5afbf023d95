/**
 * One operation of the treasury, defined once: its name, the scope a key must carry, what goes in and
 * comes out, how it may refuse, and how it runs. REST, tools, functions and manual are projections of
 * this value; nothing is served that is not one.
 */
import { type Effect, Schema } from "effect"
import type { Caller, Scope } from "./caller.ts"
import type * as Refusal from "./refusal.ts"

/** What a call does to the world: a read, a change of records, or a movement of money. */
export type Nature = "read" | "write" | "money"

/** How many bytes the JSON of an input may take, unless the operation says otherwise. */
export const defaultMaxBodyBytes = 64 * 1024

/** Which budget a call draws on (contract, Rate limits). */
export type Budget = "reads" | "writes" | "quotes" | "confirms"

export interface Operation<
  Name extends string,
  Input extends Schema.Struct.Fields,
  Output extends Schema.Struct.Fields,
  Refusals extends ReadonlyArray<Refusal.Class>,
  Needs,
  Seen = undefined
> {
  readonly name: Name
  readonly summary: string
  readonly next: string
  readonly scope: Scope
  readonly nature: Nature
  readonly budget: Budget
  readonly input: Schema.Struct<Input>
  readonly output: Schema.Struct<Output>
  readonly refusals: Refusals
  /** Output fields that are shown once: stored sealed for 24 h, then erased from replayed answers. */
  readonly secrets: ReadonlyArray<string>
  /** How many bytes the JSON of the input may take, over every surface. */
  readonly maxBodyBytes: number
  readonly example: { readonly input: Readonly<Record<string, unknown>> }
  /** What is looked up outside, before the transaction of `run`, which is handed what was seen. */
  readonly beforehand:
    | ((
        input: Schema.Struct<Input>["Type"]
      ) => Effect.Effect<Seen, InstanceType<Refusals[number]> | Refusal.InvalidRequest, Needs>)
    | undefined
  readonly run: (
    input: Schema.Struct<Input>["Type"],
    seen: Seen
  ) => Effect.Effect<
    Schema.Struct<Output>["Type"],
    InstanceType<Refusals[number]> | Refusal.InvalidRequest,
    Needs
  >
  /** What is done once `run` has committed, outside of its transaction: a wait, a fresh look. */
  readonly afterwards:
    | ((
        input: Schema.Struct<Input>["Type"]
      ) => Effect.Effect<Schema.Struct<Output>["Type"] | undefined, never, Needs>)
    | undefined
}

type Fields = Schema.Struct.Fields

/** Any operation, for code that walks the catalogue; values are checked by the schemas at run time. */
export interface Any
  extends Omit<
    Operation<string, Fields, Fields, ReadonlyArray<Refusal.Class>, unknown>,
    "beforehand" | "run" | "afterwards"
  > {
  // biome-ignore lint/suspicious/noExplicitAny: the schemas of the same value decode before and encode after.
  readonly beforehand: ((input: any) => Effect.Effect<any, any, any>) | undefined
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly run: (input: any, seen: any) => Effect.Effect<any, any, any>
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly afterwards: ((input: any) => Effect.Effect<any, never, any>) | undefined
}

/** What is told of a call and what its input and output are read by, whoever runs it. */
export type Described = Pick<
  Any,
  "name" | "summary" | "next" | "input" | "output" | "refusals" | "example"
>

/** What an operation asks of its surroundings, the caller aside. */
export type Needs<Op> = Op extends {
  // biome-ignore lint/suspicious/noExplicitAny: inference only.
  readonly run: (input: any, seen: any) => Effect.Effect<any, any, infer R>
}
  ? Exclude<R, Caller>
  : never

export type Input<Op extends Any> = Op["input"]["Encoded"]
export type Output<Op extends Any> = Op["output"]["Encoded"]

/** What every operation is defined by; `Seen` is what `run` is handed besides its input. */
interface Common<
  Input extends Schema.Struct.Fields,
  Output extends Schema.Struct.Fields,
  Refusals extends ReadonlyArray<Refusal.Class>
> {
  readonly summary: string
  /** What to call next, for agents and for the manual. */
  readonly next: string
  readonly scope: Scope
  readonly nature?: Nature
  readonly budget?: Budget
  readonly input: Input
  readonly output: Output
  readonly refusals?: Refusals
  readonly secrets?: ReadonlyArray<keyof Output & string>
  readonly maxBodyBytes?: number
  readonly example?: { readonly input: Readonly<Record<string, unknown>> }
}

type Ran<
  Output extends Schema.Struct.Fields,
  Refusals extends ReadonlyArray<Refusal.Class>,
  Needs
> = Effect.Effect<
  Schema.Struct<Output>["Type"],
  InstanceType<Refusals[number]> | Refusal.InvalidRequest,
  Needs
>

const built = <
  Name extends string,
  Input extends Schema.Struct.Fields,
  Output extends Schema.Struct.Fields,
  Refusals extends ReadonlyArray<Refusal.Class>,
  Needs,
  Seen
>(
  name: Name,
  definition: Common<Input, Output, Refusals> &
    Pick<Operation<Name, Input, Output, Refusals, Needs, Seen>, "beforehand" | "run" | "afterwards">
): Operation<Name, Input, Output, Refusals, Needs, Seen> => {
  const nature = definition.nature ?? "read"
  return {
    ...definition,
    name,
    nature,
    budget: definition.budget ?? (nature === "read" ? "reads" : "writes"),
    input: Schema.Struct(definition.input),
    output: Schema.Struct(definition.output),
    refusals: (definition.refusals ?? []) as unknown as Refusals,
    secrets: definition.secrets ?? [],
    maxBodyBytes: definition.maxBodyBytes ?? defaultMaxBodyBytes,
    example: definition.example ?? { input: {} }
  }
}

export const make = <
  const Name extends string,
  const Input extends Schema.Struct.Fields,
  const Output extends Schema.Struct.Fields,
  const Refusals extends ReadonlyArray<Refusal.Class> = [],
  Needs = never
>(
  name: Name,
  definition: Common<Input, Output, Refusals> & {
    readonly run: (input: Schema.Struct<Input>["Type"]) => Ran<Output, NoInfer<Refusals>, Needs>
    /** Looks again after the commit; its answer, if any, takes the place of the one of `run`. */
    readonly afterwards?: (
      input: Schema.Struct<NoInfer<Input>>["Type"]
    ) => Effect.Effect<Schema.Struct<NoInfer<Output>>["Type"] | undefined, never, NoInfer<Needs>>
  }
): Operation<Name, Input, Output, Refusals, Needs> =>
  built(name, { afterwards: undefined, ...definition, beforehand: undefined })

/** An operation that asks the outside first, as no transaction may; what it saw is handed to `run`. */
export const informed = <
  const Name extends string,
  const Input extends Schema.Struct.Fields,
  const Output extends Schema.Struct.Fields,
  Seen,
  const Refusals extends ReadonlyArray<Refusal.Class> = [],
  Needs = never,
  Looking = never
>(
  name: Name,
  definition: Common<Input, Output, Refusals> & {
    /** May refuse, and is done anew by a call that takes over from one that died. */
    readonly beforehand: (
      input: Schema.Struct<Input>["Type"]
    ) => Effect.Effect<
      Seen,
      InstanceType<NoInfer<Refusals>[number]> | Refusal.InvalidRequest,
      Looking
    >
    readonly run: (
      input: Schema.Struct<Input>["Type"],
      seen: Seen
    ) => Ran<Output, NoInfer<Refusals>, Needs>
  }
): Operation<Name, Input, Output, Refusals, Needs | Looking, Seen> =>
  built<Name, Input, Output, Refusals, Needs | Looking, Seen>(name, {
    ...definition,
    afterwards: undefined
  })
