/** Stories of refunds: money goes back once, under the rules of a send, and never more than came in. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "./scenes.ts"
import type { Story, World } from "./world.ts"

const usdc = 1_000_000n

/** The world as its agent sees it, so that scenes are set in the agent's account. */
const asAgent = (world: World): World => ({ ...world, calls: world.agent })

/** Money nobody asked for, final on a vault of the agent's. */
const unasked = Effect.fnUntraced(function* (world: World, amountMicro: bigint) {
  const vault = yield* Scene.vault(asAgent(world))
  yield* world.pay(vault.address, amountMicro)
  yield* Scene.final(world)
  yield* world.watched
  const deposit = yield* world.until(
    "the deposit is listed",
    Effect.map(
      world.agent.list_deposits({ vaultId: vault.walletMappingId }),
      ({ deposits }) => deposits[0]
    )
  )
  return { vault, deposit }
})

/** A recipient of the agent's at this address, signed for by its funding wallet unless it is one already. */
const recipientAt = Effect.fnUntraced(function* (world: World, address: string) {
  const { agent } = world
  const isAt = (each: { readonly address: string }) =>
    each.address.toLowerCase() === address.toLowerCase()
  const known = (yield* agent.list_recipients({})).recipients.find(isAt)
  if (known !== undefined) return known.id
  const wanted = { address, chainId: "local", nickname: "Payer" }
  const { challenge } = yield* agent.add_recipient(wanted)
  assert.isDefined(challenge)
  const walletSignature = yield* world.fundingWalletSigns(challenge?.message as string)
  const challengeId = challenge?.challengeId as string
  yield* agent.add_recipient({ ...wanted, challengeId, walletSignature })
  const { recipients } = yield* agent.list_recipients({})
  return recipients.find(isAt)?.id as string
})

/** Nobody who ever paid. */
const other = Effect.fnUntraced(function* (world: World) {
  const to = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
  return { recipientId: yield* recipientAt(world, to), to }
})

const depositNow = Effect.fnUntraced(function* ({ agent }: World, depositId: string) {
  const { deposits } = yield* agent.list_deposits({})
  return deposits.find((each) => each.depositId === depositId)
})

export const refunding: ReadonlyArray<Story> = [
  {
    title: "money nobody asked for goes back to who paid it, once, and is resolved by that",
    tell: Effect.fnUntraced(function* (world) {
      const { agent } = world
      const { deposit, vault } = yield* unasked(world, 30n * usdc)
      const { depositId, payerAddress } = deposit
      const recipientId = yield* recipientAt(world, payerAddress)
      const before = yield* agent.simulate_transfer({ recipientId, amountUsdc: "30", depositId })
      assert.deepInclude(before.rules.at(-1), { rule: "refund_left", passes: true })
      const proposal = yield* agent.propose_refund({ depositId, recipientId })
      assert.strictEqual(proposal.kind, "refund")
      assert.include(proposal.summary, "Refund 30.00 USDC")
      assert.include(proposal.summary, "the payer")
      const { proposalId, intentHash } = proposal
      const confirm = agent.confirm_proposal({ proposalId, expectedIntentHash: intentHash })
      yield* Effect.all([confirm, confirm, confirm], { concurrency: "unbounded" })
      const judged = yield* agent.simulate_transfer({ recipientId, amountUsdc: "1", depositId })
      assert.deepInclude(judged.rules.at(-1), {
        rule: "refund_left",
        passes: false,
        capUsd: "30.00",
        headroomUsd: "0.00"
      })
      assert.isFalse(judged.allowed)
      assert.isNull(judged.earliestAt)
      const early = yield* Scene.refusal(agent.propose_refund({ depositId, recipientId }))
      assert.strictEqual(early.code, "NOTHING_TO_REFUND")
      const { pid } = yield* Scene.request(asAgent(world), vault.walletMappingId, 30)
      const attach = agent.resolve_deposit({ depositId, action: "attach", pid })
      assert.strictEqual((yield* Scene.refusal(attach)).code, "DEPOSIT_NOT_OPEN")
      const done = yield* Scene.proposalBecomes(world, proposalId, "completed")
      assert.strictEqual(done.txHashes.length, 1)
      assert.strictEqual(yield* world.balanceOf(vault.address), 0n)
      const now = yield* depositNow(world, depositId)
      assert.deepInclude(now, { status: "resolved", resolution: "refunded" })
      assert.strictEqual(now?.refundedSmallestUnit, "30000000")
      assert.deepInclude(now?.refunds[0], { proposalId, status: "completed" })
      assert.strictEqual((yield* agent.get_policy_limits({})).dailyUsedUsd, "30.00")
    })
  },
  {
    title: "refunds of one paid request that are confirmed at once send back what came and no more",
    tell: Effect.fnUntraced(function* (world) {
      const { agent } = world
      const vault = yield* Scene.vault(asAgent(world))
      const request = yield* Scene.request(asAgent(world), vault.walletMappingId, 30)
      const { recipientId, to } = yield* other(world)
      const payable = yield* Scene.refusal(
        agent.propose_refund({ paymentRequestId: request.pid, recipientId })
      )
      assert.strictEqual(payable.code, "NOTHING_TO_REFUND")
      yield* world.pay(vault.address, 30n * usdc)
      yield* Scene.final(world)
      yield* Scene.becomes(asAgent(world), request.pid, "paid")
      // More than came in lies there, so only the ledger keeps the rest from going.
      yield* world.pay(vault.address, 100n * usdc)
      const before = yield* world.balanceOf(to)
      const propose = agent.propose_refund({
        paymentRequestId: request.pid,
        recipientId,
        amountUsdc: "6"
      })
      const proposals = yield* Effect.all(Array(8).fill(propose) as Array<typeof propose>)
      assert.include(proposals[0]?.summary ?? "", "NOT the payer's")
      const exits = yield* Effect.all(
        proposals.map(({ proposalId }) => Effect.exit(agent.confirm_proposal({ proposalId }))),
        { concurrency: "unbounded" }
      )
      const started = proposals.filter((_, at) => exits[at]?._tag === "Success")
      assert.strictEqual(started.length, 5)
      for (const { proposalId } of started) {
        yield* Scene.proposalBecomes(world, proposalId, "completed")
      }
      assert.strictEqual((yield* world.balanceOf(to)) - before, 30n * usdc)
      const now = yield* agent.get_payment_request({ idOrPid: request.pid })
      assert.strictEqual(now.status, "paid")
      assert.strictEqual(now.refundedSmallestUnit, "30000000")
      assert.sameMembers(
        now.refunds.map(({ proposalId }) => proposalId),
        started.map(({ proposalId }) => proposalId)
      )
      const foreign = yield* Scene.refusal(
        world.calls.propose_refund({ paymentRequestId: request.pid, recipientId })
      )
      assert.strictEqual(foreign.code, "NOT_FOUND")
    })
  },
  {
    title: "a refund that fails gives its claim back, and the deposit can be resolved again",
    tell: Effect.fnUntraced(function* (world) {
      const { agent } = world
      const { deposit, vault } = yield* unasked(world, 20n * usdc)
      const { depositId } = deposit
      const { recipientId } = yield* other(world)
      const refund = yield* agent.propose_refund({ depositId, recipientId })
      const away = yield* agent.propose_transfer({
        recipientId,
        fromWalletId: vault.walletMappingId,
        amountUsdc: "15"
      })
      yield* agent.confirm_proposal({ proposalId: away.proposalId })
      yield* Scene.proposalBecomes(world, away.proposalId, "completed")
      yield* agent.confirm_proposal({ proposalId: refund.proposalId })
      yield* Scene.proposalBecomes(world, refund.proposalId, "failed")
      const now = yield* depositNow(world, depositId)
      assert.deepInclude(now, { status: "open", refundedSmallestUnit: "0", refunds: [] })
      assert.strictEqual((yield* agent.get_policy_limits({})).dailyUsedUsd, "15.00")
      const resolved = yield* agent.resolve_deposit({ depositId, action: "ignore" })
      assert.strictEqual(resolved.resolution, "ignored")
      // What counts for nothing may still go back, as far as the wallet holds it.
      const rest = yield* agent.propose_refund({ depositId, recipientId, amountUsdc: "5" })
      assert.strictEqual(rest.status, "pending_confirm")
    })
  },
  {
    title: "a human's refund waits for their passkey, and revoking the recipient supersedes it",
    tell: Effect.fnUntraced(function* (world) {
      const { calls } = world
      const vault = yield* Scene.vault(world)
      yield* world.pay(vault.address, 7n * usdc)
      yield* Scene.final(world)
      yield* world.watched
      const [deposit] = yield* Scene.depositsOn(world, vault.walletMappingId)
      const { recipients } = yield* calls.list_recipients({})
      const recipientId = recipients.find((each) => each.status === "approved")?.id as string
      const meant = { depositId: deposit?.depositId as string, recipientId }
      const over = yield* Scene.refusal(calls.propose_refund({ ...meant, amountUsdc: "7.000001" }))
      assert.strictEqual(over.code, "NOTHING_TO_REFUND")
      const { proposalId } = yield* calls.propose_refund(meant)
      const waiting = yield* calls.confirm_proposal({ proposalId })
      assert.strictEqual(waiting.status, "requires_action")
      assert.strictEqual(waiting.nextAction[0]?.type, "passkey_approval")
      yield* calls.revoke_recipient({ recipientId })
      const { status } = yield* calls.get_proposal({ proposalId })
      assert.strictEqual(status, "superseded")
    })
  }
]
