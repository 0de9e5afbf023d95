/** The page of one vote: whose action it is, its intent, and the two answers. */
import { Effect } from "effect"
import { NotFound } from "../../../core/operation/refusal.ts"
import { usd } from "./parts/cells.ts"
import { consolePage, guarded } from "./parts/guard.ts"
import { among } from "./parts/thing.ts"

const { fact } = await import("./parts/facts.tsx")
const { VotePage } = await import("./vote-page.tsx")

export const votePage = guarded("/console/votes/:id", ({ calls, who }, id) =>
  Effect.gen(function* () {
    const found = yield* among(
      (page) =>
        Effect.map(
          calls.list_pending_cosigner_approvals(page),
          ({ nextCursor, pending_cosigner_approvals: rows }) => ({ rows, nextCursor })
        ),
      ({ pendingApprovalId }) => pendingApprovalId === id
    )
    if (found === undefined) {
      return yield* new NotFound({ message: "This vote is over, or it never was this account's." })
    }
    const { approvals, rejections, required } = found
    const props = {
      who,
      pendingApprovalId: id,
      summary: found.summary,
      facts: [
        ...fact("Amount", usd(found.amountUsd).text),
        ...fact("Account", found.userId, { code: true }),
        ...fact("Kind", found.kind.replaceAll("_", " ")),
        ...fact("Votes for it", `${approvals.length} of ${required} needed`),
        ...approvals.flatMap((account) => fact("Approved by", account, { code: true })),
        ...rejections.flatMap((account) => fact("Rejected by", account, { code: true })),
        ...fact("Until", found.expiresAt, { isTime: true }),
        ...fact("Intent hash (signed)", found.intentHash, { code: true })
      ]
    }
    return consolePage("Vote", VotePage(props))
  })
)
