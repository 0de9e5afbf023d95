/** Who may bridge how much: keys with caveats, caps of the day, and co-signers' bands by what a bridge carries. */
import { assert, describe, it } from "@effect/vitest"
import {
  asked,
  type Bridging,
  bridgeScript,
  openBridging,
  until
} from "../../support/bridging-treasury.ts"
import { addSigned, cosigned, keyWith, refusalOf } from "../../support/trade-authority.ts"

const wanted = (bridging: Bridging, amountUsd = "100.00") => ({
  ...asked(bridging, amountUsd),
  ...bridging.tokens
})

describe("A key with caveats", () => {
  it("bridges from the wallets it names alone", async () => {
    const bridging = await openBridging()
    const { call, from, to, treasury } = bridging
    const elsewhere = await keyWith(treasury, { walletIds: [to.id] })
    const refused = await refusalOf(elsewhere.propose_bridge(wanted(bridging)))
    assert.deepInclude(refused, { _tag: "INSUFFICIENT_SCOPE", param: "fromWalletId" })
    // Proposed by a key without bounds, and confirmed by the bound one.
    const { proposalId } = await call.propose_bridge(wanted(bridging))
    const confirmed = await refusalOf(elsewhere.confirm_proposal({ proposalId }))
    assert.strictEqual(confirmed._tag, "INSUFFICIENT_SCOPE")
    const own = await keyWith(treasury, { walletIds: [from.id] })
    assert.strictEqual((await own.confirm_proposal({ proposalId })).status, "executing")
    await treasury.close()
  })

  it("bridges only to a wallet that is among its recipients", async () => {
    const bridging = await openBridging()
    const { call, to, treasury } = bridging
    const [payee] = (await call.list_recipients({})).recipients
    await addSigned(treasury, { chainId: "local-2", address: to.address })
    const { recipients } = await call.list_recipients({})
    const receiver = recipients.find(({ chainId }) => chainId === "local-2")
    const stray = await keyWith(treasury, { recipientIds: [payee?.id ?? ""] })
    const refused = await refusalOf(stray.propose_bridge(wanted(bridging)))
    assert.strictEqual(refused._tag, "RECIPIENT_NOT_APPROVED")
    const allowed = await keyWith(treasury, { recipientIds: [receiver?.id ?? ""] })
    const { proposalId } = await allowed.propose_bridge(wanted(bridging))
    assert.strictEqual((await allowed.confirm_proposal({ proposalId })).status, "executing")
    await treasury.close()
  })

  it("has its daily cap held by what a bridge puts at risk, and not by what it carries", async () => {
    const bridging = await openBridging()
    const { treasury } = bridging
    const quote = await bridging.call.quote_bridge(asked(bridging))
    const atRisk = Number(quote.valueAtRiskUsd)
    assert.isAbove(atRisk, 0)
    assert.isBelow(atRisk, 1)
    const tight = await keyWith(treasury, { dailyCapUsd: (atRisk * 0.99).toFixed(6) })
    const refused = await refusalOf(tight.propose_bridge(wanted(bridging)))
    assert.strictEqual(refused._tag, "POLICY_LIMIT_EXCEEDED")
    const capped = await keyWith(treasury, { dailyCapUsd: (atRisk * 1.5).toFixed(6) })
    const { proposalId } = await capped.propose_bridge(wanted(bridging))
    assert.strictEqual((await capped.confirm_proposal({ proposalId })).status, "executing")
    await treasury.close()
  })
})

describe("A bridge that puts nothing at risk", () => {
  // So little costs no fee here, as a transfer at the issuer's usual pace costs none.
  it("is started under a key with a daily cap, and counts in it as little as there is", async () => {
    const bridging = await openBridging()
    const { treasury } = bridging
    const quote = await bridging.call.quote_bridge(asked(bridging, "0.009"))
    assert.strictEqual(quote.valueAtRiskUsd, "0.00")
    const capped = await keyWith(treasury, { dailyCapUsd: "0.000001" })
    const { proposalId } = await capped.propose_bridge(wanted(bridging, "0.009"))
    assert.strictEqual((await capped.confirm_proposal({ proposalId })).status, "executing")
    const done = await until(bridging, proposalId, ({ status }) => status !== "executing")
    assert.strictEqual(done.outcome, "executed")
    const next = await refusalOf(capped.propose_bridge(wanted(bridging, "0.009")))
    assert.strictEqual(next._tag, "POLICY_LIMIT_EXCEEDED")
    await treasury.close()
  })
})

describe("The caps of the account", () => {
  it("take what a bridge puts at risk while it is under way, and keep it when it has arrived", async () => {
    const bridging = await openBridging()
    const { call, treasury } = bridging
    const { valueAtRiskUsd } = await call.quote_bridge(asked(bridging))
    const { proposalId } = await call.propose_bridge(wanted(bridging))
    await call.confirm_proposal({ proposalId })
    const used = async () => Number((await call.get_policy_limits({})).dailyUsedUsd)
    assert.closeTo(await used(), Number(valueAtRiskUsd), 0.01)
    const done = await until(bridging, proposalId, ({ status }) => status !== "executing")
    assert.strictEqual(done.outcome, "executed")
    assert.closeTo(await used(), Number(valueAtRiskUsd), 0.01)
    await treasury.close()
  })
})

describe("Co-signers of a bridge", () => {
  it("are asked by its whole worth, however little it puts at risk, and their vote starts it", async () => {
    const bridging = await openBridging()
    const { call, treasury } = bridging
    const { vote } = await cosigned(treasury, "bridge", [[100, null, 1]])
    const below = await call.propose_bridge(wanted(bridging, "99.99"))
    const started = await call.confirm_proposal({ proposalId: below.proposalId })
    assert.strictEqual(started.status, "executing")
    await until(bridging, below.proposalId, ({ status }) => status === "completed")
    const { proposalId } = await call.propose_bridge(wanted(bridging))
    const waiting = await call.confirm_proposal({ proposalId })
    assert.strictEqual(waiting.status, "requires_action")
    assert.deepInclude(waiting.nextAction[0], { type: "cosigner_approval", required: 1 })
    await vote(proposalId)
    assert.strictEqual((await call.get_proposal({ proposalId })).status, "executing")
    await treasury.close()
  })

  it("reject it, and nothing of it was held or reserved", async () => {
    const bridging = await openBridging()
    const { call, treasury } = bridging
    const { vote } = await cosigned(treasury, "bridge", [[50, null, 1]])
    const { proposalId } = await call.propose_bridge(wanted(bridging))
    await call.confirm_proposal({ proposalId })
    await vote(proposalId, false)
    assert.strictEqual((await call.get_proposal({ proposalId })).status, "rejected")
    assert.strictEqual((await call.get_policy_limits({})).dailyUsedUsd, "0.00")
    await treasury.close()
  })
})

describe("The receiver of a bridge", () => {
  it("is a wallet of the account's own, and neither a customer's vault nor anybody else's", async () => {
    const bridging = await openBridging()
    const { call, treasury } = bridging
    const input = wanted(bridging)
    const { developer } = treasury
    const foreign = await refusalOf(
      call.propose_bridge({ ...input, toWalletId: developer.wallet.id })
    )
    assert.deepInclude(foreign, { _tag: "NOT_FOUND", param: "toWalletId" })
    const vault = await refusalOf(
      call.propose_bridge({ ...input, toWalletId: treasury.agent.vault.id })
    )
    assert.deepInclude(vault, { _tag: "INVALID_REQUEST", param: "toWalletId" })
    await treasury.close()
  })
})

describe("A bridge that costs more than three percent", () => {
  it("is refused by a quote that was taken before, as by one that is taken for it", async () => {
    const bridging = await openBridging()
    const { call, treasury } = bridging
    await bridgeScript(bridging, ({ provider }) => provider("is dear"))
    const inline = await refusalOf(call.propose_bridge(wanted(bridging)))
    assert.strictEqual(inline._tag, "PRICE_OUT_OF_RANGE")
    const { quoteId: previewQuoteId } = await call.quote_bridge(asked(bridging))
    const named = await refusalOf(call.propose_bridge({ ...wanted(bridging), previewQuoteId }))
    assert.strictEqual(named._tag, "PRICE_OUT_OF_RANGE")
    await treasury.close()
  })
})
