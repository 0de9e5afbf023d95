/** A human's passkey signs one proposal as the records hold it, and nothing else passes for that (threats 12, 15, 35). */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { pauseAccount, resumeAccount } from "../../../core/accounts/pause.ts"
import { Audit } from "../../../core/audit/audit-store.ts"
import { Humans } from "../../../core/humans/human-store.ts"
import { beginLogin } from "../../../core/humans/sign-in.ts"
import { suspendPasskey } from "../../../core/humans/suspend-passkey.ts"
import { Proposals } from "../../../core/proposals/proposal-store.ts"
import { aHuman } from "../../support/enrolled-human.ts"
import { cosigner, humanAccount, sendsTake } from "../../support/human-account.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"

const codeOf = <A, E extends { readonly _tag: string }, R>(work: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(work), ({ _tag }) => _tag)

layer(memoryTreasury)("a human's approval", (it) => {
  it.effect("starts a confirmed send, and says so where it is waited for", () =>
    Effect.gen(function* () {
      const { accountId, call, confirmed, human } = yield* humanAccount
      const proposalId = yield* confirmed("5")
      const before = yield* call.get_proposal({ proposalId })
      assert.strictEqual(before.status, "requires_action")
      assert.deepInclude(before.nextAction[0], {
        type: "passkey_approval",
        url: `http://treasury.test/console/proposals/${proposalId}`,
        required: 1,
        received: 0
      })
      const done = yield* human.approve(proposalId)
      assert.strictEqual(done.status, "executing")
      assert.deepStrictEqual(done.nextAction, [])
      const { rows } = yield* (yield* Audit).list(accountId, { limit: 2 })
      const [executing, signed] = rows
      assert.deepInclude(executing, {
        action: "proposal.executing",
        actor: `human:${human.human.id}`
      })
      assert.deepInclude(signed, { action: "proposal.signed" })
      assert.strictEqual(signed?.facts.intentHash, done.intentHash)
      assert.strictEqual(signed?.facts.passkeyId, human.session.passkeyId)
    })
  )

  it.effect("confirms as well what nobody has confirmed yet", () =>
    Effect.gen(function* () {
      const { call, human, propose } = yield* humanAccount
      const proposalId = yield* propose("5")
      assert.strictEqual((yield* human.approve(proposalId)).status, "executing")
      assert.strictEqual((yield* call.confirm_proposal({ proposalId })).status, "executing")
    })
  )

  it.effect("is not given by any answer that lies", () =>
    Effect.gen(function* () {
      const { confirmed, human, statusOf } = yield* humanAccount
      const proposalId = yield* confirmed("5")
      const lies = [
        { origin: "https://evil.example" },
        { relyingPartyId: "evil.example" },
        { userVerified: false },
        { challenge: "A".repeat(43) },
        { flippedBit: 100 },
        { userHandle: "AAAA" }
      ]
      for (const lie of lies) {
        assert.strictEqual(yield* codeOf(human.approve(proposalId, lie)), "PASSKEY_REJECTED")
      }
      assert.strictEqual(yield* statusOf(proposalId), "requires_action")
      assert.strictEqual((yield* human.approve(proposalId)).status, "executing")
    })
  )

  it.effect("of one proposal is none of another, nor a login, nor good twice", () =>
    Effect.gen(function* () {
      const { authenticator, ...human } = (yield* humanAccount).human
      const account = yield* humanAccount
      const { confirmed, human: own, statusOf } = account
      const [first, second] = [yield* confirmed("5"), yield* confirmed("6")]
      const [one, other] = [yield* own.asked(first), yield* own.asked(second)]
      const swapped = own.answered(
        second,
        other.passkeyChallengeId,
        own.authenticator.sign(one.options)
      )
      assert.strictEqual(yield* codeOf(swapped), "PASSKEY_REJECTED")
      // The first one's question, brought to the second.
      const moved = own.answered(
        second,
        one.passkeyChallengeId,
        own.authenticator.sign(one.options)
      )
      assert.strictEqual(yield* codeOf(moved), "PASSKEY_CHALLENGE_EXPIRED")
      const login = yield* beginLogin(own.signedIn.browserId)
      const signedIn = own.authenticator.sign(login.options)
      const asLogin = own.answered(second, login.passkeyChallengeId, signedIn)
      assert.strictEqual(yield* codeOf(asLogin), "PASSKEY_CHALLENGE_EXPIRED")
      const fresh = yield* own.asked(second)
      const asApproval = own.answered(second, fresh.passkeyChallengeId, signedIn)
      assert.strictEqual(yield* codeOf(asApproval), "PASSKEY_REJECTED")
      const again = yield* own.asked(first)
      const answer = own.authenticator.sign(again.options)
      yield* own.answered(first, again.passkeyChallengeId, answer)
      const replayed = own.answered(first, again.passkeyChallengeId, answer)
      assert.strictEqual(yield* codeOf(replayed), "PASSKEY_CHALLENGE_EXPIRED")
      assert.strictEqual(yield* statusOf(second), "requires_action")
      // Another account's human learns nothing of it, with or without their own passkey.
      assert.strictEqual(yield* codeOf(human.approve(second)), "NOT_FOUND")
      const foreign = own.answered(
        second,
        (yield* own.asked(second)).passkeyChallengeId,
        authenticator.sign((yield* own.asked(second)).options)
      )
      assert.strictEqual(yield* codeOf(foreign), "PASSKEY_REJECTED")
    })
  )

  it.effect("of a proposal whose terms have changed since is over nothing", () =>
    Effect.gen(function* () {
      const { confirmed, human, statusOf } = yield* humanAccount
      const proposals = yield* Proposals
      const proposalId = yield* confirmed("5")
      for (const field of ["amountSmallestUnit", "toAddress", "recipientId", "fromWalletId"]) {
        const { passkeyChallengeId, options } = yield* human.asked(proposalId)
        const altered: Proposals["Service"] = {
          ...proposals,
          find: (accountId, id) =>
            Effect.map(proposals.find(accountId, id), (found) =>
              found === undefined
                ? undefined
                : { ...found, terms: { ...found.terms, [field]: "9000000" } }
            )
        }
        const answered = human
          .answered(proposalId, passkeyChallengeId, human.authenticator.sign(options))
          .pipe(Effect.provideService(Proposals, altered))
        assert.strictEqual(yield* codeOf(answered), "PASSKEY_REJECTED", field)
      }
      // Changed between the look and the lock.
      const late: Proposals["Service"] = {
        ...proposals,
        lock: (id) =>
          Effect.map(proposals.lock(id), (found) =>
            found === undefined ? undefined : { ...found, intentHash: "0".repeat(64) }
          )
      }
      const raced = Effect.provideService(human.approve(proposalId), Proposals, late)
      assert.strictEqual(yield* codeOf(raced), "INTENT_MISMATCH")
      assert.strictEqual(yield* statusOf(proposalId), "requires_action")
    })
  )

  it.effect("by a copied or suspended passkey does nothing, and a copy leaves its suspension", () =>
    Effect.gen(function* () {
      const { accountId, confirmed, human, statusOf } = yield* humanAccount
      const humans = yield* Humans
      const [first, second] = [yield* confirmed("5"), yield* confirmed("6")]
      yield* human.approve(first)
      const { counter } = human.authenticator
      assert.strictEqual(yield* codeOf(human.approve(second, { counter })), "PASSKEY_SUSPENDED")
      const { passkeyId } = human.session
      assert.isNotNull((yield* humans.passkey(accountId, passkeyId))?.suspendedAt)
      const late = human.approve(second, { counter: counter + 5 })
      assert.strictEqual(yield* codeOf(late), "PASSKEY_SUSPENDED")
      const ben = yield* aHuman(accountId, "Ben")
      yield* suspendPasskey(accountId, ben.session.passkeyId, "revoked", "operator")
      assert.strictEqual(yield* codeOf(ben.approve(second)), "PASSKEY_SUSPENDED")
      assert.strictEqual(yield* statusOf(second), "requires_action")
      const cleo = yield* aHuman(accountId, "Cleo")
      // Ben's passkey does not answer what Cleo is asked.
      const { passkeyChallengeId, options } = yield* cleo.asked(second)
      const byBen = cleo.answered(second, passkeyChallengeId, ben.authenticator.sign(options))
      assert.strictEqual(yield* codeOf(byBen), "PASSKEY_REJECTED")
      assert.strictEqual((yield* cleo.approve(second)).status, "executing")
    })
  )

  it.effect("of many at once is one, and what limits refuse stays as it was", () =>
    Effect.gen(function* () {
      const { call, confirmed, human, statusOf } = yield* humanAccount
      const [proposalId, ...others] = [
        yield* confirmed("9000"),
        yield* confirmed("9000"),
        yield* confirmed("9000"),
        yield* confirmed("9000"),
        yield* confirmed("9000")
      ]
      const last = yield* confirmed("9000")
      const asked = yield* Effect.forEach(Array.from({ length: 16 }), () => human.asked(proposalId))
      const answers = asked.map(({ passkeyChallengeId, options }) => ({
        passkeyChallengeId,
        answer: human.authenticator.sign(options)
      }))
      const said = yield* Effect.forEach(
        answers,
        ({ passkeyChallengeId, answer }) =>
          Effect.result(human.answered(proposalId, passkeyChallengeId, answer)),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        said.filter(({ _tag }) => _tag === "Success"),
        1
      )
      assert.strictEqual((yield* call.get_policy_limits({})).dailyUsedUsd, "9000.00")
      for (const other of others) yield* human.approve(other)
      assert.strictEqual(yield* codeOf(human.approve(last)), "POLICY_LIMIT_EXCEEDED")
      assert.strictEqual(yield* statusOf(last), "requires_action")
      const { nextAction } = yield* call.get_proposal({ proposalId: last })
      assert.strictEqual(nextAction[0]?.received, 0)
    })
  )

  it.effect("is not taken while the account is paused, also where votes are still to come", () =>
    Effect.gen(function* () {
      const account = yield* humanAccount
      const { accountId, call, confirmed, human, statusOf } = account
      yield* cosigner(account, "Ben")
      const [first, second] = [yield* confirmed("5"), yield* confirmed("6")]
      yield* call.update_cosigner_rules(sendsTake(1))
      const asked = yield* human.asked(second)
      yield* pauseAccount(accountId)
      const answer = human.authenticator.sign(asked.options)
      for (const refused of [
        human.answered(second, asked.passkeyChallengeId, answer),
        human.approve(first)
      ]) {
        assert.strictEqual(yield* codeOf(refused), "ACCOUNT_PAUSED")
      }
      assert.isEmpty(
        (yield* call.get_proposal({ proposalId: first })).nextAction.filter(
          ({ received }) => received > 0
        )
      )
      yield* resumeAccount(accountId)
      yield* human.approve(first)
      assert.strictEqual(yield* statusOf(first), "requires_action")
    })
  )

  it.effect("is asked for two minutes, and of what still waits", () =>
    Effect.gen(function* () {
      const { call, confirmed, human, wallet } = yield* humanAccount
      const proposalId = yield* confirmed("5")
      for (const [seconds, code] of [
        [119, undefined],
        [120, "PASSKEY_CHALLENGE_EXPIRED"]
      ] as const) {
        const id = seconds === 119 ? yield* confirmed("4") : proposalId
        const { passkeyChallengeId, options } = yield* human.asked(id)
        yield* TestClock.adjust(`${seconds} seconds`)
        const answer = human.authenticator.sign(options)
        const said = yield* Effect.result(human.answered(id, passkeyChallengeId, answer))
        assert.strictEqual(said._tag === "Success" ? undefined : said.failure._tag, code)
      }
      const { passkeyChallengeId, options } = yield* human.asked(proposalId)
      yield* call.cancel_proposal({ proposalId })
      const answer = human.authenticator.sign(options)
      const late = human.answered(proposalId, passkeyChallengeId, answer)
      assert.strictEqual(yield* codeOf(late), "PROPOSAL_NOT_CONFIRMABLE")
      assert.strictEqual(yield* codeOf(human.asked(proposalId)), "PROPOSAL_NOT_CONFIRMABLE")
      const named = yield* call.propose_rename_account({ accountId: wallet.id, nickname: "Till" })
      assert.strictEqual(yield* codeOf(human.asked(named.proposalId)), "INVALID_REQUEST")
      const old = yield* confirmed("3")
      yield* TestClock.adjust("7 days")
      assert.strictEqual(yield* codeOf(human.asked(old)), "PROPOSAL_NOT_CONFIRMABLE")
    })
  )
})
