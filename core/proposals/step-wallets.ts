/**
 * Which key signs for a wallet of an account, handed down from the room of wallets to the machine of steps, which
 * opens a later step of an execution without its kind at hand.
 */
import { Context, Effect } from "effect"
import type { KeyRef } from "../chains/key.ts"

/** Filled by the registry, so that the compiler knows what finding a wallet needs. */
// biome-ignore lint/suspicious/noEmptyInterface: filled by the registry, which stands above this room.
export interface Registry {}

export interface Finds<R> {
  readonly keyOf: (
    accountId: string,
    walletId: string
  ) => Effect.Effect<KeyRef | undefined, never, R>
}

export class StepWallets extends Context.Service<StepWallets, Registry>()(
  "bursar/proposals/StepWallets"
) {}

type Needs = Registry extends Finds<infer R> ? R : never

/** The wallet of a step, with the key that signs for it; that the account has none is a defect. */
export const walletOf = Effect.fnUntraced(function* (accountId: string, walletId: string) {
  const { keyOf } = (yield* StepWallets) as unknown as Finds<Needs>
  const key = yield* keyOf(accountId, walletId)
  if (key !== undefined) return { id: walletId, key }
  return yield* Effect.die(new Error(`Wallet ${walletId} is gone.`))
})
