/** Stories of people who approve with their passkeys what their keys have asked for. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "./scenes.ts"
import type { Story, World } from "./world.ts"

const usdc = 1_000_000n

/** The developer's wallet with money on it, and a send from it that its key has confirmed. */
const ready = Effect.fnUntraced(function* (world: World) {
  const { calls } = world
  const { wallets } = yield* calls.list_wallets({})
  const wallet = wallets.find((each) => each.kind === "standard")
  const { recipients } = yield* calls.list_recipients({})
  const recipient = recipients.find((each) => each.status === "approved")
  yield* world.pay(wallet?.address as string, 100n * usdc)
  const confirmed = Effect.fnUntraced(function* (amountUsdc: string) {
    const { proposalId } = yield* calls.propose_transfer({
      recipientId: recipient?.id as string,
      fromWalletId: wallet?.id as string,
      amountUsdc
    })
    const waiting = yield* calls.confirm_proposal({ proposalId })
    assert.strictEqual(waiting.status, "requires_action")
    return proposalId
  })
  return { confirmed, to: recipient?.address as string }
})

const becomes = (world: World, proposalId: string, status: string) =>
  world.until(
    `proposal ${proposalId} becomes ${status}`,
    Effect.gen(function* () {
      yield* world.mine(1)
      const now = yield* world.calls.get_proposal({ proposalId })
      return now.status === status ? now : undefined
    })
  )

const received = (world: World, proposalId: string) =>
  Effect.map(world.calls.get_proposal({ proposalId }), ({ nextAction }) =>
    nextAction.map((each) => [each.type, each.received, each.required])
  )

export const passkeys: ReadonlyArray<Story> = [
  {
    title: "a human's send waits for their passkey, which pays it, once",
    tell: Effect.fnUntraced(function* (world) {
      const { confirmed, to } = yield* ready(world)
      const ada = yield* world.person
      const before = yield* world.balanceOf(to)
      const proposalId = yield* confirmed("7.50")
      assert.deepStrictEqual(yield* received(world, proposalId), [["passkey_approval", 0, 1]])
      assert.strictEqual(yield* ada.approves(proposalId), "executing")
      const late = yield* Scene.refusal(ada.approves(proposalId))
      assert.strictEqual(late.code, "PROPOSAL_NOT_CONFIRMABLE")
      const done = yield* becomes(world, proposalId, "completed")
      assert.lengthOf(done.txHashes, 1)
      assert.strictEqual((yield* world.balanceOf(to)) - before, 7_500_000n)
      const foreign = (yield* world.agent.list_proposals({})).proposals[0]?.proposalId ?? "none"
      assert.strictEqual((yield* Scene.refusal(ada.approves(foreign))).code, "NOT_FOUND")
    })
  },
  {
    title: "a human governs by passkey, and their send starts with the last of passkey and vote",
    tell: Effect.fnUntraced(function* (world) {
      const { agent, calls } = world
      const { confirmed, to } = yield* ready(world)
      const ada = yield* world.person
      const { id: cosignerUserId } = yield* agent.get_account({})
      const invited = yield* calls.invite_cosigner({ cosignerUserId })
      assert.strictEqual(yield* ada.signs(invited.governanceRequestId as string), "applied")
      const { incoming_cosigner_invites: invites } = yield* agent.list_incoming_cosigner_invites({})
      yield* agent.accept_cosigner_invite({ inviteId: invites[0]?.inviteId as string })
      const early = yield* confirmed("1")
      const band = { minAmountMicro: "1", maxAmountMicro: null, requiredApprovals: 1 }
      yield* calls.update_cosigner_rules({ rules: [{ action: "send", ...band }] })
      const vote = Effect.fnUntraced(function* (proposalId: string) {
        const { pending_cosigner_approvals } = yield* agent.list_pending_cosigner_approvals({})
        const found = pending_cosigner_approvals.find((each) => each.proposalId === proposalId)
        const pendingApprovalId = found?.pendingApprovalId as string
        yield* agent.approve_cosigner_action({ pendingApprovalId })
      })
      const before = yield* world.balanceOf(to)
      const [first, second] = [yield* confirmed("2"), yield* confirmed("3")]
      assert.strictEqual(yield* ada.approves(first), "requires_action")
      assert.deepStrictEqual(yield* received(world, first), [
        ["passkey_approval", 1, 1],
        ["cosigner_approval", 0, 1]
      ])
      yield* vote(first)
      yield* vote(second)
      assert.deepStrictEqual(yield* received(world, second), [
        ["passkey_approval", 0, 1],
        ["cosigner_approval", 1, 1]
      ])
      assert.strictEqual(yield* ada.approves(second), "executing")
      // Confirmed before anybody co-signed: it takes a vote all the same by the time it is signed.
      assert.strictEqual(yield* ada.approves(early), "requires_action")
      yield* vote(early)
      for (const proposalId of [first, second, early]) {
        yield* becomes(world, proposalId, "completed")
      }
      assert.strictEqual((yield* world.balanceOf(to)) - before, 6n * usdc)
    })
  }
]
