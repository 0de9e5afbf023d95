/**
 * When money may be sent back: once the chain itself calls the blocks final in which it came. A count of
 * confirmations credits a payment; only finality lets it leave again.
 */
import { Effect } from "effect"
import { Refunds } from "../payments/refund-ledger.ts"
import { Transfers } from "../payments/transfer-store.ts"
import { Chains, type Finality } from "../ports/chains.ts"
import type { Admission } from "../submissions/purposes.ts"
import type { Submission } from "../submissions/submission.ts"

const waitMs = 15_000

const notFinal: Admission = {
  _tag: "wait",
  reason: "The money that is sent back is not final on its chain yet.",
  waitMs
}

const gone: Admission = {
  _tag: "fail",
  reason: "The money that was to be sent back is no longer on the chain."
}

/** How the transfers that it sends back stand, each of its own block. */
const standing = Effect.fnUntraced(function* ({ purpose }: Submission) {
  const { accountId, proposalId = "" } = purpose
  const [chains, transfers] = [yield* Chains, yield* Transfers]
  const shares = yield* (yield* Refunds).ofProposal(proposalId)
  return yield* Effect.forEach(
    shares,
    Effect.fnUntraced(function* ({ transferId }) {
      const transfer = yield* transfers.find(accountId ?? "", transferId)
      if (transfer === undefined || transfer.state === "reorged") return "dropped" as Finality
      const { blockHash: hash, blockNumber: number, chainId } = transfer
      const found = yield* chains.finality(chainId, { hash, number })
      // The watcher is yet to see where it is now.
      return found === "dropped" ? ("pending" as Finality) : found
    }),
    { concurrency: "unbounded" }
  )
})

/** A chain that does not answer keeps it waiting. */
export const admitRefund = (submission: Submission) =>
  Effect.match(standing(submission), {
    onFailure: () => notFinal,
    onSuccess: (all): Admission => {
      if (all.includes("dropped")) return gone
      return all.includes("pending") ? notFinal : { _tag: "go" }
    }
  })
