/** Stories of co-signers: who must agree before money moves, who may not, and what a vote is worth later. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "./scenes.ts"
import type { Story, World } from "./world.ts"

const rule = (minAmountMicro: string, requiredApprovals: number) => ({
  action: "send" as const,
  minAmountMicro,
  maxAmountMicro: null,
  requiredApprovals
})

/** Brings a challenge back signed by the agent's funding wallet. */
const signed = Effect.fnUntraced(function* (
  world: World,
  challenge: { readonly challengeId: string; readonly message: string } | undefined
) {
  assert.isDefined(challenge)
  const walletSignature = yield* world.fundingWalletSigns(challenge?.message as string)
  return { challengeId: challenge?.challengeId as string, walletSignature }
})

/** The developer co-signs for the agent, from 100 USDC up. */
const group = Effect.fnUntraced(function* (world: World) {
  const { agent, calls } = world
  const { id: cosignerUserId } = yield* calls.get_account({})
  const asked = yield* agent.invite_cosigner({ cosignerUserId })
  const proof = yield* signed(world, asked.challenge)
  const { inviteId } = yield* agent.invite_cosigner({ cosignerUserId, ...proof })
  const { incoming_cosigner_invites: invites } = yield* calls.list_incoming_cosigner_invites({})
  assert.strictEqual(invites[0]?.inviteId, inviteId)
  const stranger = yield* Scene.refusal(agent.accept_cosigner_invite({ inviteId: inviteId ?? "" }))
  assert.strictEqual(stranger.code, "NOT_FOUND")
  yield* calls.accept_cosigner_invite({ inviteId: inviteId as string })
  yield* agent.update_cosigner_rules({ rules: [rule("100000000", 1)] })
  const { cosigner_memberships: members } = yield* agent.list_cosigner_memberships({})
  assert.strictEqual(members[0]?.cosignerUserId, cosignerUserId)
  return { cosignerUserId, membershipId: members[0]?.id as string }
})

/** The agent's wallet with money on it, and a way to propose a transfer from it. */
const ready = Effect.fnUntraced(function* (world: World) {
  const { agent } = world
  const { wallets } = yield* agent.list_wallets({})
  const wallet = wallets.find((each) => each.kind === "standard")
  const { recipients } = yield* agent.list_recipients({})
  const recipient = recipients.find((each) => each.status === "approved")
  yield* world.pay(wallet?.address as string, 1_000_000_000n)
  const confirmed = (amountUsdc: string) =>
    agent
      .propose_transfer({
        recipientId: recipient?.id as string,
        fromWalletId: wallet?.id as string,
        amountUsdc
      })
      .pipe(Effect.flatMap(({ proposalId }) => agent.confirm_proposal({ proposalId })))
  const judged = (amountUsdc: string) =>
    agent.simulate_transfer({ recipientId: recipient?.id as string, amountUsdc })
  return { confirmed, judged, to: recipient?.address as string }
})

/** What waits for the developer's vote, newest first. */
const waiting = (world: World) =>
  Effect.map(
    world.calls.list_pending_cosigner_approvals({}),
    ({ pending_cosigner_approvals }) => pending_cosigner_approvals
  )

export const cosigning: ReadonlyArray<Story> = [
  {
    title: "above a band an agent's transfer waits for its co-signer, below it nobody is asked",
    tell: Effect.fnUntraced(function* (world) {
      const { agent, calls } = world
      yield* group(world)
      const { confirmed, judged, to } = yield* ready(world)
      const before = yield* world.balanceOf(to)
      const below = yield* judged("99.999999")
      assert.deepStrictEqual([below.approvalsNeeded, below.cosignersRequired], [[], 0])
      const inside = yield* judged("100")
      assert.deepStrictEqual([inside.approvalsNeeded, inside.cosignersRequired], [["cosigners"], 1])
      const small = yield* confirmed("99.999999")
      assert.strictEqual(small.status, "executing")
      const large = yield* confirmed("100")
      assert.strictEqual(large.status, "requires_action")
      assert.deepInclude(large.nextAction[0], {
        type: "cosigner_approval",
        required: 1,
        received: 0
      })
      const [item] = yield* waiting(world)
      assert.deepInclude(item, {
        proposalId: large.proposalId,
        kind: "send",
        intentHash: large.intentHash,
        amountUsd: "100.00",
        required: 1
      })
      const pendingApprovalId = item?.pendingApprovalId as string
      const own = yield* Scene.refusal(agent.approve_cosigner_action({ pendingApprovalId }))
      assert.strictEqual(own.code, "SELF_APPROVAL_FORBIDDEN")
      const again = yield* agent.confirm_proposal({ proposalId: large.proposalId })
      assert.strictEqual(again.status, "requires_action")
      const voted = yield* calls.approve_cosigner_action({ pendingApprovalId })
      assert.strictEqual(voted.status, "approved")
      const twice = yield* Scene.refusal(calls.approve_cosigner_action({ pendingApprovalId }))
      assert.strictEqual(twice.code, "APPROVAL_NOT_OPEN")
      assert.lengthOf(yield* waiting(world), 0)
      yield* Scene.proposalBecomes(world, large.proposalId, "completed")
      yield* Scene.proposalBecomes(world, small.proposalId, "completed")
      assert.strictEqual((yield* world.balanceOf(to)) - before, 199_999_999n)
    })
  },
  {
    title: "a rejection that cannot be outvoted ends the transfer, and nothing is reserved",
    tell: Effect.fnUntraced(function* (world) {
      const { agent, calls } = world
      yield* group(world)
      const { confirmed } = yield* ready(world)
      const { proposalId } = yield* confirmed("150")
      const [item] = yield* waiting(world)
      yield* calls.reject_cosigner_action({ pendingApprovalId: item?.pendingApprovalId as string })
      const rejected = yield* agent.get_proposal({ proposalId })
      assert.strictEqual(rejected.status, "rejected")
      const late = yield* Scene.refusal(agent.confirm_proposal({ proposalId }))
      assert.strictEqual(late.code, "PROPOSAL_NOT_CONFIRMABLE")
      assert.strictEqual((yield* agent.get_policy_limits({})).dailyUsedUsd, "0.00")
    })
  },
  {
    title: "many votes of one co-signer at once are one vote, and pay once",
    tell: Effect.fnUntraced(function* (world) {
      const { calls } = world
      yield* group(world)
      const { confirmed, to } = yield* ready(world)
      const before = yield* world.balanceOf(to)
      const { proposalId } = yield* confirmed("120")
      const [item] = yield* waiting(world)
      const pendingApprovalId = item?.pendingApprovalId as string
      const votes = yield* Effect.all(
        Array.from({ length: 16 }, (_, n) =>
          Effect.exit(
            n % 2 === 0
              ? calls.approve_cosigner_action({ pendingApprovalId })
              : calls.reject_cosigner_action({ pendingApprovalId })
          )
        ),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        votes.filter(({ _tag }) => _tag === "Success"),
        1
      )
      const { status } = yield* world.agent.get_proposal({ proposalId })
      if (status === "rejected") return
      yield* Scene.proposalBecomes(world, proposalId, "completed")
      assert.strictEqual((yield* world.balanceOf(to)) - before, 120_000_000n)
    })
  },
  {
    title: "weakening rules and removing a co-signer take a signature, tightening does not",
    tell: Effect.fnUntraced(function* (world) {
      const { agent } = world
      const { membershipId } = yield* group(world)
      const wallet = yield* agent.propose_create_account({ chainId: "local", walletName: "Second" })
      assert.strictEqual(wallet.status, "pending_confirm")
      const asks = yield* agent.confirm_proposal({ proposalId: wallet.proposalId })
      assert.strictEqual(asks.status, "requires_action")
      const { pending_cosigner_approvals: waiting } =
        yield* world.calls.list_pending_cosigner_approvals({})
      const { pendingApprovalId } = waiting[0] ?? assert.fail("nobody was asked")
      yield* world.calls.approve_cosigner_action({ pendingApprovalId })
      const opened = yield* agent.get_proposal({ proposalId: wallet.proposalId })
      assert.strictEqual(opened.status, "completed")
      const tighter = yield* agent.update_cosigner_rules({ rules: [rule("50000000", 1)] })
      assert.strictEqual(tighter.rulesRevision, 2)
      const tooMany = yield* Scene.refusal(
        agent.update_cosigner_rules({ rules: [rule("50000000", 2)] })
      )
      assert.strictEqual(tooMany.code, "INVALID_REQUEST")
      const needed = yield* Scene.refusal(agent.remove_cosigner({ membershipId }))
      assert.strictEqual(needed.code, "INVALID_REQUEST")
      const weaker = { rules: [rule("60000000", 1)] }
      const asked = yield* agent.update_cosigner_rules(weaker)
      assert.strictEqual(asked.challenge?.action, "update_cosigner_rules")
      assert.include(asked.challenge?.message, "send from 60.00 USD needs 1.")
      assert.strictEqual((yield* agent.get_cosigner_rules({})).rulesRevision, 2)
      const proof = yield* signed(world, asked.challenge)
      const other = yield* Scene.refusal(agent.update_cosigner_rules({ rules: [], ...proof }))
      assert.strictEqual(other.code, "CHALLENGE_MISMATCH")
      assert.strictEqual(
        (yield* agent.update_cosigner_rules({ ...weaker, ...proof })).rulesRevision,
        3
      )
      const none = yield* agent.update_cosigner_rules({ rules: [] })
      const disarmed = yield* signed(world, none.challenge)
      yield* agent.update_cosigner_rules({ rules: [], ...disarmed })
      const removing = yield* agent.remove_cosigner({ membershipId })
      const removal = yield* signed(world, removing.challenge)
      yield* agent.remove_cosigner({ membershipId, ...removal })
      const { cosigner_memberships: left } = yield* agent.list_cosigner_memberships({})
      assert.lengthOf(left, 0)
    })
  },
  {
    title: "rules that get weaker do not loosen what waits already",
    tell: Effect.fnUntraced(function* (world) {
      const { agent, calls } = world
      yield* group(world)
      const { confirmed } = yield* ready(world)
      const { proposalId } = yield* confirmed("130")
      const none = yield* agent.update_cosigner_rules({ rules: [] })
      const disarmed = yield* signed(world, none.challenge)
      yield* agent.update_cosigner_rules({ rules: [], ...disarmed })
      const still = yield* agent.get_proposal({ proposalId })
      assert.strictEqual(still.status, "requires_action")
      assert.strictEqual(still.nextAction[0]?.required, 1)
      const [item] = yield* waiting(world)
      yield* calls.approve_cosigner_action({ pendingApprovalId: item?.pendingApprovalId as string })
      yield* Scene.proposalBecomes(world, proposalId, "completed")
    })
  },
  {
    title: "what a human asks to govern waits for their passkey and changes nothing",
    tell: Effect.fnUntraced(function* ({ calls, agent }) {
      const { id } = yield* agent.get_account({})
      const asked = yield* calls.invite_cosigner({ cosignerUserId: id })
      assert.isString(asked.governanceRequestId)
      const { incoming_cosigner_invites } = yield* agent.list_incoming_cosigner_invites({})
      assert.lengthOf(incoming_cosigner_invites, 0)
      const { governance_requests: open } = yield* calls.list_governance_requests({})
      assert.deepInclude(open[0], {
        requestId: asked.governanceRequestId as string,
        action: "invite_cosigner",
        status: "pending"
      })
      const requestId = asked.governanceRequestId as string
      const foreign = yield* Scene.refusal(agent.cancel_governance_request({ requestId }))
      assert.strictEqual(foreign.code, "NOT_FOUND")
      yield* calls.cancel_governance_request({ requestId })
      const { governance_requests: left } = yield* calls.list_governance_requests({})
      assert.lengthOf(left, 0)
    })
  }
]
