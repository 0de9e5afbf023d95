/**
 * Requires a role of a person inside the transaction that does what it allows: the role is read again under a
 * lock, so that nobody acts by a role that was taken from them meanwhile.
 */
import { Effect } from "effect"
import { type Role, roleRefusal } from "../operation/role.ts"
import type { Human } from "./human.ts"
import { Humans } from "./human-store.ts"
import { signInRequired } from "./session.ts"

/** The human as they are now. Call it inside a transaction. */
export const requireRole = Effect.fnUntraced(function* (
  { accountId, id }: Pick<Human, "accountId" | "id">,
  needed: Role
) {
  const human = yield* (yield* Humans).hold(accountId, id)
  if (human === undefined || human.removedAt !== null) return yield* signInRequired()
  const refusal = roleRefusal(human.role, needed)
  return refusal === undefined ? human : yield* refusal
})
