/** Who may trade how much: keys with caveats, caps of the day, and co-signers' bands by what a swap sells. */
import { assert, describe, it } from "@effect/vitest"
import type { TestAccount, TestTreasury } from "../../../apps/testing/treasury.ts"
import { gold as listed } from "../../../apps/testing/wiring.ts"
import { addSigned, cosigned, keyWith, refusalOf } from "../../support/trade-authority.ts"
import { openMarket, usdc } from "./market.ts"

const asked = (account: TestAccount, over: Readonly<Record<string, unknown>> = {}) => ({
  ...{ fromWalletId: account.wallet.id, sellSymbol: "USDC", sellTokenAddress: usdc },
  ...{ buySymbol: "GOLD", buyTokenAddress: listed.address },
  ...{ amountUsd: "100.00", slippagePercent: 0.5, ...over }
})

/** The agent's own wallet as one of its recipients. */
const ownRecipient = async (treasury: TestTreasury) => {
  const { agent } = treasury
  await addSigned(treasury, { chainId: "local", address: agent.wallet.address })
  const { recipients } = await agent.call.list_recipients({})
  return recipients.map(({ id }) => id)
}

describe("A key with caveats", () => {
  it("trades from the wallets it names alone", async () => {
    const { treasury } = await openMarket()
    const { agent } = treasury
    const elsewhere = await keyWith(treasury, { walletIds: [agent.vault.id] })
    const refused = await refusalOf(elsewhere.propose_swap(asked(agent)))
    assert.deepInclude(refused, { _tag: "INSUFFICIENT_SCOPE", param: "fromWalletId" })
    // Proposed by a key without bounds, and confirmed by the bound one.
    const { proposalId } = await agent.call.propose_swap(asked(agent))
    const confirmed = await refusalOf(elsewhere.confirm_proposal({ proposalId }))
    assert.strictEqual(confirmed._tag, "INSUFFICIENT_SCOPE")
    const own = await keyWith(treasury, { walletIds: [agent.wallet.id] })
    assert.strictEqual((await own.confirm_proposal({ proposalId })).status, "executing")
    await treasury.close()
  })

  it("trades only into a wallet that is among its recipients", async () => {
    const { treasury } = await openMarket()
    const { agent } = treasury
    const [own = "", payee = ""] = await ownRecipient(treasury)
    const stray = await keyWith(treasury, { recipientIds: [payee] })
    const refused = await refusalOf(stray.propose_swap(asked(agent)))
    assert.strictEqual(refused._tag, "RECIPIENT_NOT_APPROVED")
    const allowed = await keyWith(treasury, { recipientIds: [own] })
    const { proposalId } = await allowed.propose_swap(asked(agent))
    assert.strictEqual((await allowed.confirm_proposal({ proposalId })).status, "executing")
    await treasury.close()
  })

  it("has its daily cap held by what a swap puts at risk, at the proposal and where it starts", async () => {
    const { treasury } = await openMarket()
    const { agent } = treasury
    const selling = asked(agent, {
      ...{ sellSymbol: "GOLD", sellTokenAddress: listed.address },
      ...{ buySymbol: "USDC", buyTokenAddress: usdc }
    })
    const tight = await keyWith(treasury, { dailyCapUsd: "0.49" })
    assert.strictEqual(
      (await refusalOf(tight.propose_swap(asked(agent))))._tag,
      "POLICY_LIMIT_EXCEEDED"
    )
    const capped = await keyWith(treasury, { dailyCapUsd: "0.60" })
    const [first, second] = [
      await capped.propose_swap(asked(agent)),
      await capped.propose_swap(selling)
    ]
    const { proposalId } = first
    assert.strictEqual((await capped.confirm_proposal({ proposalId })).status, "executing")
    const over = await refusalOf(capped.confirm_proposal({ proposalId: second.proposalId }))
    assert.deepInclude(over, { _tag: "POLICY_LIMIT_EXCEEDED" })
    await treasury.close()
  })

  it("is held to what its swap puts at risk when it is signed: more than its cap is not signed", async () => {
    const { goldAt, placed, treasury } = await openMarket()
    const { agent } = treasury
    const capped = await keyWith(treasury, { dailyCapUsd: "0.60" })
    const { proposalId } = await capped.propose_swap(asked(agent))
    // What is bought is worth less by the time it is signed; the venue gives as much of it as before.
    await goldAt("1.99", 200n)
    await treasury.advance("2 minutes")
    await capped.confirm_proposal({ proposalId })
    await treasury.advance("1 seconds")
    const failed = await agent.call.get_proposal({ proposalId })
    assert.deepInclude(failed, { status: "failed", outcome: "not_executed" })
    assert.include(failed.statusReason ?? "", "the API key's daily cap")
    assert.deepStrictEqual(await placed(), [])
    await treasury.close()
  })
})

describe("Co-signers of a swap", () => {
  it("are asked by its whole worth, however little it puts at risk, and their vote starts it", async () => {
    const { placed, treasury } = await openMarket()
    const { agent } = treasury
    const { vote } = await cosigned(treasury, "swap", [[100, null, 1]])
    const below = await agent.call.propose_swap(asked(agent, { amountUsd: "99.99" }))
    const started = await agent.call.confirm_proposal({ proposalId: below.proposalId })
    assert.strictEqual(started.status, "executing")
    const selling = {
      ...{ sellSymbol: "GOLD", sellTokenAddress: listed.address },
      ...{ buySymbol: "USDC", buyTokenAddress: usdc }
    }
    const { proposalId } = await agent.call.propose_swap(asked(agent, selling))
    const waiting = await agent.call.confirm_proposal({ proposalId })
    assert.strictEqual(waiting.status, "requires_action")
    assert.deepInclude(waiting.nextAction[0], { type: "cosigner_approval", required: 1 })
    await treasury.advance("1 seconds")
    assert.lengthOf(await placed(), 1)
    await vote(proposalId)
    await treasury.advance("1 seconds")
    assert.strictEqual((await agent.call.get_proposal({ proposalId })).status, "executing")
    assert.lengthOf(await placed(), 2)
    await treasury.close()
  })

  it("reject it, and nothing of it was held or reserved", async () => {
    const { treasury } = await openMarket()
    const { agent } = treasury
    const { vote } = await cosigned(treasury, "swap", [[50, null, 1]])
    const { proposalId } = await agent.call.propose_swap(asked(agent))
    await agent.call.confirm_proposal({ proposalId })
    await vote(proposalId, false)
    const rejected = await agent.call.get_proposal({ proposalId })
    assert.strictEqual(rejected.status, "rejected")
    assert.strictEqual((await agent.call.get_policy_limits({})).dailyUsedUsd, "0.00")
    await treasury.close()
  })

  it("of a higher band are asked when its worth has risen into it by the time it is confirmed", async () => {
    const { goldAt, treasury } = await openMarket()
    const { agent } = treasury
    await cosigned(treasury, "swap", [[102, null, 1]])
    const selling = {
      ...{ sellSymbol: "GOLD", sellTokenAddress: listed.address },
      ...{ buySymbol: "USDC", buyTokenAddress: usdc }
    }
    const { proposalId } = await agent.call.propose_swap(asked(agent, selling))
    await goldAt("2.05")
    await treasury.advance("2 minutes")
    const waiting = await agent.call.confirm_proposal({ proposalId })
    assert.strictEqual(waiting.status, "requires_action")
    assert.deepInclude(waiting.nextAction[0], { type: "cosigner_approval", required: 1 })
    await treasury.close()
  })

  it("vote on what it was approved for: by then too dear, it fails with nothing sold", async () => {
    const { goldAt, placed, treasury } = await openMarket()
    const { agent } = treasury
    const { vote } = await cosigned(treasury, "swap", [[50, null, 1]])
    const { proposalId } = await agent.call.propose_swap(asked(agent))
    await agent.call.confirm_proposal({ proposalId })
    await goldAt("1.80")
    await treasury.advance("2 minutes")
    await vote(proposalId)
    const failed = await agent.call.get_proposal({ proposalId })
    assert.deepInclude(failed, { status: "failed", outcome: "not_executed" })
    assert.include(failed.statusReason ?? "", "PRICE_OUT_OF_RANGE")
    assert.deepStrictEqual(await placed(), [])
    assert.strictEqual((await agent.call.get_policy_limits({})).dailyUsedUsd, "0.00")
    await treasury.close()
  })

  it("cast no vote while what is sold has no price, and nothing is lost by that", async () => {
    const { treasury } = await openMarket()
    const { agent } = treasury
    const { vote } = await cosigned(treasury, "swap", [[50, null, 1]])
    const selling = {
      ...{ sellSymbol: "GOLD", sellTokenAddress: listed.address },
      ...{ buySymbol: "USDC", buyTokenAddress: usdc }
    }
    const { proposalId } = await agent.call.propose_swap(asked(agent, selling))
    await agent.call.confirm_proposal({ proposalId })
    await treasury.marketAway(true)
    await treasury.advance("7 minutes")
    assert.strictEqual((await refusalOf(vote(proposalId)))._tag, "PRICE_UNAVAILABLE")
    const waiting = await agent.call.get_proposal({ proposalId })
    assert.strictEqual(waiting.status, "requires_action")
    assert.deepInclude(waiting.nextAction[0], { type: "cosigner_approval", received: 0 })
    await treasury.marketAway(false)
    await treasury.advance("2 minutes")
    await vote(proposalId)
    assert.strictEqual((await agent.call.get_proposal({ proposalId })).status, "executing")
    await treasury.close()
  })

  it("of an approval for swaps are asked by what may be taken", async () => {
    const { treasury } = await openMarket()
    const { agent } = treasury
    await cosigned(treasury, "swap", [[50, null, 1]])
    const approving = async (amountSmallestUnit: string) => {
      const { proposalId } = await agent.call.propose_token_approve({
        ...{ fromWalletId: agent.wallet.id, tokenAddress: usdc, flow: "intent_swap" },
        amountSmallestUnit
      })
      return (await agent.call.confirm_proposal({ proposalId })).status
    }
    assert.strictEqual(await approving("50000000"), "requires_action")
    assert.strictEqual(await approving("49999999"), "executing")
    await treasury.close()
  })
})

describe("64 confirmations at once", () => {
  it("of swaps and sends never pass the day's cap together", async () => {
    const { fund, allow, treasury } = await openMarket()
    const { agent } = treasury
    await fund(agent.wallet.address, 50_000_000_000n)
    await allow(agent.wallet.address, 50_000_000_000n)
    const recipientId = (await agent.call.list_recipients({})).recipients[0]?.id ?? ""
    const { dailyRemainingUsd } = await agent.call.get_policy_limits({})
    assert.strictEqual(dailyRemainingUsd, "2500.00")
    // Each swap puts 25 USD at risk, each send moves 100: together 4,000 and more.
    const swaps = await Promise.all(
      Array.from({ length: 32 }, () =>
        agent.call.propose_swap(asked(agent, { amountUsd: "100.00", slippagePercent: 25 }))
      )
    )
    const sends = await Promise.all(
      Array.from({ length: 32 }, () =>
        agent.call.propose_transfer({
          ...{ fromWalletId: agent.wallet.id, recipientId, amountUsdc: "100.00" }
        })
      )
    )
    const both = swaps.flatMap((swap, at) => [swap, sends[at] ?? swap])
    const confirmed = await Promise.allSettled(
      both.map(({ proposalId }) => agent.call.confirm_proposal({ proposalId }))
    )
    assert.isAbove(confirmed.filter(({ status }) => status === "fulfilled").length, 20)
    const { dailyUsedUsd } = await agent.call.get_policy_limits({})
    assert.isAtMost(Number(dailyUsedUsd), 2500)
    await treasury.close()
  })
})
