/** A bridge that is stuck for a simulated week, and then is not. */
import { assert, it } from "@effect/vitest"
import { PrometheusMetrics } from "effect/observability"
import { Sales } from "../../core/sales/sale-store.ts"
import * as Bridging from "../support/bridging-treasury.ts"

const amount = 100_000_000n
const fee = 10_000n

const messageOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "",
    (failure) => (failure as { readonly message: string }).message
  )

const alerts = async ({ treasury }: Bridging.Bridging): Promise<number> => {
  const text = await treasury.operate(PrometheusMetrics.format({ prefix: "bursar" }))
  const counts = text.matchAll(/^bursar_executions_stuck_total\{[^}]*\} (\d+)/gmu)
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0)
}

const world = async (body: (bridging: Bridging.Bridging) => Promise<void>) => {
  const bridging = await Bridging.openBridging()
  try {
    await body(bridging)
  } finally {
    await bridging.treasury.close()
  }
}

it(
  "a bridge that is stuck for a week is told once, keeps what it reserved, and arrives",
  () =>
    world(async (bridging) => {
      const { call, treasury } = bridging
      await Bridging.bridgeScript(bridging, ({ provider }) => provider("holds back"))
      const proposalId = await Bridging.startBridge(bridging)
      await Bridging.until(bridging, proposalId, ({ subStatus }) => subStatus === "attesting")
      assert.strictEqual(await Bridging.balanceOn(bridging, bridging.to.address, "local-2"), 0n)
      const worth = "1000.00"
      for (let day = 0; day < 7; day++) await treasury.advance("1 day")
      const stuck = await call.get_proposal({ proposalId })
      assert.deepInclude(stuck, { status: "executing", subStatus: "stuck", outcome: null })
      const between = await call.get_portfolio({})
      assert.strictEqual(between.netWorthParts.inTransit, "100.00", "it is shown where it is")
      assert.strictEqual(between.netWorthUsd, worth, "nothing of it is lost")
      assert.strictEqual(await alerts(bridging), 1, "the operator is told once")
      const held = await treasury.operate(Sales.use(({ heldOf }) => heldOf(bridging.from.id)))
      assert.isEmpty(held, "the wallet is free for other trades")
      const again = { ...Bridging.asked(bridging), ...bridging.tokens }
      assert.match(await messageOf(call.propose_bridge(again)), /stuck/u)
      const before = await call.get_policy_limits({})
      assert.notStrictEqual(before.monthlyUsedUsd, "0.00")
      await Bridging.bridgeScript(bridging, ({ provider }) => provider("answers"))
      const done = await Bridging.until(
        bridging,
        proposalId,
        ({ status }) => status !== "executing"
      )
      assert.deepInclude(done, { status: "completed", boughtAmount: String(amount - fee) })
      const there = await Bridging.balanceOn(bridging, bridging.to.address, "local-2")
      assert.strictEqual(there, amount - fee)
      const after = await call.get_portfolio({})
      assert.strictEqual(after.netWorthParts.inTransit, "0.00")
    }),
  120_000
)
