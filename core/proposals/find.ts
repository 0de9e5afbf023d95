/** Reads of proposals: one by its id, and the list by what they are, whom they pay and how much. */

import { Effect, Schema } from "effect"
import { Id } from "../encoding/id.ts"
import * as Usdc from "../money/usdc.ts"
import * as AmountRange from "../operation/amount-range.ts"
import * as Operation from "../operation/operation.ts"
import { findOwn } from "../operation/own.ts"
import * as Page from "../operation/page.ts"
import { NotFound } from "../operation/refusal.ts"
import * as Kind from "./kind.ts"
import { Status } from "./proposal.ts"
import { Proposals } from "./proposal-store.ts"
import * as View from "./view.ts"

export const ProposalId = Id("The proposal's id.")

/** The caller's proposal; another account's is not found either. */
export const find = (proposalId: string) =>
  findOwn({ param: "proposalId", what: "proposal", operation: "list_proposals" }, (accountId) =>
    Proposals.use(({ find }) => find(accountId, proposalId))
  )

export const getProposal = Operation.make("get_proposal", {
  summary: "Reads a proposal: what it does, its status, and the approvals it waits for.",
  next: "Call confirm_proposal or cancel_proposal while it is pending; get_proposal_history shows who did what.",
  scope: "account:read",
  input: { proposalId: ProposalId },
  output: View.fields,
  refusals: [NotFound],
  example: { input: { proposalId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d" } },
  handle: ({ proposalId }) => Effect.flatMap(find(proposalId), View.view)
})

export const listProposals = Page.list("list_proposals", {
  summary:
    "Lists proposals, newest first, optionally of one status, kind or recipient, of a time or an amount.",
  next: "get_proposal reads one.",
  scope: "account:read",
  key: "proposals",
  fields: View.fields,
  input: {
    status: Schema.optionalKey(Status),
    kind: Schema.optionalKey(Kind.Name),
    recipientId: Schema.optionalKey(Id("Proposals that pay this recipient or approve it.")),
    ...Page.times,
    ...AmountRange.fields
  },
  page: Effect.fnUntraced(function* ({ accountId, filter, request }) {
    const { kind, recipientId, status } = filter
    const { maxMicro, minMicro } = yield* AmountRange.read(filter)
    const wanted = {
      kind,
      recipientId,
      status,
      minMicro: minMicro === undefined ? undefined : Usdc.toUsd(minMicro),
      maxMicro: maxMicro === undefined ? undefined : Usdc.toUsd(maxMicro)
    }
    const { list } = yield* Proposals
    return yield* list(accountId, wanted, yield* Page.during(request, filter))
  }),
  views: View.views
})
