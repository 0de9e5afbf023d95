/** A human with a passkey, over any stores: enrolled by a link, signed in, and approving as the console's routes do. */
import { Effect } from "effect"
import { approveProposal, beginApproval } from "../../core/approvals/sign-proposal.ts"
import { beginSigning, signGovernance } from "../../core/approvals/sign-request.ts"
import { authenticate } from "../../core/humans/authenticate.ts"
import { beginEnrolment, enrol } from "../../core/humans/enrol.ts"
import { issueEnrolment } from "../../core/humans/issue-enrolment.ts"
import { relyingPartyOf } from "../../core/humans/passkey.ts"
import { Deployment } from "../../core/operation/deployment.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import type { AssertionAnswer } from "../../core/ports/passkeys.ts"
import { type Lie, SoftAuthenticator } from "./soft-authenticator.ts"

const browserId = "ab".repeat(32)

/** Whoever opens a link with a new authenticator. */
export const enrolledBy = Effect.fnUntraced(function* (
  token: string,
  made: { readonly synced?: boolean } = {}
) {
  const authenticator = new SoftAuthenticator(relyingPartyOf(yield* Deployment), made)
  const { passkeyChallengeId, options } = yield* beginEnrolment(token, browserId)
  const answer = authenticator.register(options)
  const opened = yield* enrol({ passkeyChallengeId, answer, label: "Key" }, browserId)
  const signedIn = yield* authenticate(opened.token)

  const asked = (proposalId: string) => beginApproval(signedIn, proposalId)
  const answered = (proposalId: string, passkeyChallengeId: string, answer: AssertionAnswer) =>
    Effect.map(
      approveProposal(signedIn, proposalId, { passkeyChallengeId, answer }),
      ({ proposal }) => proposal
    )
  return {
    ...opened,
    signedIn,
    authenticator,
    asked,
    answered,
    /** Approves a proposal, or tries to with a lie. */
    approve: Effect.fnUntraced(function* (proposalId: string, lie: Lie = {}) {
      const { passkeyChallengeId, options } = yield* asked(proposalId)
      return yield* answered(proposalId, passkeyChallengeId, authenticator.sign(options, lie))
    }),
    /** Signs a governance request. */
    govern: Effect.fnUntraced(function* (requestId: string, lie: Lie = {}) {
      const { passkeyChallengeId, options } = yield* beginSigning(signedIn, requestId)
      const answer = authenticator.sign(options, lie)
      const given = { passkeyChallengeId, answer }
      return (yield* signGovernance(signedIn, requestId, given)).request
    })
  }
})

export const aHuman = Effect.fnUntraced(function* (
  accountId: string,
  name = "Ada",
  made: { readonly synced?: boolean } = {}
) {
  const wanted = { accountId, purpose: "operator", name } as const
  const { token } = yield* (yield* Atomically).run(issueEnrolment(wanted, "operator"))
  return yield* enrolledBy(token, made)
})

export type AHuman = Effect.Success<ReturnType<typeof aHuman>>
