/** A bridge in memory, from its quote to its arrival, and what may go wrong between. */
import { assert, describe, it } from "@effect/vitest"
import * as Bridging from "../../support/bridging-treasury.ts"

const world = async (body: (bridging: Bridging.Bridging) => Promise<void>) => {
  const bridging = await Bridging.openBridging()
  try {
    await body(bridging)
  } finally {
    await bridging.treasury.close()
  }
}

const balances = async (bridging: Bridging.Bridging) => ({
  here: await Bridging.balanceOn(bridging, bridging.from.address, "local"),
  there: await Bridging.balanceOn(bridging, bridging.to.address, "local-2")
})

const amount = 100_000_000n
const fee = 10_000n

describe("a bridge", () => {
  it("arrives in the account's own wallet on the other chain, by steps that are shown", () =>
    world(async (bridging) => {
      const before = await balances(bridging)
      const proposalId = await Bridging.startBridge(bridging)
      const done = await Bridging.until(
        bridging,
        proposalId,
        ({ status }) => status === "completed"
      )
      assert.strictEqual(done.outcome, "executed")
      assert.deepStrictEqual(
        done.steps.map(({ chainId, kind, status }) => `${kind} ${chainId} ${status}`),
        [
          "order local done",
          "permit local done",
          "burn local done",
          "attest local done",
          "mint local-2 done",
          "mint local-2 done"
        ]
      )
      assert.deepInclude(done, { soldAmount: String(amount), boughtAmount: String(amount - fee) })
      const after = await balances(bridging)
      assert.strictEqual(after.here, before.here - amount)
      assert.strictEqual(after.there, before.there + amount - fee)
    }))
})
