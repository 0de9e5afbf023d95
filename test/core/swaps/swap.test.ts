/** Swaps from the quote to the end: what is approved is a floor, and nothing is sold below it or twice. */
import { assert, describe, it } from "@effect/vitest"
import { gold as listed } from "../../../apps/testing/wiring.ts"
import { asked, gold, openMarket, refused, usdc } from "./market.ts"

describe("A quote of a swap", () => {
  it("says what is sold, the least that comes back, and what that puts at risk", async () => {
    const { treasury } = await openMarket()
    const quote = await treasury.agent.call.quote_swap(asked(treasury.agent))
    assert.deepInclude(quote, {
      kind: "swap",
      protocol: "cow",
      sellAmount: "100000000",
      buyAmount: "50000000000000000000",
      minBuyAmount: "49750000000000000000",
      valueAtRiskUsd: "0.50",
      slippagePercent: 0.5
    })
    assert.strictEqual(quote.sell.symbol, "USDC")
    assert.strictEqual(quote.buy.tokenAddress, listed.address)
    await treasury.close()
  })

  it("counts the whole sale as at risk when the bought token has no price", async () => {
    const { goldAt, treasury } = await openMarket()
    await goldAt(undefined)
    const quote = await treasury.agent.call.quote_swap(asked(treasury.agent))
    assert.strictEqual(quote.valueAtRiskUsd, "100.00")
    await treasury.close()
  })
})

describe("A swap", () => {
  it("of an agent is signed, placed, filled and told with what was sold and bought", async () => {
    const { fill, placed, treasury } = await openMarket()
    const { call, wallet } = treasury.agent
    const { proposalId, summary } = await call.propose_swap(asked(treasury.agent))
    assert.include(summary, "Sell 100 USDC")
    assert.include(summary, "at least 49.75 GOLD")
    const confirmed = await call.confirm_proposal({ proposalId })
    assert.strictEqual(confirmed.status, "executing")
    await treasury.advance("1 seconds")
    const [orderId = ""] = await placed()
    const open = await call.get_proposal({ proposalId })
    assert.deepInclude(open, {
      status: "executing",
      subStatus: "filling",
      message:
        "Executing. The order is placed. Whoever gives the best price fills it within 20 minutes; else it ends by itself. Poll get_proposal for the result."
    })
    assert.isTrue(await fill(orderId))
    const done = await call.get_proposal({ proposalId })
    assert.deepInclude(done, {
      status: "completed",
      outcome: "executed",
      soldAmount: "100000000",
      boughtAmount: "50000000000000000000",
      feesPaid: []
    })
    assert.strictEqual(await treasury.balanceOf(wallet.address), "4900.00")
    const limits = await call.get_policy_limits({})
    assert.strictEqual(limits.dailyUsedUsd, "0.50")
    await treasury.close()
  })

  it("of a person waits for their passkey", async () => {
    const { treasury } = await openMarket()
    const { call } = treasury.developer
    const { proposalId } = await call.propose_swap(asked(treasury.developer))
    const { nextAction, status } = await call.confirm_proposal({ proposalId })
    assert.strictEqual(status, "requires_action")
    assert.strictEqual(nextAction[0]?.type, "passkey_approval")
    await treasury.close()
  })

  it("below its floor ends without anything sold, and gives its caps back", async () => {
    const { goldAt, placed, treasury } = await openMarket()
    const { call } = treasury.agent
    const { proposalId } = await call.propose_swap(asked(treasury.agent))
    await goldAt("2.02")
    await call.confirm_proposal({ proposalId })
    await treasury.advance("1 seconds")
    const ended = await call.get_proposal({ proposalId })
    assert.deepInclude(ended, { status: "failed", outcome: "not_executed" })
    assert.deepStrictEqual(await placed(), [])
    assert.strictEqual((await call.get_policy_limits({})).dailyUsedUsd, "0.00")
    await treasury.close()
  })

  it("signs for the fresh quote where that gives more than the floor", async () => {
    const { goldAt, script, treasury } = await openMarket()
    const { call } = treasury.agent
    const { proposalId } = await call.propose_swap(asked(treasury.agent))
    await goldAt("1.98")
    await call.confirm_proposal({ proposalId })
    await treasury.advance("1 seconds")
    const [order] = await script(({ placed }) => placed)
    assert.strictEqual(String(order?.minBuyAmount), "50252525252525252525")
    await treasury.close()
  })

  it("follows an order that died by another one, and one of them sells", async () => {
    const { fill, goldAt, placed, treasury } = await openMarket()
    const { call } = treasury.agent
    const { proposalId } = await call.propose_swap(asked(treasury.agent))
    await call.confirm_proposal({ proposalId })
    await treasury.advance("1 seconds")
    const [first = ""] = await placed()
    await treasury.advance("6 minutes")
    await treasury.mine(4)
    await goldAt("2.00")
    await treasury.advance("10 seconds")
    const [, second = ""] = await placed()
    assert.notStrictEqual(second, first)
    assert.isFalse(await fill(first))
    assert.isTrue(await fill(second))
    const done = await call.get_proposal({ proposalId })
    assert.strictEqual(done.outcome, "executed")
    assert.lengthOf(done.steps, 2)
    assert.strictEqual(await treasury.balanceOf(treasury.agent.wallet.address), "4900.00")
    await treasury.close()
  })

  it("can be confirmed hours later by prices of then, and not while there are none", async () => {
    const { treasury } = await openMarket()
    const { call } = treasury.agent
    const selling = {
      sellSymbol: "GOLD",
      sellTokenAddress: listed.address,
      buySymbol: "USDC",
      buyTokenAddress: usdc
    }
    const { proposalId } = await call.propose_swap(asked(treasury.agent, selling))
    await treasury.advance("3 hours")
    await treasury.marketAway(true)
    await treasury.advance("6 minutes")
    const error = await refused(call.confirm_proposal({ proposalId }))
    assert.strictEqual(error.code ?? error._tag, "PRICE_UNAVAILABLE")
    await treasury.marketAway(false)
    await treasury.advance("2 minutes")
    assert.strictEqual((await call.confirm_proposal({ proposalId })).status, "executing")
    await treasury.close()
  })

  it("of a token that is being sold from the wallet is refused, and its money is not free to send", async () => {
    const { treasury } = await openMarket()
    const { call, wallet } = treasury.agent
    const most = asked(treasury.agent, { amountUsd: "4500.00" })
    const first = await call.propose_swap(most)
    const second = await call.propose_swap(asked(treasury.agent))
    await call.confirm_proposal({ proposalId: first.proposalId })
    const busy = await refused(call.confirm_proposal({ proposalId: second.proposalId }))
    assert.strictEqual(busy.code ?? busy._tag, "WALLET_BUSY")
    const late = await refused(call.propose_swap(asked(treasury.agent)))
    assert.strictEqual(late.code ?? late._tag, "WALLET_BUSY")
    const { recipients } = await call.list_recipients({})
    const sent = (amountUsdc: string) =>
      call.propose_transfer({
        fromWalletId: wallet.id,
        recipientId: recipients[0]?.id ?? "",
        amountUsdc
      })
    const short = await refused(sent("500.01"))
    assert.strictEqual(short.code ?? short._tag, "INSUFFICIENT_BALANCE")
    await sent("500.00")
    await treasury.close()
  })
})

describe("A swap is refused", () => {
  const codeOf = (error: Record<string, unknown>) => String(error.code ?? error._tag)

  it("for what is wrong with its input, each with its own code", async () => {
    const { goldAt, script, treasury } = await openMarket()
    const { call, vault } = treasury.agent
    const by = async (over: Readonly<Record<string, unknown>>) =>
      codeOf(await refused(call.propose_swap(asked(treasury.agent, over))))
    const stranger = `0x${"77".repeat(20)}`
    assert.strictEqual(await by({ buyTokenAddress: stranger }), "TOKEN_NOT_VERIFIED")
    assert.strictEqual(await by({ buySymbol: "USDC" }), "TOKEN_MISMATCH")
    assert.strictEqual(await by({ buyTokenAddress: "0x12" }), "INVALID_ADDRESS")
    assert.strictEqual(await by({ buySymbol: "USDC", buyTokenAddress: usdc }), "INVALID_REQUEST")
    assert.strictEqual(await by({ fromWalletId: vault.id }), "INVALID_REQUEST")
    assert.strictEqual(await by({ fromWalletId: treasury.developer.wallet.id }), "NOT_FOUND")
    for (const slippagePercent of [-0.01, 50.01, 0.125]) {
      assert.strictEqual(await by({ slippagePercent }), "INVALID_REQUEST")
    }
    for (const amountUsd of ["0", "-1", "1e3", "1.0000001"]) {
      assert.strictEqual(await by({ amountUsd }), "INVALID_AMOUNT")
    }
    assert.strictEqual(await by({ amountUsd: "5000.01" }), "INSUFFICIENT_BALANCE")
    await script(({ minimum }) => minimum(usdc, 200_000_000n))
    assert.strictEqual(await by({}), "INVALID_AMOUNT")
    await script(({ minimum }) => minimum(usdc, 1n))
    await script(({ away }) => away(true))
    assert.strictEqual(await by({}), "VENUE_UNAVAILABLE")
    await script(({ away }) => away(false))
    await goldAt("2.00", 190n)
    assert.strictEqual(await by({}), "PRICE_OUT_OF_RANGE")
    await goldAt("2.00", 210n)
    assert.strictEqual(await by({}), "PRICE_OUT_OF_RANGE")
    await script(({ rate }) => rate({ sell: usdc, buy: gold, gives: 0n, per: 1n }))
    assert.strictEqual(await by({}), "ROUTE_NOT_AVAILABLE")
    await treasury.close()
  })

  it("when the sold token has no price that is fresh", async () => {
    const { goldAt, treasury } = await openMarket()
    const { call } = treasury.agent
    const selling = asked(treasury.agent, {
      sellSymbol: "GOLD",
      sellTokenAddress: listed.address,
      buySymbol: "USDC",
      buyTokenAddress: usdc
    })
    await call.quote_swap(selling)
    await goldAt(undefined)
    assert.strictEqual(codeOf(await refused(call.quote_swap(selling))), "PRICE_UNAVAILABLE")
    assert.strictEqual(codeOf(await refused(call.propose_swap(selling))), "PRICE_UNAVAILABLE")
    await treasury.close()
  })

  it("without an allowance, with the approval that it needs", async () => {
    const { allow, treasury } = await openMarket()
    await allow(treasury.agent.wallet.address, 99_999_999n)
    const error = await refused(treasury.agent.call.propose_swap(asked(treasury.agent)))
    assert.strictEqual(codeOf(error), "INSUFFICIENT_ALLOWANCE")
    assert.deepNestedInclude(error, { "next.operation": "propose_token_approve" })
    assert.deepNestedInclude(error, { "next.args.amountSmallestUnit": "100000000" })
    await treasury.close()
  })

  it("with a quote that is over, used, another's, or for something else", async () => {
    const { treasury } = await openMarket()
    const { call } = treasury.agent
    const quoted = async () => (await call.quote_swap(asked(treasury.agent))).quoteId
    const with_ = async (previewQuoteId: string, over = {}) =>
      codeOf(await refused(call.propose_swap(asked(treasury.agent, { previewQuoteId, ...over }))))
    const used = await quoted()
    await call.propose_swap(asked(treasury.agent, { previewQuoteId: used }))
    assert.strictEqual(await with_(used), "QUOTE_EXPIRED")
    const other = await quoted()
    assert.strictEqual(await with_(other, { amountUsd: "100.01" }), "QUOTE_MISMATCH")
    assert.strictEqual(await with_(other, { slippagePercent: 1 }), "QUOTE_MISMATCH")
    await treasury.advance("61 seconds")
    assert.strictEqual(await with_(other), "QUOTE_EXPIRED")
    const theirs = await treasury.developer.call.quote_swap(asked(treasury.developer))
    assert.strictEqual(await with_(theirs.quoteId), "NOT_FOUND")
    await treasury.close()
  })

  it("with a quote that is more than three percent off the price, as without one", async () => {
    const { goldAt, treasury } = await openMarket()
    const { call } = treasury.agent
    const by = async () => {
      const { quoteId: previewQuoteId } = await call.quote_swap(asked(treasury.agent))
      return codeOf(await refused(call.propose_swap(asked(treasury.agent, { previewQuoteId }))))
    }
    await goldAt("2.00", 210n)
    assert.strictEqual(await by(), "PRICE_OUT_OF_RANGE")
    await goldAt("2.00", 190n)
    assert.strictEqual(await by(), "PRICE_OUT_OF_RANGE")
    // The price of now decides, and not the one that it was taken at.
    await goldAt("2.00")
    const { quoteId: previewQuoteId } = await call.quote_swap(asked(treasury.agent))
    await goldAt("1.90")
    await treasury.advance("59 seconds")
    const moved = await refused(call.propose_swap(asked(treasury.agent, { previewQuoteId })))
    assert.strictEqual(codeOf(moved), "PRICE_OUT_OF_RANGE")
    await treasury.close()
  })

  it("above the caps: half lost to slippage, or all of it into a token without a price", async () => {
    const { fund, goldAt, allow, treasury } = await openMarket()
    const { call, wallet } = treasury.agent
    await fund(wallet.address, 50_000_000_000n)
    await allow(wallet.address, 60_000_000_000n)
    const half = asked(treasury.agent, { amountUsd: "2100.00", slippagePercent: 50 })
    assert.strictEqual(codeOf(await refused(call.propose_swap(half))), "POLICY_LIMIT_EXCEEDED")
    const whole = asked(treasury.agent, { amountUsd: "26000.00" })
    assert.strictEqual(codeOf(await refused(call.propose_swap(whole))), "POLICY_LIMIT_EXCEEDED")
    await goldAt(undefined)
    const unpriced = asked(treasury.agent, { amountUsd: "1000.01" })
    assert.strictEqual(codeOf(await refused(call.propose_swap(unpriced))), "POLICY_LIMIT_EXCEEDED")
    await treasury.close()
  })

  it("above the cap on all trades of a day, however little each puts at risk", async () => {
    const { allow, fill, fund, placed, treasury } = await openMarket()
    const { call, wallet } = treasury.agent
    await fund(wallet.address, 50_000_000_000n)
    await allow(wallet.address, 60_000_000_000n)
    const selling = asked(treasury.agent, { amountUsd: "10000.00" })
    for (const trade of [1, 2]) {
      const { proposalId } = await call.propose_swap(selling)
      await call.confirm_proposal({ proposalId })
      await treasury.advance("1 seconds")
      assert.isTrue(await fill((await placed()).at(-1) ?? ""), `trade ${trade}`)
      assert.strictEqual((await call.get_proposal({ proposalId })).status, "completed")
    }
    // Two put 100 USD at risk together; a third would sell 30,000 in a day, and 25,000 may be sold.
    assert.strictEqual((await call.get_policy_limits({})).dailyUsedUsd, "100.00")
    const error = await refused(call.propose_swap(selling))
    assert.strictEqual(codeOf(error), "POLICY_LIMIT_EXCEEDED")
    assert.match(String(error.message), /trade/u)
    await treasury.close()
  })
})
