/** An agent that others co-sign for opens another wallet only with the vote of one of them; alone it opens it at once. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Accounts from "../../support/accounts.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"
import * as Stored from "../../support/stored-rows.ts"

const account = (kind: "agent" | "developer") => Accounts.opened({ kind })

const wanted = { chainId: "local", walletName: "Payroll" }

/** An account with one co-signer, whose wallet was proposed and confirmed. */
const confirmed = Effect.fnUntraced(function* (kind: "agent" | "developer") {
  const [owner, cosigner] = [yield* account(kind), yield* account("agent")]
  yield* Stored.member(owner.accountId, { cosignerAccountId: cosigner.accountId })
  const { proposalId, status, summary } = yield* owner.call.propose_create_account(wanted)
  assert.strictEqual(status, "pending_confirm")
  assert.strictEqual(summary, 'Open a wallet named "Payroll" on local')
  const proposal = yield* owner.call.confirm_proposal({ proposalId })
  const named = Effect.map(
    owner.call.list_wallets({}),
    ({ wallets }) => wallets.filter(({ name }) => name === "Payroll").length
  )
  return { owner, cosigner, proposal, named }
})

const pendingOf = ({ call }: Effect.Success<ReturnType<typeof account>>) =>
  Effect.map(call.list_pending_cosigner_approvals({}), (page) => {
    const [first] = page.pending_cosigner_approvals
    return String(first?.pendingApprovalId)
  })

it.effect("an agent's waits for one co-signer, who opens it by their vote", () =>
  Effect.gen(function* () {
    const { cosigner, named, owner, proposal } = yield* confirmed("agent")
    assert.strictEqual(proposal.status, "requires_action")
    assert.deepInclude(proposal.nextAction[0], {
      type: "cosigner_approval",
      required: 1,
      received: 0
    })
    const { proposalId } = proposal
    assert.strictEqual(
      (yield* owner.call.confirm_proposal({ proposalId })).status,
      "requires_action"
    )
    assert.strictEqual(yield* named, 0)
    yield* cosigner.call.approve_cosigner_action({ pendingApprovalId: yield* pendingOf(cosigner) })
    assert.strictEqual((yield* owner.call.get_proposal({ proposalId })).status, "completed")
    assert.strictEqual(yield* named, 1)
  }).pipe(Effect.provide(memoryTreasury))
)

it.effect("and is rejected by the only one there is", () =>
  Effect.gen(function* () {
    const { cosigner, named, owner, proposal } = yield* confirmed("agent")
    yield* cosigner.call.reject_cosigner_action({ pendingApprovalId: yield* pendingOf(cosigner) })
    const { status } = yield* owner.call.get_proposal({ proposalId: proposal.proposalId })
    assert.strictEqual(status, "rejected")
    assert.strictEqual(yield* named, 0)
  }).pipe(Effect.provide(memoryTreasury))
)

it.effect(
  "a human's is opened by its confirmation, and an agent's without co-signers at once",
  () =>
    Effect.gen(function* () {
      const { named, proposal } = yield* confirmed("developer")
      assert.strictEqual(proposal.status, "completed")
      assert.strictEqual(yield* named, 1)
      const alone = yield* account("agent")
      assert.strictEqual((yield* alone.call.propose_create_account(wanted)).status, "completed")
    }).pipe(Effect.provide(memoryTreasury))
)
