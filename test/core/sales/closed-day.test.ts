/** On a day whose trades the records do not all know, nothing more is sold; the next day is a day like any other. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Store } from "../../../adapters/memory/store.ts"
import type { TestTreasury } from "../../../apps/testing/treasury.ts"
import { Sales } from "../../../core/sales/sale-store.ts"
import * as Bridging from "../../support/bridging-treasury.ts"
import { asked, openMarket } from "../swaps/market.ts"

const close = async ({ agent, now, operate }: TestTreasury) => {
  const { id: accountId } = await agent.call.get_account({})
  const day = (await now()).slice(0, 10)
  await operate(Effect.flatMap(Sales, (sales) => sales.close([{ accountId, day }])))
}

const isOver = ({ status }: { readonly status: string }) => status !== "executing"

const refused = {
  status: "failed",
  outcome: "not_executed",
  statusReason:
    "The records were replaced by older ones on the day of this trade, and the chains have trades of that day that these do not know, so the cap on trades of that day counts as used up. Nothing was sold; propose it again on the next UTC day."
} as const

describe("On a day that is closed", () => {
  it("a bridge that is confirmed moves nothing and gives back what it had reserved", async () => {
    const bridging = await Bridging.openBridging()
    const { call, from, treasury } = bridging
    const before = await Bridging.balanceOn(bridging, from.address, "local")
    await close(treasury)
    const proposalId = await Bridging.startBridge(bridging)
    assert.deepInclude(await Bridging.until(bridging, proposalId, isOver), refused)
    assert.strictEqual(await Bridging.balanceOn(bridging, from.address, "local"), before)
    assert.strictEqual((await call.get_policy_limits({})).dailyUsedUsd, "0.00")
    await treasury.advance("24 hours")
    const next = await Bridging.startBridge(bridging)
    assert.strictEqual((await Bridging.until(bridging, next, isOver)).status, "completed")
    await treasury.close()
  })

  it("a bridge that had begun moves nothing either, and one that has left arrives", async () => {
    const steps = ["order", "permit", "burn"]
    const outcomes: Array<string> = []
    for (let done = 0; done <= steps.length; done++) {
      const bridging = await Bridging.openBridging()
      const { from, treasury } = bridging
      const before = await Bridging.balanceOn(bridging, from.address, "local")
      const proposalId = await Bridging.startBridge(bridging)
      await Bridging.until(
        bridging,
        proposalId,
        (proposal) => proposal.steps.filter(({ status }) => status === "done").length >= done
      )
      await close(treasury)
      const last = await Bridging.until(bridging, proposalId, isOver)
      const after = await Bridging.balanceOn(bridging, from.address, "local")
      assert.strictEqual(after === before, last.status === "failed")
      if (last.status === "failed") assert.strictEqual(last.statusReason, refused.statusReason)
      outcomes.push(`${last.outcome}`)
      await treasury.close()
    }
    assert.deepStrictEqual(outcomes, [
      "partly_executed",
      "partly_executed",
      "partly_executed",
      "executed"
    ])
  })

  it("a bridge that had left before the records were lost is found, counted and followed", async () => {
    const idempotencyKey = "rent-2030-03"
    const first = await Bridging.openBridging()
    const input = { ...Bridging.asked(first), ...first.tokens }
    const { proposalId } = await first.call.propose_bridge(input, { idempotencyKey })
    await first.call.confirm_proposal({ proposalId })
    await Bridging.until(first, proposalId, isOver)
    const { chain } = first.treasury.durable
    await first.treasury.close()
    const second = await Bridging.openBridging({ durable: { store: new Store(), chain } })
    const { call, from, treasury } = second
    const before = await Bridging.balanceOn(second, from.address, "local")
    await close(treasury)
    const again = await call.propose_bridge(
      { ...Bridging.asked(second), ...second.tokens },
      { idempotencyKey }
    )
    await call.confirm_proposal({ proposalId: again.proposalId })
    const done = await Bridging.until(second, again.proposalId, isOver)
    assert.strictEqual(done.outcome, "executed")
    assert.strictEqual(await Bridging.balanceOn(second, from.address, "local"), before)
    const { id: accountId } = await call.get_account({})
    const day = (await treasury.now()).slice(0, 10)
    const sold = await treasury.operate(Sales.use(({ used }) => used(accountId, day)))
    assert.strictEqual(sold, 100_000_000n)
    await treasury.close()
  })

  it("no order of a swap is signed", async () => {
    const { placed, treasury } = await openMarket()
    const { call } = treasury.agent
    await close(treasury)
    const { proposalId } = await call.propose_swap(asked(treasury.agent))
    await call.confirm_proposal({ proposalId })
    await treasury.advance("1 seconds")
    assert.deepInclude(await call.get_proposal({ proposalId }), refused)
    assert.deepStrictEqual(await placed(), [])
    await treasury.close()
  })
})
