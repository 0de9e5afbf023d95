/** The stores of co-signers, whose rows two accounts share: invites, memberships, rules, and approvals with their votes. */
import { Context, type DateTime, type Effect } from "effect"
import type * as Page from "../operation/page.ts"
import type { Approval, Vote } from "./approval.ts"
import type { Invite, Membership } from "./invite.ts"
import type { Revision } from "./rules.ts"

/** The store of co-signers: invites, memberships and the revisions of rules. The one store whose rows two accounts share. */
export class Cosigners extends Context.Service<
  Cosigners,
  {
    /** Adds an invite; false while another of the same two accounts is pending at `createdAt`, or they are joined. */
    readonly invite: (invite: Invite) => Effect.Effect<boolean>
    /** Reads it over all accounts and keeps others from changing it until the transaction ends. */
    readonly lockInvite: (inviteId: string) => Effect.Effect<Invite | undefined>
    /** Writes the status of a locked one back. */
    readonly answerInvite: (invite: Invite) => Effect.Effect<void>
    /** Pending invites sent to an account that have not run out, newest first. */
    readonly incoming: (
      cosignerAccountId: string,
      now: DateTime.Utc,
      request: Page.Request
    ) => Effect.Effect<Page.Page<Invite>>
    /** Pending invites that an account has sent and that have not run out, newest first. */
    readonly outgoing: (
      ownerAccountId: string,
      now: DateTime.Utc,
      request: Page.Request
    ) => Effect.Effect<Page.Page<Invite>>
    /** Joins two accounts; false when they are joined already. */
    readonly join: (membership: Membership) => Effect.Effect<boolean>
    /** Ends an active membership of the owner's; false when there is none. */
    readonly leave: (
      ownerAccountId: string,
      membershipId: string,
      at: DateTime.Utc
    ) => Effect.Effect<boolean>
    /** Active memberships of an owner, newest first. */
    readonly members: (
      ownerAccountId: string,
      request: Page.Request
    ) => Effect.Effect<Page.Page<Membership>>
    /** Whether an account co-signs for an owner just now. */
    readonly cosigns: (cosignerAccountId: string, ownerAccountId: string) => Effect.Effect<boolean>
    /**
     * The newest rules of an account, which with its members stand still until the transaction ends. Many
     * may hold this at once; take it before the lock of a proposal.
     */
    readonly lockShared: (ownerAccountId: string) => Effect.Effect<Revision | undefined>
    /** The same for whoever changes members or rules: alone, once nobody shares the lock. */
    readonly lock: (ownerAccountId: string) => Effect.Effect<Revision | undefined>
    /** The newest revision of an account's rules, as a read. */
    readonly rules: (accountId: string) => Effect.Effect<Revision | undefined>
    /** Adds a revision; false when the number was taken meanwhile. */
    readonly revise: (revision: Revision) => Effect.Effect<boolean>
  }
>()("bursar/cosigners/Cosigners") {}

/** The store of approvals and the votes on them: at most one approval a proposal, one vote a voter. */
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
