/**
 * Makes sure that the receiving wallet can hold what arrives, on chains where it needs an account for that: opened by
 * the relayer before anything leaves, and charged to the outlay of the account.
 */
import { Effect } from "effect"
import { familyOf } from "../chains/address.ts"
import { layOut } from "../policy/lay-out.ts"
import { TokenAccounts } from "../ports/token-accounts.ts"
import type { Terms } from "./terms.ts"

const opening = "The receiving wallet's account for USDC is being opened."
const outlayReached =
  "The daily limit of network fees is reached, so the receiving wallet's account for USDC is not opened yet."

/** What it waits for before anything may leave; undefined when the wallet can receive. */
export const unreceivable = Effect.fnUntraced(function* (
  accountId: string,
  { buy: { chainId }, receiver }: Terms
) {
  if (!familyOf(chainId).holdsInAccounts) return undefined
  const accounts = yield* TokenAccounts
  if (yield* accounts.isOpen(chainId, receiver)) return undefined
  const units = yield* accounts.cost(chainId)
  const cost = { key: `token_account:${chainId}:${receiver}`, chainId, accountId, units }
  const [isCharged = false] = yield* layOut([cost])
  if (!isCharged) return outlayReached
  yield* accounts.open(chainId, receiver)
  return opening
})
