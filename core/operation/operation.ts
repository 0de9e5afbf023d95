/**
 * One operation of the treasury, defined once: its name, the scope a key must carry, what goes in and
 * comes out, how it may refuse, and how it runs. REST, tools, functions and manual are projections of
 * this value; nothing is served that is not one.
 */
import type { Context, Effect } from "effect"
import { Schema } from "effect"
import type { Authority, SinceThen } from "./authority.ts"
import type { Caller, Facts as CallerFacts } from "./caller.ts"
import type { Bounded, Common, Facts, Ran } from "./definition.ts"
import type * as Refusal from "./refusal.ts"
import { durableField, takingAuthority } from "./taking-authority.ts"

/** How many bytes the JSON of an input may take, unless the operation says otherwise. */
export const defaultMaxBodyBytes = 64 * 1024

/** Its ports are those of the context that the call is in; the walk over all operations has lost their names. */
type AtHand<Input extends Schema.Struct.Fields, Output extends Schema.Struct.Fields> = (
  input: Schema.Struct<Input>["Type"],
  caller: CallerFacts,
  context: Context.Context<never>
) => Schema.Struct<Output>["Type"] | undefined

export interface Operation<
  Name extends string,
  Input extends Schema.Struct.Fields,
  Output extends Schema.Struct.Fields,
  Refusals extends ReadonlyArray<Refusal.Class>,
  Needs,
  Seen = undefined,
  Granted = undefined
> extends Facts {
  readonly name: Name
  readonly input: Schema.Struct<Input>
  readonly output: Schema.Struct<Output>
  readonly refusals: Refusals
  /** Undefined for reads, which the scope alone bounds. */
  readonly authority: Authority<Input, Refusals, Needs, Granted> | undefined
  /** Runs before the transaction and may call the network. Its result is passed to `handle`. */
  readonly prepare:
    | ((
        input: Schema.Struct<Input>["Type"]
      ) => Effect.Effect<Seen, InstanceType<Refusals[number]> | Refusal.InvalidRequest, Needs>)
    | undefined
  readonly handle: (
    input: Schema.Struct<Input>["Type"],
    seen: Seen,
    granted: Granted
  ) => Effect.Effect<
    Schema.Struct<Output>["Type"],
    InstanceType<Refusals[number]> | Refusal.InvalidRequest,
    Needs
  >
  /** What a read would find, where its ports have it at hand; undefined where they have to be asked. */
  readonly atHand?: AtHand<Input, Output> | undefined
  /** Adds to a replayed answer what has changed since. */
  readonly sinceThen: SinceThen<Needs> | undefined
  /**
   * Runs after `handle` has committed, outside of its transaction, for example to wait for an end; also where an
   * earlier call had done it all. It is handed the answer that stands.
   */
  readonly respond:
    | ((
        input: Schema.Struct<Input>["Type"],
        answer: Schema.JsonObject,
        isReplayed: boolean
      ) => Effect.Effect<Schema.Struct<Output>["Type"] | undefined, never, Needs>)
    | undefined
}

type Fields = Schema.Struct.Fields

/** Any operation, for code that walks the catalogue; values are checked by the schemas at run time. */
export interface Any extends Facts {
  readonly input: Schema.Struct<Fields>
  readonly output: Schema.Struct<Fields>
  readonly refusals: ReadonlyArray<Refusal.Class>
  readonly authority:
    | ((
        // biome-ignore lint/suspicious/noExplicitAny: the schemas of the same value decode before and encode after.
        input: any,
        replayed: Schema.JsonObject | undefined,
        seen?: unknown
        // biome-ignore lint/suspicious/noExplicitAny: as above.
      ) => Effect.Effect<any, any, any>)
    | undefined
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly prepare: ((input: any) => Effect.Effect<any, any, any>) | undefined
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly handle: (input: any, seen: any, granted: any) => Effect.Effect<any, any, any>
  readonly atHand?:
    | ((
        // biome-ignore lint/suspicious/noExplicitAny: as above.
        input: any,
        caller: CallerFacts,
        context: Context.Context<never>
        // biome-ignore lint/suspicious/noExplicitAny: as above.
      ) => any)
    | undefined
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  readonly sinceThen: SinceThen<any> | undefined
  readonly respond:
    | ((
        // biome-ignore lint/suspicious/noExplicitAny: as above.
        input: any,
        answer: Schema.JsonObject,
        isReplayed: boolean
        // biome-ignore lint/suspicious/noExplicitAny: as above.
      ) => Effect.Effect<any, never, any>)
    | undefined
}

/** What is told of a call and what its input and output are read by, whoever runs it. */
export type OperationSpec = Pick<
  Any,
  "name" | "summary" | "next" | "input" | "output" | "refusals" | "example"
>

/** The services an operation needs, without the caller. */
export type Needs<Op> = Op extends {
  // biome-ignore lint/suspicious/noExplicitAny: inference only.
  readonly handle: (input: any, seen: any, granted: any) => Effect.Effect<any, any, infer R>
}
  ? Exclude<R, Caller>
  : never

export type Input<Op extends Any> = Op["input"]["Encoded"]
export type Output<Op extends Any> = Op["output"]["Encoded"]

const built = <
  Name extends string,
  Input extends Schema.Struct.Fields,
  Output extends Schema.Struct.Fields,
  Refusals extends ReadonlyArray<Refusal.Class>,
  Needs,
  Seen,
  Granted
>(
  name: Name,
  definition: Common<Input, Output, Refusals> &
    Bounded<Input, Refusals, Needs, Granted, Needs> &
    Pick<
      Operation<Name, Input, Output, Refusals, Needs, Seen, Granted>,
      "prepare" | "handle" | "respond" | "atHand"
    >
): Operation<Name, Input, Output, Refusals, Needs, Seen, Granted> => {
  const sideEffect = definition.sideEffect ?? "read"
  return {
    ...definition,
    name,
    sideEffect,
    role: definition.role ?? (sideEffect === "read" ? "viewer" : "approver"),
    leadsToMoney: definition.leadsToMoney ?? sideEffect === "money",
    rateLimit: definition.rateLimit ?? (sideEffect === "read" ? "reads" : "writes"),
    input: Schema.Struct(definition.input),
    output: Schema.Struct(
      takingAuthority.has(name) ? { ...definition.output, ...durableField } : definition.output
    ),
    refusals: (definition.refusals ?? []) as unknown as Refusals,
    secrets: definition.secrets ?? [],
    maxBodyBytes: definition.maxBodyBytes ?? defaultMaxBodyBytes,
    example: definition.example ?? { input: {} },
    authority: definition.authority,
    sinceThen: definition.sinceThen
  }
}

export const make = <
  const Name extends string,
  const Input extends Schema.Struct.Fields,
  const Output extends Schema.Struct.Fields,
  const Refusals extends ReadonlyArray<Refusal.Class> = [],
  Needs = never,
  Granted = undefined,
  Authorizing = never,
  Comparing = never
>(
  name: Name,
  definition: Common<Input, Output, Refusals> &
    Bounded<Input, Refusals, Authorizing, Granted, Comparing> & {
      readonly handle: (
        input: Schema.Struct<Input>["Type"],
        granted: NoInfer<Granted>
      ) => Ran<Output, NoInfer<Refusals>, Needs>
      readonly atHand?: NoInfer<AtHand<Input, Output>>
      /** Looks again after the commit; its answer, if any, takes the place of the one of `handle`. */
      readonly respond?: (
        input: Schema.Struct<NoInfer<Input>>["Type"],
        answer: Schema.JsonObject,
        isReplayed: boolean
      ) => Effect.Effect<Schema.Struct<NoInfer<Output>>["Type"] | undefined, never, NoInfer<Needs>>
    }
): Operation<Name, Input, Output, Refusals, Needs | Authorizing | Comparing, undefined, Granted> =>
  built<Name, Input, Output, Refusals, Needs | Authorizing | Comparing, undefined, Granted>(name, {
    respond: undefined,
    ...definition,
    prepare: undefined,
    handle: (input, _seen, granted) => definition.handle(input, granted)
  })

/** An operation that calls the network before its transaction; the result is passed to `handle`. */
export const prepared = <
  const Name extends string,
  const Input extends Schema.Struct.Fields,
  const Output extends Schema.Struct.Fields,
  Seen,
  const Refusals extends ReadonlyArray<Refusal.Class> = [],
  Needs = never,
  Looking = never,
  Granted = undefined,
  Authorizing = never,
  Comparing = never
>(
  name: Name,
  definition: Common<Input, Output, Refusals> &
    Bounded<Input, Refusals, Authorizing, Granted, Comparing> & {
      /** May refuse. Runs again if a call takes over from one that died. */
      readonly prepare: (
        input: Schema.Struct<Input>["Type"]
      ) => Effect.Effect<
        Seen,
        InstanceType<NoInfer<Refusals>[number]> | Refusal.InvalidRequest,
        Looking
      >
      readonly handle: (
        input: Schema.Struct<Input>["Type"],
        seen: Seen,
        granted: NoInfer<Granted>
      ) => Ran<Output, NoInfer<Refusals>, Needs>
    }
): Operation<
  Name,
  Input,
  Output,
  Refusals,
  Needs | Looking | Authorizing | Comparing,
  Seen,
  Granted
> =>
  built<Name, Input, Output, Refusals, Needs | Looking | Authorizing | Comparing, Seen, Granted>(
    name,
    {
      ...definition,
      respond: undefined
    }
  )
