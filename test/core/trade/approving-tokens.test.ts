/** Approvals of any token on the operator's list: by the wallet's own transaction, to the unit, and within the hard cap. */
import { assert, describe, it } from "@effect/vitest"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import { PriceScript } from "../../../adapters/memory/prices.ts"
import type { Oddity } from "../../../adapters/memory/scripted-calls.ts"
import { openTreasury, type TestTreasury } from "../../../apps/testing/treasury.ts"
import * as Address from "../../../core/chains/address.ts"
import { plain } from "../../../core/tokens/token.ts"

const ether = 10n ** 18n

const listed = (address: string, symbol: string, decimals: number, approvesByZero = false) => ({
  ...plain,
  chainId: "local",
  address: Address.shown("local", address),
  symbol,
  name: symbol,
  decimals,
  approvesByZero
})
const weth = listed(`0x${"ae".repeat(20)}`, "WETH", 18)
const usdt = listed(`0x${"d7".repeat(20)}`, "USDT", 6, true)

const opened = async () => {
  const treasury = await openTreasury({ tokens: [weth, usdt] })
  const quote = (token: typeof weth, usd: string | undefined, secondUsd?: string | null) =>
    treasury.operate(
      PriceScript.use((script) =>
        script.quote({
          chainId: "local",
          address: Address.keyOf("local", token.address),
          usd,
          ...(secondUsd === undefined ? {} : { secondUsd })
        })
      )
    )
  const { agent } = treasury
  const give = (token: typeof weth, amount: bigint) =>
    treasury.airdrop({
      to: agent.wallet.address,
      amount,
      symbol: token.symbol,
      tokenAddress: token.address,
      decimals: token.decimals
    })
  await quote(weth, "2000")
  await quote(usdt, "1")
  const of = (token: typeof weth) => ({
    fromWalletId: agent.wallet.id,
    tokenAddress: token.address,
    flow: "intent_swap" as const
  })
  const odd = (token: typeof weth, oddity: Oddity) =>
    treasury.operate(ChainScript.use((script) => script.takesOddly(token.address, oddity)))
  return { treasury, quote, give, of, odd, call: agent.call }
}

/** Lets it be carried out. */
const ended = async ({ agent, advance, mine }: TestTreasury, proposalId: string) => {
  await agent.call.confirm_proposal({ proposalId })
  for (let turn = 0; turn < 30; turn++) {
    const proposal = await agent.call.get_proposal({ proposalId })
    if (proposal.status !== "executing") return proposal
    await advance("3 seconds")
    await mine(1)
  }
  return agent.call.get_proposal({ proposalId })
}

const refusal = (call: Promise<unknown>) =>
  call.then(
    () => assert.fail("it was not refused"),
    (error: { readonly _tag: string; readonly message: string }) => ({
      code: error._tag,
      message: error.message
    })
  )

describe("an approval of a token without permits", () => {
  it("is the wallet's own transaction, for exactly what was proposed, and can be revoked", async () => {
    const { call, give, of, treasury } = await opened()
    await give(weth, 3n * ether)
    const amount = { amountSmallestUnit: String(ether / 2n) }
    const proposed = await call.propose_token_approve({ ...of(weth), ...amount })
    assert.include(proposed.summary, "0.50 WETH")
    assert.include(proposed.summary, weth.address)
    assert.include(proposed.summary, "worth 1000.00 USD")
    const done = await ended(treasury, proposed.proposalId)
    assert.deepInclude(done, { status: "completed", outcome: "executed" })
    assert.deepStrictEqual(
      done.steps.map(({ kind, status }) => [kind, status]),
      [["approve", "done"]]
    )
    const required = { ...of(weth), requiredAmountSmallest: "1" }
    assert.strictEqual((await call.check_allowance(required)).allowance, String(ether / 2n))
    const revoking = await call.propose_token_approve({ ...of(weth), amountSmallestUnit: "0" })
    assert.include(revoking.summary, "Revoke the WETH")
    await ended(treasury, revoking.proposalId)
    assert.strictEqual((await call.check_allowance(required)).allowance, "0")
    await treasury.close()
  })

  it("allows the balance by default, and at most what the hard cap is worth", async () => {
    const { call, give, of, quote, treasury } = await opened()
    await give(weth, 3n * ether)
    const all = await call.propose_token_approve(of(weth))
    assert.include(all.summary, "3.00 WETH")
    await quote(weth, "50000")
    const capped = await call.propose_token_approve(of(weth))
    assert.include(capped.summary, "2.00 WETH")
    assert.include(capped.summary, "worth 100000.00 USD")
    const above = { ...of(weth), amountSmallestUnit: String(2n * ether + 1n) }
    assert.strictEqual(
      (await refusal(call.propose_token_approve(above))).code,
      "POLICY_LIMIT_EXCEEDED"
    )
    await treasury.close()
  })

  it("is refused without a price that two sources agree on, unless it revokes", async () => {
    const { call, give, of, quote, treasury } = await opened()
    await give(weth, ether)
    for (const second of [null, "1900", "2100"]) {
      await quote(weth, "2000", second)
      const refused = await refusal(call.propose_token_approve(of(weth)))
      assert.strictEqual(refused.code, "PRICE_UNAVAILABLE")
    }
    await quote(weth, undefined)
    await call.propose_token_approve({ ...of(weth), amountSmallestUnit: "0" })
    await treasury.close()
  })

  it("is refused for a token that is not listed, and for one with other decimals than the list says", async () => {
    const { call, of, treasury } = await opened()
    const stranger = listed(`0x${"5e".repeat(20)}`, "WETH", 18)
    const refused = await refusal(call.propose_token_approve(of(stranger)))
    assert.deepInclude(refused, { code: "TOKEN_NOT_VERIFIED" })
    await treasury.airdrop({
      to: treasury.agent.wallet.address,
      amount: 5n,
      symbol: "WETH",
      tokenAddress: weth.address,
      decimals: 6
    })
    const other = await refusal(call.propose_token_approve(of(weth)))
    assert.strictEqual(other.code, "TOKEN_NOT_VERIFIED")
    assert.match(other.message, /18 decimals/u)
    await treasury.close()
  })

  it("goes from one amount to another by way of zero where the token takes no other way", async () => {
    const { call, give, odd, of, treasury } = await opened()
    await give(usdt, 9_000_000n)
    await odd(usdt, "by_zero")
    const amount = (units: number) => ({ ...of(usdt), amountSmallestUnit: String(units) })
    const first = await call.propose_token_approve(amount(5_000_000))
    const one = await ended(treasury, first.proposalId)
    assert.deepStrictEqual([one.status, one.steps.length], ["completed", 1])
    const second = await call.propose_token_approve(amount(7_000_000))
    const other = await ended(treasury, second.proposalId)
    assert.strictEqual(other.status, "completed")
    assert.deepStrictEqual(
      other.steps.map(({ kind, status }) => [kind, status]),
      [
        ["approve", "done"],
        ["approve", "done"]
      ]
    )
    const { allowance } = await call.check_allowance({ ...of(usdt), requiredAmountSmallest: "1" })
    assert.strictEqual(allowance, "7000000")
    await treasury.close()
  })

  it("fails and says why when the token refuses it, or takes it and does nothing", async () => {
    const { call, give, odd, of, treasury } = await opened()
    await give(weth, ether)
    await odd(weth, "reverts")
    const refused = await call.propose_token_approve(of(weth))
    const failed = await ended(treasury, refused.proposalId)
    assert.deepInclude(failed, { status: "failed", outcome: "not_executed" })
    await odd(weth, "ignores")
    const idle = await call.propose_token_approve(of(weth))
    const ran = await ended(treasury, idle.proposalId)
    assert.deepInclude(ran, { status: "failed", outcome: "not_executed" })
    assert.match(ran.statusReason ?? "", /did not do/u)
    await treasury.close()
  })
})
