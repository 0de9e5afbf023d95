/** Swaps that are stopped: by whoever asks, by the issuer of a token, by its contract, or by a venue that lies. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Metric } from "effect"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import type { TestTreasury } from "../../../apps/testing/treasury.ts"
import { type SwapVenue, SwapVenues } from "../../../core/ports/swap-venue.ts"
import { asked, gold, openMarket, refused, usdc } from "./market.ts"

/** How often a venue's answers were refused, as operators count it. */
const routesRefused = async (treasury: TestTreasury): Promise<number> => {
  const all = await treasury.operate(Metric.snapshot)
  return all.reduce(
    (sum, metric) =>
      metric.id === "swap_routes_refused_total" && metric.type === "Counter"
        ? sum + Number(metric.state.count)
        : sum,
    0
  )
}

/** Starts without the venue, as with other settings; what is returned starts with it again. */
const removeVenues = async (treasury: TestTreasury) => {
  const venues = await treasury.operate(
    Effect.map(SwapVenues, (all) => all.venues as Array<SwapVenue>)
  )
  const removed = venues.splice(0)
  return async () => {
    venues.push(...removed)
  }
}

/** Lets blocks and time pass until it has ended, for two minutes at most. */
const endOf = async (treasury: TestTreasury, proposalId: string) => {
  for (let turn = 0; turn < 12; turn++) {
    const proposal = await treasury.agent.call.get_proposal({ proposalId })
    if (proposal.status !== "executing") return proposal
    await treasury.mine(3)
    await treasury.advance("10 seconds")
  }
  return treasury.agent.call.get_proposal({ proposalId })
}

describe("A swap", () => {
  it("that is cancelled while it executes ends by the chain, filled or dead", async () => {
    const { fill, placed, treasury } = await openMarket()
    const { call } = treasury.agent
    const { proposalId } = await call.propose_swap(asked(treasury.agent))
    await call.confirm_proposal({ proposalId })
    await treasury.advance("1 seconds")
    const [orderId = ""] = await placed()
    const stopping = await call.cancel_proposal({ proposalId })
    assert.strictEqual(stopping.subStatus, "cancelling")
    const ended = await endOf(treasury, proposalId)
    assert.deepInclude(ended, {
      status: "failed",
      outcome: "not_executed",
      statusReason: "It was cancelled; no order of it was filled."
    })
    // Well before the five minutes of the order are over: the chain has its end.
    assert.deepStrictEqual(
      ended.steps.map(({ kind, status }) => `${kind} ${status}`),
      ["fill failed", "cancel done"]
    )
    assert.isFalse(await fill(orderId))
    assert.strictEqual((await call.get_policy_limits({})).dailyUsedUsd, "0.00")
    await treasury.close()
  })

  it("that is filled while it is being cancelled is told as filled", async () => {
    const { fill, placed, treasury } = await openMarket()
    const { call } = treasury.agent
    const { proposalId } = await call.propose_swap(asked(treasury.agent))
    await call.confirm_proposal({ proposalId })
    await treasury.advance("1 seconds")
    const [orderId = ""] = await placed()
    await call.cancel_proposal({ proposalId })
    assert.isTrue(await fill(orderId))
    const ended = await endOf(treasury, proposalId)
    assert.deepInclude(ended, { status: "completed", outcome: "executed" })
    assert.strictEqual(await treasury.balanceOf(treasury.agent.wallet.address), "4900.00")
    await treasury.close()
  })

  it("whose chain has no venue for a while keeps the order that it signed, and is sold once", async () => {
    const { fill, placed, treasury } = await openMarket()
    const { call, wallet } = treasury.agent
    const { proposalId } = await call.propose_swap(asked(treasury.agent))
    await call.confirm_proposal({ proposalId })
    await treasury.advance("1 seconds")
    const [orderId = ""] = await placed()
    const bringBack = await removeVenues(treasury)
    await treasury.advance("20 seconds")
    const alone = await call.get_proposal({ proposalId })
    assert.deepInclude(alone, { status: "executing", subStatus: "filling" })
    assert.include(alone.statusReason ?? "", "There is no venue of orders on local now")
    await bringBack()
    await treasury.advance("20 seconds")
    assert.deepStrictEqual(await placed(), [orderId])
    assert.isTrue(await fill(orderId))
    const ended = await endOf(treasury, proposalId)
    assert.deepInclude(ended, { status: "completed", soldAmount: "100000000" })
    assert.strictEqual(await treasury.balanceOf(wallet.address), "4900.00")
    await treasury.close()
  })

  it("whose chain has no venue is not given up while an order of it was signed, and is told as stuck", async () => {
    const { placed, treasury } = await openMarket()
    const { call } = treasury.agent
    const { proposalId } = await call.propose_swap(asked(treasury.agent))
    await call.confirm_proposal({ proposalId })
    await treasury.advance("1 seconds")
    const bringBack = await removeVenues(treasury)
    await treasury.advance("66 minutes")
    await treasury.mine(3)
    const alone = await call.get_proposal({ proposalId })
    assert.deepInclude(alone, { status: "executing", subStatus: "stuck" })
    assert.strictEqual((await call.get_policy_limits({})).dailyUsedUsd, "0.50")
    await bringBack()
    const ended = await endOf(treasury, proposalId)
    assert.deepInclude(ended, { status: "failed", outcome: "not_executed" })
    assert.lengthOf(await placed(), 1)
    await treasury.close()
  })

  it("is cancelled on the chain though its venue is away, and once however often it is asked", async () => {
    const { script, treasury } = await openMarket()
    const { call } = treasury.agent
    const { proposalId } = await call.propose_swap(asked(treasury.agent))
    await call.confirm_proposal({ proposalId })
    await treasury.advance("1 seconds")
    await script(({ away }) => away(true))
    await call.cancel_proposal({ proposalId })
    await treasury.advance("6 seconds")
    await call.cancel_proposal({ proposalId })
    const ended = await endOf(treasury, proposalId)
    assert.strictEqual(ended.outcome, "not_executed")
    assert.lengthOf(
      ended.steps.filter(({ kind }) => kind === "cancel"),
      1
    )
    await treasury.close()
  })

  it("waits while USDC is paused, and goes on by itself afterwards", async () => {
    const { placed, script, treasury } = await openMarket()
    const { call } = treasury.agent
    const { proposalId } = await call.propose_swap(asked(treasury.agent))
    const closed = { detail: "USDC is paused on local.", isPassing: true }
    await script(({ close }) => close(closed))
    const late = await refused(call.propose_swap(asked(treasury.agent)))
    assert.strictEqual(late.code ?? late._tag, "UPSTREAM_UNAVAILABLE")
    await call.confirm_proposal({ proposalId })
    await treasury.advance("1 seconds")
    const waiting = await call.get_proposal({ proposalId })
    assert.deepInclude(waiting, { status: "executing", statusReason: "USDC is paused on local." })
    assert.deepStrictEqual(await placed(), [])
    await script(({ close }) => close())
    await treasury.advance("16 seconds")
    assert.lengthOf(await placed(), 1)
    await treasury.close()
  })

  it("of a wallet that the issuer has frozen is refused, and ends with nothing sold", async () => {
    const { placed, script, treasury } = await openMarket()
    const { call } = treasury.agent
    const { proposalId } = await call.propose_swap(asked(treasury.agent))
    const detail = "The issuer of USDC has frozen the selling wallet on local."
    await script(({ close }) => close({ detail, isPassing: false }))
    const refusal = await refused(call.propose_swap(asked(treasury.agent)))
    assert.strictEqual(refusal.code ?? refusal._tag, "ROUTE_NOT_AVAILABLE")
    await call.confirm_proposal({ proposalId })
    await treasury.advance("1 seconds")
    const failed = await call.get_proposal({ proposalId })
    assert.deepInclude(failed, {
      status: "failed",
      outcome: "not_executed",
      statusReason: detail
    })
    assert.deepStrictEqual(await placed(), [])
    assert.strictEqual((await call.get_policy_limits({})).dailyUsedUsd, "0.00")
    await treasury.close()
  })

  it("at a venue that answers what it was not asked is not signed, and the operator counts it", async () => {
    const { placed, script, treasury } = await openMarket()
    const { call } = treasury.agent
    const { proposalId } = await call.propose_swap(asked(treasury.agent))
    const before = await routesRefused(treasury)
    await script(({ lie }) => lie(true))
    await call.confirm_proposal({ proposalId })
    await treasury.advance("1 seconds")
    assert.strictEqual((await call.get_proposal({ proposalId })).status, "executing")
    assert.deepStrictEqual(await placed(), [])
    assert.isAbove(await routesRefused(treasury), before)
    await script(({ lie }) => lie(false))
    await treasury.advance("16 seconds")
    assert.lengthOf(await placed(), 1)
    await treasury.close()
  })

  it("of a token whose contract says other decimals by the time it is signed is not signed", async () => {
    const { placed, treasury } = await openMarket()
    const { call } = treasury.agent
    const { proposalId } = await call.propose_swap(asked(treasury.agent))
    await treasury.operate(ChainScript.use(({ claims }) => claims(gold, { decimals: 8 })))
    const refusal = await refused(call.propose_swap(asked(treasury.agent)))
    assert.strictEqual(refusal.code ?? refusal._tag, "TOKEN_NOT_VERIFIED")
    await call.confirm_proposal({ proposalId })
    await treasury.advance("1 seconds")
    const failed = await call.get_proposal({ proposalId })
    assert.deepInclude(failed, { status: "failed", outcome: "not_executed" })
    assert.include(failed.statusReason ?? "", "other decimals than the list says")
    assert.deepStrictEqual(await placed(), [])
    await treasury.close()
  })
})

describe("While a swap is open", () => {
  it("a send that was proposed before waits for what it holds, and goes on afterwards", async () => {
    const { treasury } = await openMarket()
    const { call, wallet } = treasury.agent
    const { recipients } = await call.list_recipients({})
    const send = await call.propose_transfer({
      ...{ fromWalletId: wallet.id, recipientId: recipients[0]?.id ?? "", amountUsdc: "500.00" }
    })
    const swap = await call.propose_swap(asked(treasury.agent, { amountUsd: "4800.00" }))
    await call.confirm_proposal({ proposalId: swap.proposalId })
    await call.confirm_proposal({ proposalId: send.proposalId })
    await treasury.advance("10 seconds")
    const waiting = await call.get_proposal({ proposalId: send.proposalId })
    assert.deepInclude(waiting, { status: "executing", subStatus: "queued" })
    assert.include(waiting.statusReason ?? "", "A trade holds what the wallet has")
    await call.cancel_proposal({ proposalId: swap.proposalId })
    assert.strictEqual((await endOf(treasury, swap.proposalId)).outcome, "not_executed")
    assert.strictEqual((await endOf(treasury, send.proposalId)).status, "completed")
    await treasury.close()
  })

  it("what its spender may take is not changed before it has ended", async () => {
    const { treasury } = await openMarket()
    const { call, wallet } = treasury.agent
    const approving = {
      fromWalletId: wallet.id,
      tokenAddress: usdc,
      flow: "intent_swap" as const,
      amountSmallestUnit: "0"
    }
    const revoking = await call.propose_token_approve(approving)
    const { proposalId } = await call.propose_swap(asked(treasury.agent))
    await call.confirm_proposal({ proposalId })
    const late = await refused(call.propose_token_approve(approving))
    assert.strictEqual(late.code ?? late._tag, "WALLET_BUSY")
    assert.deepNestedInclude(late, { "next.operation": "cancel_proposal" })
    assert.deepNestedInclude(late, { "next.args.proposalId": proposalId })
    const confirming = call.confirm_proposal({ proposalId: revoking.proposalId })
    const busy = await refused(confirming)
    assert.strictEqual(busy.code ?? busy._tag, "WALLET_BUSY")
    // The allowance of another flow is none of its business.
    await call.propose_token_approve({ ...approving, flow: "limit_order_bridge" })
    await call.cancel_proposal({ proposalId })
    await endOf(treasury, proposalId)
    await call.confirm_proposal({ proposalId: revoking.proposalId })
    assert.strictEqual((await endOf(treasury, revoking.proposalId)).status, "completed")
    await treasury.close()
  })
})
