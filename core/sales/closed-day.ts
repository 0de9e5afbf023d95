/**
 * Days on which nothing more of an account is sold: the chains had trades of it that these records do not know, and
 * nobody can tell what is left of the day's cap. What was sold before is still found on the chain and followed.
 */
import { Effect } from "effect"
import { Sales } from "./sale-store.ts"

const closed =
  "The records were replaced by older ones on the day of this trade, and the chains have trades of that day that these do not know, so the cap on trades of that day counts as used up. Nothing was sold; propose it again on the next UTC day."

/** Why nothing is signed any more to begin the sale of a proposal; undefined when it may be. */
export const whyClosed = Effect.fnUntraced(function* (proposalId: string) {
  const { find, isClosed } = yield* Sales
  const sale = yield* find(proposalId)
  return sale !== undefined && (yield* isClosed(sale)) ? closed : undefined
})
