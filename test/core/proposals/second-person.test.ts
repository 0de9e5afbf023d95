/** Who proposes does not sign where somebody else could; a role that was taken meanwhile signs nothing. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { defaultsOf } from "../../../core/accounts/account-settings.ts"
import { SettingsStore } from "../../../core/accounts/settings-store.ts"
import { callerOf } from "../../../core/humans/authenticate.ts"
import { Humans } from "../../../core/humans/human-store.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"
import { type AHuman, aHuman } from "../../support/enrolled-human.ts"
import { humanAccount } from "../../support/human-account.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"

const codeOf = <A, E extends { readonly _tag: string }, R>(work: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(work), ({ _tag }) => _tag)

/** An account with a person who proposes to send by themselves. */
const proposing = Effect.gen(function* () {
  const account = yield* humanAccount
  const proposed = Effect.fnUntraced(function* ({ signedIn }: AHuman) {
    const { recipientId, wallet } = account
    const input = { recipientId, fromWalletId: wallet.id, amountUsdc: "5" }
    const { proposalId } = yield* callsOf(callerOf(signedIn)).propose_transfer(input)
    return proposalId
  })
  return { ...account, proposed }
})

layer(memoryTreasury)("a person's own proposal", (it) => {
  it.effect("is signed by another where two could, and by themselves where nobody else can", () =>
    Effect.gen(function* () {
      const { accountId, human: ada, proposed } = yield* proposing
      const alone = yield* proposed(ada)
      assert.strictEqual((yield* ada.approve(alone)).status, "executing")
      const eve = yield* aHuman(accountId, "Eve")
      yield* (yield* Humans).changeRole(accountId, eve.human.id, "viewer")
      assert.strictEqual((yield* ada.approve(yield* proposed(ada))).status, "executing")
      const ben = yield* aHuman(accountId, "Ben")
      const own = yield* proposed(ada)
      assert.strictEqual(yield* codeOf(ada.approve(own)), "SELF_APPROVAL_FORBIDDEN")
      assert.strictEqual((yield* ben.approve(own)).status, "executing")
    })
  )

  it.effect("is signed by themselves where the account's settings say so", () =>
    Effect.gen(function* () {
      const { accountId, human: ada, proposed } = yield* proposing
      yield* aHuman(accountId, "Ben")
      const own = yield* proposed(ada)
      yield* (yield* SettingsStore).save({ ...defaultsOf(accountId), secondPersonSigns: false })
      assert.strictEqual((yield* ada.approve(own)).status, "executing")
    })
  )
})

layer(memoryTreasury)("a role that is taken", (it) => {
  it.effect("signs nothing that was asked for before", () =>
    Effect.gen(function* () {
      const { accountId, confirmed, human: ada, statusOf } = yield* proposing
      const proposalId = yield* confirmed("5")
      const { options, passkeyChallengeId } = yield* ada.asked(proposalId)
      yield* (yield* Humans).changeRole(accountId, ada.human.id, "viewer")
      const answer = ada.authenticator.sign(options)
      const signing = ada.answered(proposalId, passkeyChallengeId, answer)
      assert.strictEqual(yield* codeOf(signing), "INSUFFICIENT_ROLE")
      assert.strictEqual(yield* statusOf(proposalId), "requires_action")
    })
  )
})
