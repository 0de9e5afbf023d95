/** The store of approvals and the votes on them: at most one approval a proposal, one vote a voter. */
import { Context, type DateTime, type Effect } from "effect"
import type * as Page from "../operation/page.ts"
import type { Approval, Vote } from "./approval.ts"

export class Approvals extends Context.Service<
  Approvals,
  {
    /** Opens the approval of a proposal; a second one is a defect. */
    readonly open: (approval: Approval) => Effect.Effect<void>
    readonly find: (approvalId: string) => Effect.Effect<Approval | undefined>
    readonly ofProposal: (proposalId: string) => Effect.Effect<Approval | undefined>
    /** Writes the status and requirement of one back. */
    readonly revise: (approval: Approval) => Effect.Effect<void>
    /**
     * Pending ones that have not run out, of owners the account co-signs for, that it has not voted on,
     * newest first.
     */
    readonly awaiting: (
      cosignerAccountId: string,
      now: DateTime.Utc,
      request: Page.Request
    ) => Effect.Effect<Page.Page<Approval>>
    /** Ids of an owner's proposals with a pending approval of the proposal itself, oldest first. */
    readonly pendingOf: (ownerAccountId: string) => Effect.Effect<ReadonlyArray<string>>
    /** Casts it; false when the voter has voted on it already. */
    readonly vote: (vote: Vote) => Effect.Effect<boolean>
    /** All votes on one, first cast first. */
    readonly votes: (approvalId: string) => Effect.Effect<ReadonlyArray<Vote>>
    /** Voids what an account voted on an owner's pending approvals. */
    readonly voidVotes: (ownerAccountId: string, voterAccountId: string) => Effect.Effect<void>
  }
>()("bursar/cosigners/Approvals") {}
