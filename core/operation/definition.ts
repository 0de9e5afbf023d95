/**
 * What an operation is defined by, the functions that do it aside. A write cannot be defined without saying
 * what bounds it.
 */
import type { Effect, Schema } from "effect"
import type { Authority, SinceThen } from "./authority.ts"
import type { Scope } from "./caller.ts"
import type * as Refusal from "./refusal.ts"
import type { Role } from "./role.ts"

/** What a call does to the world: a read, a change of records, or a movement of money. */
export type SideEffect = "read" | "write" | "money"

/** Which rate limit a call counts against (contract, Rate limits). */
export type RateLimitClass = "reads" | "writes" | "quotes" | "confirms"

/** What is told of every operation, whatever goes in and comes out. */
export interface Facts {
  readonly name: string
  readonly summary: string
  readonly next: string
  readonly scope: Scope
  readonly sideEffect: SideEffect
  /** The least role of a person who calls it from the console. */
  readonly role: Role
  /** Whether what it makes may move money later: its idempotency keys are never forgotten. */
  readonly leadsToMoney: boolean
  readonly rateLimit: RateLimitClass
  /** Output fields that are shown once: stored sealed for 24 h, then erased from replayed answers. */
  readonly secrets: ReadonlyArray<string>
  /** How many bytes the JSON of the input may take, over every surface. */
  readonly maxBodyBytes: number
  readonly example: { readonly input: Readonly<Record<string, unknown>> }
}

/** What every operation is defined by. */
export interface Common<
  Input extends Schema.Struct.Fields,
  Output extends Schema.Struct.Fields,
  Refusals extends ReadonlyArray<Refusal.Class>
> {
  readonly summary: string
  /** What to call next, for agents and for the manual. */
  readonly next: string
  readonly scope: Scope
  readonly rateLimit?: RateLimitClass
  /** When left out: a viewer may read, and an approver write. */
  readonly role?: Role
  readonly input: Input
  readonly output: Output
  readonly refusals?: Refusals
  readonly secrets?: ReadonlyArray<keyof Output & string>
  readonly maxBodyBytes?: number
  readonly example?: { readonly input: Readonly<Record<string, unknown>> }
}

export type Ran<
  Output extends Schema.Struct.Fields,
  Refusals extends ReadonlyArray<Refusal.Class>,
  Needs
> = Effect.Effect<
  Schema.Struct<Output>["Type"],
  InstanceType<Refusals[number]> | Refusal.InvalidRequest,
  Needs
>

/** A write says what bounds it beside its scope, be it nothing (`byScope`); a read has nothing to say. */
export type Bounded<
  Input extends Schema.Struct.Fields,
  Refusals extends ReadonlyArray<Refusal.Class>,
  Authorizing,
  Granted,
  Comparing
> =
  | {
      readonly sideEffect?: "read"
      readonly authority?: never
      readonly leadsToMoney?: never
      readonly sinceThen?: never
    }
  | {
      readonly sideEffect: "write" | "money"
      readonly authority: Authority<Input, NoInfer<Refusals>, Authorizing, Granted>
      /** As `sideEffect` says when it is left out. */
      readonly leadsToMoney?: boolean
      readonly sinceThen?: SinceThen<Comparing>
    }
