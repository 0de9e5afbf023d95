/**
 * Work that is done after the call that asked for it was answered. A task names a row; the row's state
 * decides, so a task that is done twice does nothing the second time.
 */
import { Context, type Effect } from "effect"

/** What may be done later; a kind says which store its row stands in. */
export const kinds = [
  "provision_vaults",
  "send_mail",
  "open_token_account",
  "tell_notice",
  "tell_token_changed"
] as const

export interface Task {
  readonly kind: (typeof kinds)[number]
  /** The row it is about; a task of the same kind and row is queued once. */
  readonly row: string
}

export class Tasks extends Context.Service<
  Tasks,
  {
    /** Queues it in the running transaction. */
    readonly offer: (task: Task) => Effect.Effect<void>
    /** Waits for one task and does it; a failure or a crash makes it due again. */
    readonly take: <E, R>(
      work: (task: Task) => Effect.Effect<void, E, R>
    ) => Effect.Effect<void, E, R>
  }
>()("bursar/ports/Tasks") {}
