/** Stories of sending: who may be paid, under which caps, and that a proposal is paid once. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "./scenes.ts"
import type { Story, World } from "./world.ts"

const usdc = 1_000_000n

/** The agent's wallet with money on it, and a recipient it may pay. */
const ready = Effect.fnUntraced(function* (world: World, amountMicro = 5_000n * usdc) {
  const { agent } = world
  const { wallets } = yield* agent.list_wallets({})
  const wallet = wallets.find((each) => each.kind === "standard")
  const { recipients } = yield* agent.list_recipients({})
  const recipient = recipients.find((each) => each.status === "approved")
  assert.isDefined(wallet)
  assert.isDefined(recipient)
  yield* world.pay(wallet?.address as string, amountMicro)
  return {
    fromWalletId: wallet?.id as string,
    address: wallet?.address as string,
    recipientId: recipient?.id as string,
    to: recipient?.address as string
  }
})

/** The developer's wallet, with a little money on it. */
const developerWallet = Effect.fnUntraced(function* (world: World) {
  const { wallets } = yield* world.calls.list_wallets({})
  const wallet = wallets.find((each) => each.kind === "standard")
  yield* world.pay(wallet?.address as string, 10n * usdc)
  return wallet?.id as string
})

export const sending: ReadonlyArray<Story> = [
  {
    title: "an agent's confirmed transfer lands once, however often it is confirmed",
    tell: Effect.fnUntraced(function* (world) {
      const { agent } = world
      const { fromWalletId, recipientId, to } = yield* ready(world)
      const before = yield* world.balanceOf(to)
      const proposal = yield* agent.propose_transfer({
        recipientId,
        fromWalletId,
        amountUsdc: "12.50",
        memo: "November"
      })
      assert.strictEqual(proposal.status, "pending_confirm")
      assert.strictEqual(proposal.memo, "November")
      assert.notInclude(proposal.summary + proposal.message, "November")
      assert.match(proposal.intentHash, /^[0-9a-f]{64}$/u)
      const wrong = yield* Scene.refusal(
        agent.confirm_proposal({
          proposalId: proposal.proposalId,
          expectedIntentHash: "0".repeat(64)
        })
      )
      assert.strictEqual(wrong.code, "INTENT_MISMATCH")
      const { proposalId, intentHash } = proposal
      const confirm = agent.confirm_proposal({ proposalId, expectedIntentHash: intentHash })
      yield* Effect.all([confirm, confirm, confirm], { concurrency: "unbounded" })
      const done = yield* Scene.proposalBecomes(world, proposalId, "completed")
      assert.strictEqual(done.txHashes.length, 1)
      const again = yield* agent.confirm_proposal({ proposalId })
      assert.strictEqual(again.status, "completed")
      assert.strictEqual((yield* world.balanceOf(to)) - before, 12_500_000n)
      const limits = yield* agent.get_policy_limits({})
      assert.strictEqual(limits.dailyUsedUsd, "12.50")
    })
  },
  {
    title:
      "a transfer above a cap is refused with its reason, and a day's cap counts what was sent",
    tell: Effect.fnUntraced(function* (world) {
      const { agent } = world
      const { fromWalletId, recipientId } = yield* ready(world)
      const over = yield* Scene.refusal(
        agent.propose_transfer({ recipientId, fromWalletId, amountUsdc: "1000.000001" })
      )
      assert.strictEqual(over.code, "POLICY_LIMIT_EXCEEDED")
      assert.strictEqual(over.outcome, "not_executed")
      const proposals = yield* Effect.all(
        ["1000", "1000", "1000"].map((amountUsdc) =>
          agent.propose_transfer({ recipientId, fromWalletId, amountUsdc })
        )
      )
      const confirms = yield* Effect.all(
        proposals.map(({ proposalId }) => Effect.exit(agent.confirm_proposal({ proposalId }))),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(confirms.filter((exit) => exit._tag === "Success").length, 2)
      const limits = yield* agent.get_policy_limits({})
      assert.strictEqual(limits.dailyUsedUsd, "2000.00")
      const judged = yield* agent.simulate_transfer({ recipientId, amountUsdc: "600" })
      assert.isFalse(judged.allowed)
      assert.strictEqual(judged.earliestAt, limits.dailyResetsAt)
    })
  },
  {
    title:
      "what the wallet does not hold is refused, and what it no longer holds gives its cap back",
    tell: Effect.fnUntraced(function* (world) {
      const { agent } = world
      const { fromWalletId, recipientId, to } = yield* ready(world, 600n * usdc)
      const before = yield* world.balanceOf(to)
      const proposed = (amountUsdc: string) =>
        agent.propose_transfer({ recipientId, fromWalletId, amountUsdc })
      const short = yield* Scene.refusal(proposed("600.000001"))
      assert.strictEqual(short.code, "INSUFFICIENT_BALANCE")
      const first = yield* proposed("500")
      const second = yield* proposed("500")
      yield* agent.confirm_proposal({ proposalId: first.proposalId })
      yield* Scene.proposalBecomes(world, first.proposalId, "completed")
      yield* agent.confirm_proposal({ proposalId: second.proposalId })
      const failed = yield* Scene.proposalBecomes(world, second.proposalId, "failed")
      assert.include(failed.statusReason ?? "", "balance")
      assert.strictEqual((yield* world.balanceOf(to)) - before, 500n * usdc)
      assert.strictEqual((yield* agent.get_policy_limits({})).dailyUsedUsd, "500.00")
    })
  },
  {
    title: "a human's transfer waits for their passkey, and a cancelled one is not sent",
    tell: Effect.fnUntraced(function* (world) {
      const { recipients } = yield* world.calls.list_recipients({})
      const fromWalletId = yield* developerWallet(world)
      const recipientId = recipients[0]?.id as string
      const { proposalId } = yield* world.calls.propose_transfer({
        recipientId,
        fromWalletId,
        amountUsdc: "3"
      })
      const waiting = yield* world.calls.confirm_proposal({ proposalId })
      assert.strictEqual(waiting.status, "requires_action")
      assert.strictEqual(waiting.nextAction[0]?.type, "passkey_approval")
      const cancelled = yield* world.calls.cancel_proposal({ proposalId })
      assert.strictEqual(cancelled.status, "cancelled")
      const foreign = yield* Scene.refusal(world.agent.get_proposal({ proposalId }))
      assert.strictEqual(foreign.code, "NOT_FOUND")
    })
  },
  {
    title: "a new recipient cannot be paid in its cooldown, and revoking one supersedes what waits",
    tell: Effect.fnUntraced(function* (world) {
      const { calls } = world
      const fromWalletId = yield* developerWallet(world)
      const address = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
      const added = yield* calls.add_recipient({ address, chainId: "local", nickname: "Supplier" })
      yield* calls.confirm_proposal({ proposalId: added.proposalId as string })
      const { recipients } = yield* calls.list_recipients({})
      const supplier = recipients.find((each) => each.address === address)
      assert.isTrue(supplier?.cooldownActive)
      const recipientId = supplier?.id as string
      const early = yield* Scene.refusal(
        calls.propose_transfer({ recipientId, fromWalletId, amountUsdc: "1" })
      )
      assert.strictEqual(early.code, "RECIPIENT_NOT_APPROVED")
      assert.match(early.message, /cooldown until .* end it with approve_recipient/u)
      const twice = yield* Scene.refusal(
        calls.add_recipient({ address: address.toLowerCase(), chainId: "local" })
      )
      assert.strictEqual(twice.code, "INVALID_REQUEST")
      const known = recipients.find((each) => each.status === "approved")?.id as string
      const waiting = yield* calls.propose_transfer({
        recipientId: known,
        fromWalletId,
        amountUsdc: "1"
      })
      yield* calls.revoke_recipient({ recipientId: known })
      const after = yield* calls.get_proposal({ proposalId: waiting.proposalId })
      assert.strictEqual(after.status, "superseded")
    })
  },
  {
    title: "addresses nobody can be paid at are refused by name",
    tell: Effect.fnUntraced(function* (world) {
      const refused = (address: string) =>
        Scene.refusal(world.calls.add_recipient({ address, chainId: "local" }))
      for (const address of [
        "0x0000000000000000000000000000000000000000",
        "0x000000000000000000000000000000000000dEaD",
        "0x8Ba1f109551bD432803012645Ac136ddd64DBA7",
        "0x8Ba1f109551bD432803012645Ac136ddd64DBA72",
        "vitalik.eth"
      ]) {
        assert.strictEqual((yield* refused(address)).code, "INVALID_ADDRESS", address)
      }
    })
  }
]
