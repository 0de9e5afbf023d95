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

export interface Definition<R> {
  /** It was opened, in the transaction that opened it. */
  readonly opened: (submission: Submission) => Effect.Effect<void, never, R>
  /** Asked before it is signed and before its first transaction is made. */
  readonly admit: (submission: Submission) => Effect.Effect<Admission, never, R>
  /** Its status, reason or transactions have changed; called before that is written down, and maybe twice. */
  readonly progressed: (submission: Submission) => Effect.Effect<void, never, R>
  /** Locks what it is for before the submission itself, in the order in which everybody takes locks. */
  readonly lock: (submission: Submission) => Effect.Effect<void, never, R>
  /** It is `final` or `failed`, in the transaction that writes that down. */
  readonly ended: (submission: Submission) => Effect.Effect<void, never, R>
}

/** What a purpose has that neither asks nor tells anything while it is under way. */
export const silent = {
  opened: () => Effect.void,
  admit: () => Effect.succeed<Admission>({ _tag: "go" }),
  progressed: () => Effect.void,
  lock: () => Effect.void
}

/** Filled by the registry, so that the compiler knows what every purpose needs. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the registry, which stands above this room.
export interface Registry {}

export class Purposes extends Context.Service<Purposes, Registry>()(
  "bursar/submissions/Purposes"
) {}
