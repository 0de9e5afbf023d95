/**
 * The store of submissions, which is their queue too: a row is claimed under a lease, and what a step wrote
 * down counts only under the lease it was done under.
 */
import { Context, type DateTime, type Effect } from "effect"
import type { AddressKey } from "../chains/address.ts"
import type { Release, Renew } from "../ports/leases.ts"
import type { Status, Submission } from "./submission.ts"

export interface Claimed {
  readonly submission: Submission
  readonly lease: string
}

/** What a step came to, under the lease it was done under. */
export interface Write extends Claimed {
  /** Whether the lease ends with it. */
  readonly isLast: boolean
}

export class SubmissionStore extends Context.Service<
  SubmissionStore,
  {
    /** False, and nothing written, when there is one with its key. */
    readonly open: (submission: Submission) => Effect.Effect<boolean>
    /** Adds one whose key is new; that there is one with it is a defect. */
    readonly add: (submission: Submission) => Effect.Effect<void>
    readonly find: (key: string) => Effect.Effect<Submission | undefined>
    /** Of proposals, whatever became of them; by proposal, then in the order of their keys. */
    readonly ofProposals: (
      proposalIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Submission>>
    /** What the chain is to know the payments of a wallet by, and how they stand; in no order. It reads many rows. */
    readonly identitiesOf: (
      chainId: string,
      from: AddressKey
    ) => Effect.Effect<ReadonlyArray<{ readonly identity: string; readonly status: Status }>>
    /**
     * What wallets of ours did on a chain that is final and closed, and was opened before a time: oldest first, so many
     * after one of them. It reads many rows.
     */
    readonly finalOn: (
      chainId: string,
      asked: {
        readonly before: DateTime.Utc
        readonly after?: Pick<Submission, "createdAt" | "id"> | undefined
        readonly limit: number
      }
    ) => Effect.Effect<ReadonlyArray<Submission>>
    /** Of payment requests and not failed, oldest first. */
    readonly standing: (
      requestIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<Submission>>
    /**
     * What an address has signed to pay by signatures of its own that is in no block yet. In a transaction, nobody else
     * reads it of that address until that ends, so that the same money is not promised by two at once.
     */
    readonly promisedBy: (
      chainId: string,
      from: AddressKey
    ) => Effect.Effect<{ readonly count: number; readonly units: bigint }>
    /** Takes up one that failed and is closed, as it was when it was opened; false when there is none. */
    readonly reopen: (submissionId: string, at: DateTime.Utc) => Effect.Effect<boolean>
    /** Takes due submissions without a live lease, the longest due first. */
    readonly claim: (claim: {
      readonly now: DateTime.Utc
      /** How long the claim holds when nobody extends it. */
      readonly leaseMs: number
      readonly most: number
    }) => Effect.Effect<ReadonlyArray<Claimed>>
    readonly renew: Renew
    readonly release: Release
    /**
     * Saves progress of several at once. Returns the leases that were current; of the others, which another
     * worker holds now, nothing is saved. Of a submission only what `progress` names is ever written again.
     */
    readonly save: (writes: ReadonlyArray<Write>) => Effect.Effect<ReadonlyArray<string>>
    /**
     * Empties the signed bytes of submissions that are closed and were last written before an instant, in the
     * order in which they were opened and then written, at most `max`; how many submissions. All else of them stays.
     */
    readonly forgetBytes: (writtenBefore: DateTime.Utc, max: number) => Effect.Effect<number>
    /** Says which transfer it became; whatever its lease. */
    readonly attach: (submissionId: string, transferId: string) => Effect.Effect<void>
    /** When the next one is due, leases that run out included. */
    readonly nextDue: (now: DateTime.Utc) => Effect.Effect<DateTime.Utc | undefined>
    /**
     * A relayer's next sequence numbers on a chain (nonces on EVM), so many without a gap, each given once, one transaction after the other.
     * Returns the first. The chain's own count is where they start, and what they are raised to when somebody
     * else used the relayer.
     */
    readonly takeSequences: (
      chainId: string,
      relayer: AddressKey,
      chainCount: number,
      howMany: number
    ) => Effect.Effect<number>
    /**
     * The highest sequence number that a submission has in the order of a wallet; undefined when none has one. In a
     * transaction, nobody else reads it until that ends, so that the next number is given once.
     */
    readonly newestSequence: (
      chainId: string,
      holder: AddressKey
    ) => Effect.Effect<{ readonly sequence: number; readonly isClosed: boolean } | undefined>
    /** Whether any that is not closed holds a sequence number of a relayer from the first to before the second. */
    readonly holdsSequence: (
      chainId: string,
      relayer: AddressKey,
      first: number,
      before: number
    ) => Effect.Effect<boolean>
  }
>()("bursar/submissions/SubmissionStore") {}
