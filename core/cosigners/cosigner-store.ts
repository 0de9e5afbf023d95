/** The store of co-signers: invites, memberships and the revisions of rules. The one store whose rows two accounts share. */
import { Context, type DateTime, type Effect } from "effect"
import type * as Page from "../operation/page.ts"
import type { Invite } from "./invite.ts"
import type { Membership } from "./membership.ts"
import type { Revision } from "./rules.ts"

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
    readonly consult: (ownerAccountId: string) => Effect.Effect<Revision | undefined>
    /** The same for whoever changes members or rules: alone, once nobody consults them. */
    readonly convene: (ownerAccountId: string) => Effect.Effect<Revision | undefined>
    /** The newest revision of an account's rules, as a read. */
    readonly rules: (accountId: string) => Effect.Effect<Revision | undefined>
    /** Adds a revision; false when the number was taken meanwhile. */
    readonly revise: (revision: Revision) => Effect.Effect<boolean>
  }
>()("bursar/cosigners/Cosigners") {}
