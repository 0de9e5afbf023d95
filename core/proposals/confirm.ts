/**
 * Confirms a proposal. Everything is judged again in the transaction that starts it; a proposal that was
 * confirmed before answers with how it stands now, and nothing is ever done twice.
 */
import { Clock, DateTime, Effect, Schema } from "effect"
import { waitFor } from "../background/wait-for.ts"
import { Cosigners } from "../cosigners/cosigner-store.ts"
import { giveNotice } from "../notices/give-notice.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { InsufficientScope, NotFound } from "../operation/refusal.ts"
import { isEnded, type Submission } from "../submissions/submission.ts"
import { SubmissionStore } from "../submissions/submission-store.ts"
import { SendingHeld } from "../timeline/sending.ts"
import { mayConfirm } from "./authority.ts"
import { openApproval, requiredApprovals } from "./end-vote.ts"
import { begin } from "./execute.ts"
import { find, ProposalId } from "./find.ts"
import { type AnyKind, kindOf, type Registry } from "./kind.ts"
import { move } from "./move.ts"
import {
  actWithinDays,
  IntentMismatch,
  isTerminal,
  type Proposal,
  ProposalNotConfirmable
} from "./proposal.ts"
import { Proposals } from "./proposal-store.ts"
import * as View from "./view.ts"

/** Whether a human confirms a kind with their passkey. */
export const isSignedByHumans = (kind: AnyKind): boolean => kind.movesMoney || kind.governs === true

export const notConfirmable = Effect.fnUntraced(function* (proposal: Proposal, reason: string) {
  return yield* new ProposalNotConfirmable({
    message: `This proposal ${reason} and cannot be confirmed; propose it again.`,
    details: {
      proposal: { proposalId: proposal.id, kind: proposal.kind, status: proposal.status }
    },
    next: { operation: "get_proposal", args: { proposalId: proposal.id } }
  })
})

/** Leaves it waiting for a passkey, for co-signers, or for both in whatever order they come. */
const ask = Effect.fnUntraced(function* (
  proposal: Proposal,
  takesPasskey: boolean,
  required: number,
  actor: string
) {
  const now = yield* DateTime.now
  const expiresAt = DateTime.add(now, { days: actWithinDays })
  const { confirmedBy } = proposal
  const asked = { confirmedBy, confirmedAt: now, takesPasskey, expiresAt }
  const waiting = yield* move(proposal, { ...asked, status: "requires_action" }, actor)
  if (required > 0) yield* openApproval(waiting, required)
  if (takesPasskey) {
    yield* giveNotice({
      accountId: proposal.accountId,
      type: "approval_requested",
      subject: proposal.id,
      role: "approver",
      summary: `Waits for your passkey: ${proposal.summary}`,
      path: `/console/proposals/${proposal.id}`
    })
  }
  return waiting
})

const confirm = Effect.fnUntraced(function* (proposalId: string, expectedIntentHash?: string) {
  const { kind, keyId } = yield* Caller
  const { id, accountId } = yield* find(proposalId)
  // Before the proposal, in the order of those who vote and those who change the co-signers.
  const revision = yield* (yield* Cosigners).lockShared(accountId)
  const proposal = (yield* (yield* Proposals).lock(id)) as Proposal
  if (expectedIntentHash !== undefined && expectedIntentHash !== proposal.intentHash) {
    return yield* new IntentMismatch({
      param: "expectedIntentHash",
      message:
        "The proposal's intent hash differs from expectedIntentHash; read the proposal before you confirm it.",
      details: { intentHash: proposal.intentHash },
      next: { operation: "get_proposal", args: { proposalId: id } }
    })
  }
  if (proposal.status === "rejected") return yield* notConfirmable(proposal, "was rejected")
  if (proposal.confirmedAt !== null) return proposal
  if (isTerminal(proposal.status)) return yield* notConfirmable(proposal, `is ${proposal.status}`)
  if (DateTime.isLessThanOrEqualTo(proposal.expiresAt, yield* DateTime.now)) {
    return yield* notConfirmable(proposal, "has expired")
  }
  const confirmed: Proposal = { ...proposal, confirmedBy: keyId }
  const definition = yield* kindOf(proposal)
  const takesPasskey = kind === "developer" && isSignedByHumans(definition)
  const required = yield* requiredApprovals(proposal, revision?.rules ?? [])
  return takesPasskey || required > 0
    ? yield* ask(confirmed, takesPasskey, required, keyId)
    : yield* begin(confirmed, keyId)
})

/** As it stands now; what was just opened for it is known and not read. */
const viewOf = (confirmed: Effect.Success<ReturnType<typeof confirm>>) => {
  if (!("executed" in confirmed)) return View.view(confirmed)
  const { executed, opened } = confirmed
  return opened === undefined ? View.view(executed) : View.viewOfOne(executed, opened)
}

interface Seen {
  readonly isExecuting: boolean
  readonly proposal?: Proposal | undefined
  readonly submissions?: ReadonlyArray<Submission>
}

/** Waits, outside of any transaction, until an execution has ended or the time is up; whoever ends it wakes this. */
const settled = Effect.fnUntraced(function* (proposalId: string, waitMs: number, known?: Seen) {
  const { accountId } = yield* Caller
  const proposals = yield* Proposals
  const endsAtMs = (yield* Clock.currentTimeMillis) + waitMs
  const { ofProposals } = yield* SubmissionStore
  // Both at once: whoever waits wants to know both once it has ended.
  const look = Effect.map(
    Effect.all([proposals.find(accountId, proposalId), ofProposals([proposalId])], {
      concurrency: "unbounded"
    }),
    ([proposal, submissions]): Seen => ({
      isExecuting: proposal?.status === "executing",
      proposal,
      submissions
    })
  )
  const { proposal, submissions } = yield* waitFor(
    "proposals",
    proposalId,
    look,
    ({ isExecuting }, nowMs) => (isExecuting ? endsAtMs - nowMs : 0),
    known
  )
  if (proposal === undefined) return undefined
  // An end that was committed between the two is seen in the proposal alone.
  const isBehind = isTerminal(proposal.status) && submissions?.every(isEnded) !== true
  return yield* View.view(proposal, isBehind ? undefined : submissions)
})

/** What confirming refuses with besides what the kinds refuse with. */
const refusals = [
  NotFound,
  ProposalNotConfirmable,
  IntentMismatch,
  InsufficientScope,
  SendingHeld
] as const

/** Makes the operation over the kinds there are; `ofKinds` is everything they may refuse with. */
export const confirmOver = (ofKinds: ReadonlyArray<Registry[keyof Registry]["refusals"][number]>) =>
  Operation.make("confirm_proposal", {
    summary:
      "Confirms a proposal and starts it: with an agent's key at once, with a person's key after their passkey.",
    next: "Poll get_proposal until it is completed or failed. Repeating this call is safe and never executes the proposal twice.",
    scope: "proposals:write",
    sideEffect: "money",
    authority: ({ proposalId }) => mayConfirm(proposalId),
    rateLimit: "confirms",
    input: {
      proposalId: ProposalId,
      expectedIntentHash: Schema.optionalKey(
        Schema.String.check(
          Schema.isPattern(/^[0-9a-f]{64}$/u, {
            expected: "the intentHash of the proposal: 64 hexadecimal digits in lower case"
          })
        ).annotate({
          description: "The intentHash you read; the call fails if the proposal has another."
        })
      ),
      waitMs: Schema.optionalKey(
        Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30_000 })).annotate({
          description: "How long to wait for the execution to end, in milliseconds."
        })
      )
    },
    output: View.fields,
    refusals: [...refusals, ...ofKinds],
    example: { input: { proposalId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d", waitMs: 10_000 } },
    handle: ({ proposalId, expectedIntentHash }) =>
      Effect.flatMap(confirm(proposalId, expectedIntentHash), viewOf),
    // What was just answered is how it stands, unless somebody waits for its end.
    respond: ({ proposalId, waitMs = 0 }, { status }, isReplayed) => {
      if (isReplayed) return settled(proposalId, waitMs)
      return waitMs === 0 || status !== "executing"
        ? Effect.undefined
        : settled(proposalId, waitMs, { isExecuting: true })
    }
  })
