/**
 * Who looks after waits, seen from the machine that carries them: a watch takes one wait one look on, in a journal
 * that no other code writes. What a look comes to is written down before the next look does anything with it.
 */
import { Context, Effect, type Schema } from "effect"
import type { Usd } from "../money/usd.ts"
import type { UpstreamUnavailable } from "../operation/refusal.ts"
import type { ChainUnavailable } from "../ports/chains.ts"
import type { StepSubmission } from "./next-step.ts"
import type { Evidence, Wait } from "./wait.ts"

/** What a look came to. All of it is written down in one transaction, and only then does anything follow. */
export interface Look {
  /** What the watch keeps from now on; as it was, when it is left out. */
  readonly journal?: Schema.JsonObject
  /** What stands in its way, a sentence; null or left out when nothing does. */
  readonly reason?: string | null
  /** It takes far longer than it should. The operator is told when it becomes so, and looking goes on. */
  readonly isStuck?: boolean
  /**
   * Nothing is left to wait for. What was begun ends by evidence of a finalized block; without evidence ends only
   * what was never begun, and is not done.
   */
  readonly ended?: { readonly isDone: boolean; readonly evidence: Evidence | null }
  /**
   * So much in all must be reserved of the caps before what is written down may be used, such as before an order
   * is signed. When it does not fit, nothing of the look is written and the wait ends, not done.
   */
  readonly reserve?: Usd
  /** Submissions that are to help, such as a cancellation on the chain: steps of their own, beside the wait. */
  readonly submissions?: ReadonlyArray<StepSubmission>
  /** After how long to look again; 0 to go on at once with what was written down. */
  readonly nextLookMs: number
}

/**
 * Looks at the waits of one watch and chain that are due at about the same time; what they share is asked once
 * (`askedOnce`). A look may be repeated by anybody at any time: what it asks of the outside must be safe to ask
 * again, and whatever must happen once is written down by the look before.
 */
export interface Batch<R> {
  readonly look: (wait: Wait) => Effect.Effect<Look, ChainUnavailable | UpstreamUnavailable, R>
}

export interface Watch<R> {
  readonly batch: (chainId: string) => Effect.Effect<Batch<R>>
  /**
   * Whether nothing of it can have left the treasury: such a wait stands still while its account is paused. A watch
   * without this only looks, and always may.
   */
  readonly isUnbegun?: (wait: Wait) => boolean
}

/** A watch whose looks share nothing. */
export const alone = <R>(look: Batch<R>["look"], rest: Omit<Watch<R>, "batch"> = {}): Watch<R> => ({
  ...rest,
  batch: () => Effect.succeed({ look })
})

/** The watch of each name, filled by the registry on the top floor. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the registry, which stands above this room.
export interface Registry {}

export class Watches extends Context.Service<Watches, Registry>()("bursar/waits/Watches") {}

/** What all watches need together. */
type Needs = {
  readonly [Name in keyof Registry]: Registry[Name] extends Watch<infer R> ? R : never
}[keyof Registry]

export type AnyBatch = Batch<Needs>

/** The watch of a wait. That the registry has none of the name is a defect. */
export const watchOf = Effect.fnUntraced(function* ({ watch }: Pick<Wait, "watch">) {
  const all = yield* Watches
  if (watch in all) {
    const found: Watch<Needs> = all[watch as keyof Registry]
    return found
  }
  return yield* Effect.die(new Error(`There is no watch ${watch}.`))
})
