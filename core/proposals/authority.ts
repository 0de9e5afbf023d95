/**
 * What the caller's own key may propose and confirm: nothing while the account is paused, and nothing beyond
 * the key's caveats. Whoever asks again under another key's idempotency key is held to what was proposed.
 */
import { Effect, type Schema } from "effect"
import { requireInForce, requireUsable } from "../accounts/in-force.ts"
import { requireRunning } from "../accounts/pause.ts"
import { Caller } from "../operation/caller.ts"
import * as Ahead from "./ahead.ts"
import { spentBy } from "./execute.ts"
import { checkKeys } from "./key-bounds.ts"
import { kindOf, type Spent } from "./kind.ts"
import { isTerminal } from "./proposal.ts"
import { Proposals } from "./proposal-store.ts"

/** `asked` is undefined where the input alone does not say how much; then the proposal is judged once it is made. */
export const mayPropose = Effect.fnUntraced(function* (
  asked: Spent | undefined,
  replayed: Schema.JsonObject | undefined
) {
  const { accountId, call = null, keyId } = yield* Caller
  yield* requireUsable()
  yield* requireRunning(accountId)
  const id = replayed?.proposalId
  const standing =
    typeof id === "string" ? yield* (yield* Proposals).find(accountId, id) : undefined
  const spent = standing === undefined ? asked : yield* spentBy(standing)
  if (spent === undefined) return
  const asking = { id: "", call, accountId }
  yield* checkKeys({ ...(standing ?? asking), proposedBy: keyId, confirmedBy: null }, spent)
})

/** Who confirms what was confirmed before only reads how it stands. */
export const mayConfirm = Effect.fnUntraced(function* (proposalId: string) {
  const { accountId, keyId } = yield* Caller
  const proposal = yield* (yield* Proposals).find(accountId, proposalId)
  if (proposal === undefined) return
  if (proposal.confirmedAt !== null || isTerminal(proposal.status)) return
  yield* Ahead.ofConfirming(proposal)
  yield* requireInForce()
  if (!(yield* kindOf(proposal)).movesMoney) return
  yield* requireRunning(accountId)
  yield* checkKeys({ ...proposal, confirmedBy: keyId }, yield* spentBy(proposal))
})
