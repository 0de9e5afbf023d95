/**
 * What the steps of a submission on Solana have in common: what they look at, and how a step ends. What the network
 * asks is asked once for a batch, and only when one of them needs it.
 */
import type { Effect } from "effect"
import type { ChainUnavailable } from "../ports/chains.ts"
import { anew, type Submission } from "../submissions/submission.ts"
import type { Step } from "../submissions/submitter.ts"
import * as Journal from "./journal.ts"
import type { Conditions, SolanaRelay, Transfer } from "./relay.ts"

export type Asked = Effect.Effect<Conditions, ChainUnavailable, SolanaRelay>

export const onward = (at: Submission): Step => ({ at, next: "step" })
export const waiting = (at: Submission, waitMs?: number): Step => ({
  at,
  next: "wait",
  ...(waitMs === undefined ? {} : { waitMs })
})

export const transferOf = ({ chainId, terms }: Submission): Transfer => {
  const { amount, from, identity, memo, to } = terms
  return { chainId, from, to, amount, identity, ...(memo === undefined ? {} : { memo }) }
}

/** Nothing of it can take effect any more. The bid of the dead is kept, so that the next one is higher. */
export const preparedAgain = (submission: Submission): Step => {
  const { attempts: _dead, bid, ...kept } = Journal.read(submission)
  const fresh = anew(submission)
  if (bid === null) {
    // Without a bid nothing was ever signed for it here, which its journal says by what it lacks.
    return onward(kept.tries === undefined ? fresh : { ...fresh, journal: { tries: kept.tries } })
  }
  const written = Journal.write(fresh, { ...kept, attempts: [], bid })
  return onward({ ...written, reason: submission.reason })
}
