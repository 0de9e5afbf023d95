/** Swaps on the scripted Solana from the proposal to the end, by the wallet's own transaction, as callers see them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import { PriceScript } from "../../../adapters/memory/prices.ts"
import { Store } from "../../../adapters/memory/store.ts"
import { SwapScript } from "../../../adapters/memory/swap-venue.ts"
import { openTreasury, type TestTreasury } from "../../../apps/testing/treasury.ts"
import type * as Wiring from "../../../apps/testing/wiring.ts"
import { jup } from "../../../apps/testing/wiring.ts"
import { keyOf } from "../../../core/chains/address.ts"
import * as Accounts from "../../support/accounts.ts"
import { refused } from "./market.ts"

const { address: buyMint, chainId, decimals } = jup
const usdc = keyOf(chainId, "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU")
const bought = keyOf(chainId, buyMint)

/** What one JUP costs in cents, at both sources and at the venue. */
const priced = (treasury: TestTreasury, cents: bigint) =>
  treasury.operate(
    Effect.gen(function* () {
      const venue = yield* SwapScript
      const usd = `0.${cents.toString().padStart(2, "0")}`
      yield* (yield* PriceScript).quote({ chainId, address: bought, usd })
      yield* venue.rate({ sell: usdc, buy: bought, gives: 100n, per: cents })
    })
  )

/** A treasury on both chains, whose agent has a wallet with a thousand USDC on Solana. */
const opened = async (durable?: Wiring.Durable) => {
  const treasury = await openTreasury({
    ...{ chains: ["local", "local-solana"], tokens: [jup] },
    ...(durable === undefined ? {} : { durable })
  })
  const { accountId, call } = treasury.agent
  const wallet = await treasury.operate(
    Effect.gen(function* () {
      const { airdrop, fund } = yield* ChainScript
      const wallet = yield* Accounts.wallet(accountId, { chainId, isDefault: false })
      // A chain that outlived the records has it already.
      if (durable === undefined) yield* fund(wallet.address, 1_000_000_000n, chainId)
      const told = { symbol: "JUP", tokenAddress: buyMint, decimals, chainId }
      yield* airdrop({ to: wallet.address, amount: 0n, ...told })
      return wallet
    })
  )
  await priced(treasury, 50n)
  const asked = {
    fromWalletId: wallet.id,
    toWalletId: wallet.id,
    sellSymbol: "USDC",
    sellMint: usdc,
    buySymbol: "JUP",
    buyMint,
    amountUsd: "100.00",
    slippagePercent: 0.5
  }
  const script = <A>(use: (venue: SwapScript["Service"]) => Effect.Effect<A>) =>
    treasury.operate(Effect.flatMap(SwapScript, use))
  /** Blocks pass, and whoever waits for them looks. */
  const pass = async (times: number) => {
    for (let passed = 0; passed < times; passed++) {
      await treasury.mine(3, chainId)
      await treasury.advance("20 seconds")
    }
  }
  return { treasury, call, wallet, asked, script, pass }
}

describe("A swap on Solana", () => {
  it("of an agent is signed, carried, and told with what was sold and bought", async () => {
    const { asked, call, pass, treasury, wallet } = await opened()
    const { proposalId, summary } = await call.propose_solana_swap(asked)
    assert.include(summary, "at least 199 JUP")
    assert.strictEqual((await call.confirm_proposal({ proposalId })).status, "executing")
    await treasury.advance("1 seconds")
    await pass(3)
    const done = await call.get_proposal({ proposalId })
    assert.deepInclude(done, {
      status: "completed",
      outcome: "executed",
      soldAmount: "100000000",
      boughtAmount: "200000000"
    })
    assert.lengthOf(done.txHashes, 1)
    assert.strictEqual((await call.get_policy_limits({})).dailyUsedUsd, "0.50")
    const { holdings } = await call.get_holdings({ walletId: wallet.id })
    assert.deepStrictEqual(
      holdings
        .filter(({ symbol }) => symbol === "JUP" || symbol === "USDC")
        .map(({ balance, symbol, valueUsd }) => [symbol, balance, valueUsd])
        .toSorted(),
      [
        ["JUP", "200000000", "100.00"],
        ["USDC", "900000000", "900.00"]
      ]
    )
    await treasury.close()
  })

  it("below its floor ends with nothing sold, and gives its caps back", async () => {
    const { asked, call, pass, treasury } = await opened()
    const { proposalId } = await call.propose_solana_swap(asked)
    await priced(treasury, 51n)
    await call.confirm_proposal({ proposalId })
    await treasury.advance("1 seconds")
    await pass(2)
    const ended = await call.get_proposal({ proposalId })
    assert.deepInclude(ended, { status: "failed", outcome: "not_executed", txHashes: [] })
    assert.strictEqual((await call.get_policy_limits({})).dailyUsedUsd, "0.00")
    await treasury.close()
  })

  it("more than three percent off the price is not signed, whatever slippage was approved", async () => {
    const { asked, call, pass, script, treasury } = await opened()
    const { proposalId } = await call.propose_solana_swap({ ...asked, slippagePercent: 50 })
    // The venue gives a fifth less; the price stays, and it is above the floor still.
    await script(({ rate }) => rate({ sell: usdc, buy: bought, gives: 100n, per: 60n }))
    await call.confirm_proposal({ proposalId })
    await treasury.advance("1 seconds")
    await pass(3)
    const ended = await call.get_proposal({ proposalId })
    assert.deepInclude(ended, { status: "failed", outcome: "not_executed", txHashes: [] })
    assert.include(ended.statusReason ?? "", "PRICE_OUT_OF_RANGE")
    assert.strictEqual((await call.get_policy_limits({})).dailyUsedUsd, "0.00")
    await treasury.close()
  })

  it("that is asked to stop before anything is signed ends with nothing sold, and frees the wallet", async () => {
    const { asked, call, pass, script, treasury } = await opened()
    const { proposalId } = await call.propose_solana_swap(asked)
    await script(({ away }) => away(true))
    await call.confirm_proposal({ proposalId })
    await treasury.advance("1 seconds")
    const stopping = await call.cancel_proposal({ proposalId })
    assert.deepInclude(stopping, { status: "executing", subStatus: "cancelling" })
    await pass(2)
    const ended = await call.get_proposal({ proposalId })
    assert.deepInclude(ended, { status: "failed", outcome: "not_executed", txHashes: [] })
    assert.include(ended.statusReason ?? "", "cancelled")
    assert.strictEqual((await call.get_policy_limits({})).dailyUsedUsd, "0.00")
    await script(({ away }) => away(false))
    const next = await call.propose_solana_swap(asked)
    assert.strictEqual(
      (await call.confirm_proposal({ proposalId: next.proposalId })).status,
      "executing"
    )
    await treasury.close()
  })

  it("that is asked to stop when it is handed over already ends as the chain says", async () => {
    const { asked, call, pass, treasury } = await opened()
    const { proposalId } = await call.propose_solana_swap(asked)
    await call.confirm_proposal({ proposalId })
    await treasury.advance("1 seconds")
    assert.lengthOf((await call.get_proposal({ proposalId })).txHashes, 1)
    await call.cancel_proposal({ proposalId })
    await pass(3)
    const done = await call.get_proposal({ proposalId })
    assert.deepInclude(done, { status: "completed", outcome: "executed", soldAmount: "100000000" })
    await treasury.close()
  })

  it("at a venue that pays a stranger is never signed, and ends with nothing sold", async () => {
    const { asked, call, pass, script, treasury, wallet } = await opened()
    const { proposalId } = await call.propose_solana_swap(asked)
    await script(({ twist }) => twist({ receiver: wallet.id }))
    await call.confirm_proposal({ proposalId })
    await treasury.advance("1 seconds")
    await pass(3)
    const ended = await call.get_proposal({ proposalId })
    assert.deepInclude(ended, { status: "failed", outcome: "not_executed", txHashes: [] })
    assert.strictEqual((await call.get_policy_limits({})).dailyUsedUsd, "0.00")
    await treasury.close()
  })

  it("of a token that is being sold from the wallet is refused until that has ended", async () => {
    const { asked, call, pass, treasury } = await opened()
    const { proposalId } = await call.propose_solana_swap(asked)
    const second = await call.propose_solana_swap({ ...asked, amountUsd: "50.00" })
    await call.confirm_proposal({ proposalId })
    const error = await refused(call.confirm_proposal({ proposalId: second.proposalId }))
    assert.propertyVal(error, "_tag", "WALLET_BUSY")
    await treasury.advance("1 seconds")
    await pass(3)
    assert.strictEqual((await call.get_proposal({ proposalId })).status, "completed")
    await call.confirm_proposal({ proposalId: second.proposalId })
    await treasury.advance("1 seconds")
    await pass(3)
    const after = await call.get_proposal({ proposalId: second.proposalId })
    assert.deepInclude(after, { status: "completed", soldAmount: "50000000" })
    await treasury.close()
  })

  it("whose records are lost is found by its call, though what it sold is gone", async () => {
    const first = await opened()
    const all = { ...first.asked, amountUsd: "1000.00" }
    const made = { idempotencyKey: "made" }
    const { proposalId } = await first.call.propose_solana_swap(all, made)
    await first.call.confirm_proposal({ proposalId })
    await first.treasury.advance("1 seconds")
    await first.pass(3)
    const sold = await first.call.get_proposal({ proposalId })
    assert.deepInclude(sold, { status: "completed", soldAmount: "1000000000" })
    const { chain } = first.treasury.durable
    await first.treasury.close()
    const { call, pass, treasury, wallet } = await opened({ store: new Store(), chain })
    const asked = { ...all, fromWalletId: wallet.id, toWalletId: wallet.id }
    const another = { idempotencyKey: "another" }
    const other = await refused(call.propose_solana_swap(asked, another))
    assert.strictEqual(other._tag, "INSUFFICIENT_BALANCE")
    const again = await call.propose_solana_swap(asked, made)
    await call.confirm_proposal({ proposalId: again.proposalId })
    await treasury.advance("1 seconds")
    await pass(3)
    const found = await call.get_proposal({ proposalId: again.proposalId })
    assert.deepInclude(found, { status: "completed", outcome: "executed", recovered: true })
    for (const field of ["soldAmount", "boughtAmount", "txHashes"] as const) {
      assert.deepStrictEqual(found[field], sold[field])
    }
    await treasury.close()
  })
})
