/** What a human asked to govern is applied by their passkey's signature over it, once, and judged anew (threats 8, 15, 35). */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { beginSigning, signGovernance } from "../../../core/approvals/sign-request.ts"
import { Audit } from "../../../core/audit/audit-store.ts"
import { Approvals } from "../../../core/cosigners/cosigner-store.ts"
import { callerOf } from "../../../core/humans/authenticate.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"
import { cosigner, humanAccount, sendsTake } from "../../support/human-account.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"

const codeOf = <A, E extends { readonly _tag: string }, R>(work: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(work), ({ _tag }) => _tag)

const supplier = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"

layer(memoryTreasury)("a human's signature over a governance request", (it) => {
  it.effect("invites, removes and weakens, each once and with its entry", () =>
    Effect.gen(function* () {
      const account = yield* humanAccount
      const { accountId, call, human } = account
      yield* cosigner(account, "Ben")
      yield* call.update_cosigner_rules(sendsTake(1))
      const weaker = yield* call.update_cosigner_rules(sendsTake(1, "5000000"))
      const requestId = weaker.governanceRequestId as string
      assert.strictEqual((yield* call.get_cosigner_rules({})).rulesRevision, 1)
      const done = yield* human.govern(requestId)
      assert.strictEqual(done.status, "applied")
      assert.strictEqual((yield* call.get_cosigner_rules({})).rulesRevision, 2)
      assert.strictEqual(yield* codeOf(human.govern(requestId)), "GOVERNANCE_REQUEST_NOT_OPEN")
      const { rows } = yield* (yield* Audit).list(accountId, { limit: 1 })
      assert.deepInclude(rows[0], {
        action: "governance_request.applied",
        actor: `human:${human.human.id}`
      })
      assert.strictEqual(rows[0]?.facts.payloadHash, done.payloadHash)
      const none = yield* call.update_cosigner_rules({ rules: [] })
      yield* human.govern(none.governanceRequestId as string)
      const { cosigner_memberships } = yield* call.list_cosigner_memberships({})
      const membershipId = cosigner_memberships[0]?.id as string
      const removal = yield* call.remove_cosigner({ membershipId })
      yield* human.govern(removal.governanceRequestId as string)
      assert.lengthOf((yield* call.list_cosigner_memberships({})).cosigner_memberships, 0)
      assert.lengthOf((yield* call.list_governance_requests({})).governance_requests, 0)
    })
  )

  it.effect("is judged by what is so then: refused and open, or superseded by what is gone", () =>
    Effect.gen(function* () {
      const account = yield* humanAccount
      const { call, human } = account
      yield* cosigner(account, "Ben")
      const { cosigner_memberships } = yield* call.list_cosigner_memberships({})
      const membershipId = cosigner_memberships[0]?.id as string
      const [first, second] = [
        yield* call.remove_cosigner({ membershipId }),
        yield* call.remove_cosigner({ membershipId })
      ]
      // Tightened meanwhile: a removal would leave a rule nobody can satisfy.
      yield* call.update_cosigner_rules(sendsTake(1))
      const requestId = first.governanceRequestId as string
      assert.strictEqual(yield* codeOf(human.govern(requestId)), "INVALID_REQUEST")
      const { governance_requests: open } = yield* call.list_governance_requests({})
      assert.include(
        open.map((each) => each.requestId),
        requestId
      )
      const none = yield* call.update_cosigner_rules({ rules: [] })
      yield* human.govern(none.governanceRequestId as string)
      assert.strictEqual((yield* human.govern(requestId)).status, "applied")
      const gone = yield* human.govern(second.governanceRequestId as string)
      assert.strictEqual(gone.status, "superseded")
    })
  )

  it.effect(
    "is given by nothing that lies, by no other account's human and for no other request",
    () =>
      Effect.gen(function* () {
        const [account, stranger] = [yield* humanAccount, yield* humanAccount]
        const { call, human } = account
        const ask = Effect.map(
          call.invite_cosigner({ cosignerUserId: stranger.accountId }),
          ({ governanceRequestId }) => governanceRequestId as string
        )
        const [first, second] = [yield* ask, yield* ask]
        const lies = [
          { origin: "https://evil.example" },
          { relyingPartyId: "evil.example" },
          { userVerified: false },
          { flippedBit: 100 }
        ]
        for (const lie of lies) {
          assert.strictEqual(yield* codeOf(human.govern(first, lie)), "PASSKEY_REJECTED")
        }
        assert.strictEqual(yield* codeOf(stranger.human.govern(first)), "NOT_FOUND")
        const [one, other] = [
          yield* beginSigning(human.signedIn, first),
          yield* beginSigning(human.signedIn, second)
        ]
        const answer = human.authenticator.sign(one.options)
        for (const [passkeyChallengeId, code] of [
          [other.passkeyChallengeId, "PASSKEY_REJECTED"],
          [one.passkeyChallengeId, "PASSKEY_CHALLENGE_EXPIRED"]
        ] as const) {
          const signed = signGovernance(human.signedIn, second, { passkeyChallengeId, answer })
          assert.strictEqual(yield* codeOf(signed), code)
        }
        const { incoming_cosigner_invites } = yield* stranger.call.list_incoming_cosigner_invites(
          {}
        )
        assert.lengthOf(incoming_cosigner_invites, 0)
        yield* TestClock.adjust("7 days")
        assert.strictEqual(yield* codeOf(human.govern(second)), "GOVERNANCE_REQUEST_NOT_OPEN")
      })
  )

  it.effect("never makes the owner their own co-signer, nor its human a voter on their own", () =>
    Effect.gen(function* () {
      const account = yield* humanAccount
      const { accountId, call, confirmed, human } = account
      yield* cosigner(account, "Ben")
      yield* call.update_cosigner_rules(sendsTake(1))
      const asHuman = callsOf(callerOf(human.signedIn))
      const own = asHuman.invite_cosigner({ cosignerUserId: accountId })
      assert.strictEqual(yield* codeOf(own), "SELF_APPROVAL_FORBIDDEN")
      const proposalId = yield* confirmed("5")
      yield* human.approve(proposalId)
      const approval = yield* (yield* Approvals).ofProposal(proposalId)
      const vote = asHuman.approve_cosigner_action({ pendingApprovalId: approval?.id as string })
      assert.strictEqual(yield* codeOf(vote), "SELF_APPROVAL_FORBIDDEN")
      assert.strictEqual((yield* call.get_proposal({ proposalId })).status, "requires_action")
    })
  )

  it.effect("over a recipient's approval that was cancelled supersedes it", () =>
    Effect.gen(function* () {
      const { call, human } = yield* humanAccount
      const added = yield* call.add_recipient({ address: supplier, chainId: "local" })
      yield* call.confirm_proposal({ proposalId: added.proposalId as string })
      const { recipients } = yield* call.list_recipients({})
      const recipientId = recipients.find(({ address }) => address === supplier)?.id as string
      const { proposalId } = yield* call.approve_recipient({ recipientId })
      yield* call.cancel_proposal({ proposalId: proposalId as string })
      const { governance_requests } = yield* call.list_governance_requests({})
      const ended = yield* human.govern(governance_requests[0]?.requestId as string)
      assert.strictEqual(ended.status, "superseded")
      const { recipients: after } = yield* call.list_recipients({})
      assert.isTrue(after.find(({ id }) => id === recipientId)?.cooldownActive)
    })
  )

  it.effect("approves a recipient whichever of its two names is signed, and ends both", () =>
    Effect.gen(function* () {
      for (const signsProposal of [true, false]) {
        const { call, human } = yield* humanAccount
        const added = yield* call.add_recipient({ address: supplier, chainId: "local" })
        yield* call.confirm_proposal({ proposalId: added.proposalId as string })
        const found = Effect.map(call.list_recipients({}), ({ recipients }) =>
          recipients.find(({ address }) => address === supplier)
        )
        const recipientId = (yield* found)?.id as string
        assert.isTrue((yield* found)?.cooldownActive)
        const { proposalId } = yield* call.approve_recipient({ recipientId })
        yield* call.confirm_proposal({ proposalId: proposalId as string })
        const { governance_requests } = yield* call.list_governance_requests({})
        const requestId = governance_requests[0]?.requestId as string
        if (signsProposal) yield* human.approve(proposalId as string)
        else yield* human.govern(requestId)
        assert.strictEqual((yield* found)?.status, "approved")
        const done = yield* call.get_proposal({ proposalId: proposalId as string })
        assert.strictEqual(done.status, "completed")
        assert.lengthOf((yield* call.list_governance_requests({})).governance_requests, 0)
        const late = human.govern(requestId)
        assert.strictEqual(yield* codeOf(late), "GOVERNANCE_REQUEST_NOT_OPEN")
      }
    })
  )
})
