/**
 * What submissions are for, seen from the machine that carries them out: what must hold before anything is
 * submitted, and what its progress and its end mean. The registry on the top floor names the purposes.
 */
import { Context, Effect } from "effect"
import type { Submission } from "./submission.ts"

/** Whether a submission may go on while nothing of it can have reached the network. */
export type Admission =
  | { readonly _tag: "go" }
  | { readonly _tag: "wait"; readonly reason: string; readonly waitMs: number }
  | { readonly _tag: "fail"; readonly reason: string }

/** How much of what a swap buys a venue offers now, and the least that would be signed for. */
export interface Bought {
  readonly buyAmount: bigint
  readonly minBuyAmount: bigint
}

export interface Definition<R> {
  /** It was opened, in the transaction that opened it. */
  readonly opened: (submission: Submission) => Effect.Effect<void, never, R>
  /** Asked before it is signed and before its first transaction is made. */
  readonly admit: (submission: Submission) => Effect.Effect<Admission, never, R>
  /** Asked before a swap is signed by a fresh quote. */
  readonly judge: (submission: Submission, bought: Bought) => Effect.Effect<Admission, never, R>
  /** Their status, reason or transactions have changed and are written down. A hint: it may be told to nobody. */
  readonly progressed: (submissions: ReadonlyArray<Submission>) => Effect.Effect<void, never, R>
  /** Locks what they are for before the submissions themselves, in the order in which everybody takes locks. */
  readonly lock: (submissions: ReadonlyArray<Submission>) => Effect.Effect<void, never, R>
  /** They are `final` or `failed`, in the transaction that writes that down. */
  readonly ended: (submissions: ReadonlyArray<Submission>) => Effect.Effect<void, never, R>
}

/** What a purpose has that neither asks nor tells anything while it is under way. */
export const silent = {
  opened: () => Effect.void,
  admit: () => Effect.succeed<Admission>({ _tag: "go" }),
  judge: (_submission: Submission, _bought: Bought) => Effect.succeed<Admission>({ _tag: "go" }),
  progressed: () => Effect.void,
  lock: () => Effect.void
}

/** Filled by the registry, so that the compiler knows what every purpose needs. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the registry, which stands above this room.
export interface Registry {}

/** What belongs to a purpose. That the registry has none of the name is a defect. */
export const purposeOf = Effect.fnUntraced(function* (name: string) {
  const all = yield* Purposes
  if (name in all) return all[name as keyof Registry]
  return yield* Effect.die(new Error(`There is no purpose ${name}.`))
})

export class Purposes extends Context.Service<Purposes, Registry>()(
  "bursar/submissions/Purposes"
) {}
