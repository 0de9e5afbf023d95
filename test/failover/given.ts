/** What a round asks a process to set up so that authority can be taken away, and what it is given. */
import type { KeyKind } from "../../core/operation/caller.ts"

/** What it takes to take something away once. */
export interface Wanted {
  readonly kind: KeyKind
  /** Another account, which has nothing to do with it, is invited to co-sign or does. */
  readonly other?: "stranger" | "invited" | "member"
  /** An owner, Ada, and an approver, Ben. */
  readonly hasPeople?: true
}

export interface Given {
  readonly accountId: string
  /** Its wallet, which has nothing. */
  readonly walletId: string
  readonly address: string
  readonly recipientId: string
  readonly apiKey: string
  readonly otherId: string
  readonly otherKey: string
  readonly inviteId: string
  readonly membershipId: string
  /** By which Ada and Ben enrol. */
  readonly links: ReadonlyArray<string>
}
