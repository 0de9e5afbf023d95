/** The history of a proposal: everybody who did something about it, by name and in order, and what was proposed. */
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { archiveAccount } from "../../../apps/cli/operator/archive-account.ts"
import { cosigner, humanAccount, sendsTake } from "../../support/human-account.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"
import { temporaryFolder } from "../../support/temporary-folder.ts"

const told = (
  history: ReadonlyArray<{ readonly action: string; readonly actorName: string | null }>
) => history.map(({ action, actorName }) => [action, actorName])

layer(memoryTreasury)("the history of a proposal", (it) => {
  it.effect("tells who proposed, confirmed, voted and signed, oldest first, with its terms", () =>
    Effect.gen(function* () {
      const account = yield* humanAccount
      const { call, caller, human, recipientId } = account
      const grace = yield* cosigner(account, "Grace")
      const { governanceRequestId } = yield* call.update_cosigner_rules(sendsTake(1))
      assert.isNull(governanceRequestId)
      const proposalId = yield* account.confirmed("5")
      yield* TestClock.adjust("1 second")
      yield* grace.vote(proposalId)
      yield* TestClock.adjust("1 second")
      yield* human.approve(proposalId)
      const read = yield* call.get_proposal_history({ proposalId })
      const { api_keys } = yield* call.list_api_keys({})
      const key = api_keys.find(({ id }) => id === caller.keyId)
      const shown = `${key?.prefix}…${key?.lastFour}`
      const named = key?.label === null ? shown : `${key?.label} (${shown})`
      assert.deepStrictEqual(told(read.history), [
        ["proposal.created", named],
        ["proposal.requires_action", named],
        ["cosigner.approved", null],
        ["proposal.signed", "Ada"],
        ["proposal.executing", "Ada"]
      ])
      assert.strictEqual(read.history[2]?.actor, grace.accountId)
      assert.strictEqual(read.history[2]?.actorRole, "cosigner")
      assert.deepInclude(read.terms, { recipientId, amountSmallestUnit: "5000000" })
    })
  )

  it.effect("names the files that may have its beginning, and none that are older", () =>
    Effect.gen(function* () {
      const { call, caller, confirmed } = yield* humanAccount
      const { accountId } = caller
      const archived = Effect.fnUntraced(function* () {
        const folder = yield* temporaryFolder("bursar-history-")
        yield* TestClock.adjust("1 second")
        const before = yield* DateTime.now
        yield* TestClock.adjust("91 days")
        return (yield* archiveAccount(accountId, folder, before)).file
      })
      yield* archived()
      const proposalId = yield* confirmed("5")
      const read = call.get_proposal_history({ proposalId })
      assert.isUndefined((yield* read).archivedIn)
      const file = yield* archived()
      assert.match(file ?? "", /^audit-/u)
      const { archivedIn, history } = yield* read
      assert.deepStrictEqual([archivedIn, history], [[file], []])
      yield* call.create_api_key({ scopes: ["account:read"] })
      yield* archived()
      assert.lengthOf((yield* read).archivedIn ?? [], 2)
    }).pipe(Effect.scoped)
  )

  it.effect("says why it ended", () =>
    Effect.gen(function* () {
      const { call, confirmed, recipientId } = yield* humanAccount
      const proposalId = yield* confirmed("5")
      yield* call.revoke_recipient({ recipientId })
      const { history } = yield* call.get_proposal_history({ proposalId })
      const { statusReason } = yield* call.get_proposal({ proposalId })
      assert.isNotNull(statusReason)
      assert.deepInclude(history.at(-1), { action: "proposal.superseded", reason: statusReason })
    })
  )
})
