/** Stories of approvals: a spender may take exactly what was confirmed, and the chain says who may take what. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "./scenes.ts"
import type { Calls, Story, World } from "./world.ts"

const usdc = 1_000_000n
const vaultRelayer = "0xC92E8bdf79f0507f65a392b0ab4667716BFE0110"

const standardWallet = Effect.fnUntraced(function* (calls: Calls) {
  const { wallets } = yield* calls.list_wallets({})
  const wallet = wallets.find((each) => each.kind === "standard")
  assert.isDefined(wallet)
  return wallet as NonNullable<typeof wallet>
})

/** The agent's wallet with money on it, and what a trade with it asks about. */
const ready = Effect.fnUntraced(function* (world: World, amountMicro = 100n * usdc) {
  const wallet = yield* standardWallet(world.agent)
  yield* world.pay(wallet.address, amountMicro)
  const subject = {
    fromWalletId: wallet.id,
    tokenAddress: world.usdc,
    flow: "intent_swap" as const
  }
  return { wallet, subject }
})

const secondWallet = Effect.fnUntraced(function* (world: World) {
  const { agent } = world
  const opening = { chainId: "local", walletName: "Second" } as const
  const { proposalId } = yield* agent.propose_create_account(opening)
  yield* agent.confirm_proposal({ proposalId })
  yield* Scene.proposalBecomes(world, proposalId, "completed")
  const { wallets } = yield* agent.list_wallets({})
  return wallets.find(({ name }) => name === "Second")?.id ?? assert.fail("It was not opened.")
})

export const approving: ReadonlyArray<Story> = [
  {
    title: "what a swap's spender may not take yet it may take once the agent has confirmed it",
    tell: Effect.fnUntraced(function* (world) {
      const { agent } = world
      const { subject, wallet } = yield* ready(world)
      const required = { ...subject, requiredAmountSmallest: "12500000" }
      const before = yield* agent.check_allowance(required)
      assert.isFalse(before.sufficient)
      assert.strictEqual(before.allowance, "0")
      assert.strictEqual(before.missing, "12500000")
      assert.strictEqual(before.spender, vaultRelayer)
      const { next } = before
      assert.strictEqual(next?.operation, "propose_token_approve")
      if (next === undefined) return
      const proposal = yield* agent.propose_token_approve(next.args)
      assert.strictEqual(proposal.kind, "token_approve")
      assert.strictEqual(proposal.status, "pending_confirm")
      assert.include(proposal.summary, "12.50 USDC")
      assert.include(proposal.summary, vaultRelayer)
      const { proposalId, intentHash } = proposal
      const confirm = agent.confirm_proposal({ proposalId, expectedIntentHash: intentHash })
      yield* Effect.all([confirm, confirm, confirm], { concurrency: "unbounded" })
      const done = yield* Scene.proposalBecomes(world, proposalId, "completed")
      assert.strictEqual(done.txHashes.length, 1)
      const after = yield* agent.check_allowance(required)
      assert.isTrue(after.sufficient)
      assert.strictEqual(after.allowance, "12500000")
      assert.notProperty(after, "next")
      const more = { ...required, requiredAmountSmallest: "12500001" }
      assert.isFalse((yield* agent.check_allowance(more)).sufficient)
      const listed = yield* agent.list_token_spender_grants({})
      assert.deepStrictEqual(listed.unavailableChainIds, [])
      assert.isFalse(listed.hasMore)
      const [grant] = listed.token_spender_grants
      assert.strictEqual(listed.token_spender_grants.length, 1)
      assert.strictEqual(grant?.walletId, wallet.id)
      assert.strictEqual(grant?.spender, vaultRelayer)
      assert.strictEqual(grant?.spenderLabel, "CoW Protocol GPv2VaultRelayer")
      assert.strictEqual(grant?.symbol, "USDC")
      assert.strictEqual(grant?.allowance, "12500000")
      assert.isFalse(grant?.isUnlimited)
      assert.strictEqual(grant?.txHash, done.txHashes[0])
      assert.isNotNull(grant?.grantedAt)
      // Nothing has moved, and no cap was used.
      assert.strictEqual(yield* world.balanceOf(wallet.address), 100n * usdc)
      assert.strictEqual((yield* agent.get_policy_limits({})).dailyUsedUsd, "0.00")
      const theirs = yield* world.calls.list_token_spender_grants({})
      assert.deepStrictEqual(theirs.token_spender_grants, [])
    })
  },
  {
    title: "approvals of two wallets that are confirmed at once all come to stand, page by page",
    tell: Effect.fnUntraced(function* (world) {
      const { agent } = world
      const { subject } = yield* ready(world, 7n * usdc)
      const swap = yield* agent.propose_token_approve(subject)
      const other = yield* agent.propose_token_approve({
        ...subject,
        fromWalletId: yield* secondWallet(world),
        amountSmallestUnit: "3000000"
      })
      const both = [swap.proposalId, other.proposalId]
      yield* Effect.all(
        both.map((proposalId) => agent.confirm_proposal({ proposalId })),
        { concurrency: "unbounded" }
      )
      for (const proposalId of both) yield* Scene.proposalBecomes(world, proposalId, "completed")
      const first = yield* agent.list_token_spender_grants({ limit: 1 })
      assert.isTrue(first.hasMore)
      assert.strictEqual(first.token_spender_grants.length, 1)
      const rest = yield* agent.list_token_spender_grants({ cursor: first.nextCursor as string })
      assert.isFalse(rest.hasMore)
      const all = [...first.token_spender_grants, ...rest.token_spender_grants]
      // What was left out is exactly what the wallet held.
      assert.deepStrictEqual(all.map(({ allowance }) => allowance).sort(), ["3000000", "7000000"])
    })
  },
  {
    title:
      "what a spender was allowed is taken back by an approval of nothing, by a wallet that holds nothing",
    tell: Effect.fnUntraced(function* (world) {
      const { agent } = world
      const { id: fromWalletId } = yield* standardWallet(agent)
      const subject = { fromWalletId, tokenAddress: world.usdc, flow: "intent_swap" as const }
      const given = { ...subject, amountSmallestUnit: "5000000" }
      const first = yield* agent.propose_token_approve(given)
      yield* agent.confirm_proposal({ proposalId: first.proposalId })
      yield* Scene.proposalBecomes(world, first.proposalId, "completed")
      assert.lengthOf((yield* agent.list_token_spender_grants({})).token_spender_grants, 1)
      const taken = { ...subject, amountSmallestUnit: "0" }
      const back = yield* agent.propose_token_approve(taken)
      assert.match(back.summary, new RegExp(`^Revoke .*\\(${vaultRelayer}\\) from`, "u"))
      yield* agent.confirm_proposal({ proposalId: back.proposalId })
      const done = yield* Scene.proposalBecomes(world, back.proposalId, "completed")
      assert.lengthOf(done.txHashes, 1)
      const required = { ...subject, requiredAmountSmallest: "1" }
      assert.strictEqual((yield* agent.check_allowance(required)).allowance, "0")
      assert.deepStrictEqual((yield* agent.list_token_spender_grants({})).token_spender_grants, [])
      const wrong = yield* Scene.refusal(
        agent.propose_token_approve({ ...taken, amountSmallestUnit: "00" })
      )
      assert.strictEqual(wrong.code, "INVALID_AMOUNT")
    })
  },
  {
    title: "a human's approval waits for their passkey, and allows nothing meanwhile",
    tell: Effect.fnUntraced(function* (world) {
      const { calls } = world
      const wallet = yield* standardWallet(calls)
      const { proposalId } = yield* calls.propose_token_approve({
        fromWalletId: wallet.id,
        tokenAddress: world.usdc,
        flow: "intent_swap",
        amountSmallestUnit: "5000000"
      })
      const waiting = yield* calls.confirm_proposal({ proposalId })
      assert.strictEqual(waiting.status, "requires_action")
      assert.strictEqual(waiting.nextAction[0]?.type, "passkey_approval")
      yield* world.mine(world.confirmations)
      assert.deepStrictEqual((yield* calls.list_token_spender_grants({})).token_spender_grants, [])
      const cancelled = yield* calls.cancel_proposal({ proposalId })
      assert.strictEqual(cancelled.status, "cancelled")
    })
  },
  {
    title: "nobody approves a spender, a token or a wallet that is not theirs to approve",
    tell: Effect.fnUntraced(function* (world) {
      const { agent, calls } = world
      const wallet = yield* standardWallet(agent)
      const subject = {
        fromWalletId: wallet.id,
        tokenAddress: world.usdc,
        flow: "intent_swap" as const,
        amountSmallestUnit: "5000000"
      }
      const refused = (over: object, by = agent) =>
        Scene.refusal(by.propose_token_approve({ ...subject, ...over }))
      const thief = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
      assert.strictEqual((yield* refused({ spender: thief })).code, "UNKNOWN_FIELD")
      assert.strictEqual((yield* refused({ flow: thief })).code, "INVALID_REQUEST")
      const token = yield* refused({ tokenAddress: thief })
      assert.strictEqual(token.code, "TOKEN_NOT_VERIFIED")
      assert.match(token.message, /operator's list/u)
      const wrongCase = "0x8Ba1f109551bD432803012645Ac136ddd64DBA72"
      assert.strictEqual((yield* refused({ tokenAddress: wrongCase })).code, "INVALID_ADDRESS")
      assert.strictEqual((yield* refused({}, calls)).code, "NOT_FOUND")
      const tooMuch = yield* refused({ amountSmallestUnit: "100000000001" })
      assert.strictEqual(tooMuch.code, "POLICY_LIMIT_EXCEEDED")
      const { amountSmallestUnit: _left, ...ofNothing } = subject
      const empty = yield* Scene.refusal(agent.propose_token_approve(ofNothing))
      assert.strictEqual(empty.code, "INSUFFICIENT_BALANCE")
      const { proposals } = yield* agent.list_proposals({ kind: "token_approve" })
      assert.deepStrictEqual(proposals, [])
    })
  },
  {
    title: "while the chain is away nobody is told that nothing is allowed",
    tell: Effect.fnUntraced(function* (world) {
      const { agent } = world
      const { subject } = yield* ready(world)
      const { proposalId } = yield* agent.propose_token_approve(subject)
      yield* agent.confirm_proposal({ proposalId })
      yield* Scene.proposalBecomes(world, proposalId, "completed")
      yield* world.chainAway(true)
      const required = { ...subject, requiredAmountSmallest: "1" }
      const check = yield* Scene.refusal(agent.check_allowance(required))
      assert.strictEqual(check.code, "UPSTREAM_UNAVAILABLE")
      assert.strictEqual(check.outcome, "not_executed")
      const propose = yield* Scene.refusal(agent.propose_token_approve(subject))
      assert.strictEqual(propose.code, "UPSTREAM_UNAVAILABLE")
      const away = yield* agent.list_token_spender_grants({})
      assert.deepStrictEqual(away.token_spender_grants, [])
      assert.deepStrictEqual(away.unavailableChainIds, ["local"])
      yield* world.chainAway(false)
      assert.isTrue((yield* agent.check_allowance(required)).sufficient)
      const back = yield* agent.list_token_spender_grants({})
      assert.strictEqual(back.token_spender_grants.length, 1)
      assert.deepStrictEqual(back.unavailableChainIds, [])
    })
  }
]
