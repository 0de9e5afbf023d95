/** What goes wrong between a wallet on one chain and a wallet on another: money is in one place, and the records say where. */
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import { contract } from "../../../adapters/memory/scripted-bridge.ts"
import { Store } from "../../../adapters/memory/store.ts"
import { Notices } from "../../../core/notices/notice-store.ts"
import { Sales } from "../../../core/sales/sale-store.ts"
import * as Bridging from "../../support/bridging-treasury.ts"

const world = async (body: (bridging: Bridging.Bridging) => Promise<void>) => {
  const bridging = await Bridging.openBridging()
  try {
    await body(bridging)
  } finally {
    await bridging.treasury.close()
  }
}

const amount = 100_000_000n
const fee = 10_000n

const spent = async ({ call }: Bridging.Bridging) => (await call.get_policy_limits({})).dailyUsedUsd

/** What a provider's lie is seen as. */
const lie = "The script tells of another amount."

const refusal = async (work: Promise<unknown>): Promise<{ _tag?: string; message?: string }> =>
  work.then(
    () => ({}),
    (failure) => failure as { _tag?: string; message?: string }
  )

/** From now on the destination refuses what is brought there, or no longer. */
const refuses = ({ treasury }: Bridging.Bridging, isRefusing: boolean) =>
  treasury.operate(
    Effect.flatMap(ChainScript, ({ takesOddly }) =>
      takesOddly(contract, isRefusing ? "reverts" : "by_zero", "local-2")
    )
  )

const counted = async ({ treasury }: Bridging.Bridging, sample: RegExp): Promise<number> => {
  const text = await treasury.operate(PrometheusMetrics.format({ prefix: "bursar" }))
  return [...text.matchAll(sample)].reduce((sum, [, count]) => sum + Number(count), 0)
}

const alerts = (bridging: Bridging.Bridging) =>
  counted(bridging, /^bursar_executions_stuck_total\{[^}]*\} (\d+)/gmu)

/** How often the operator was told of a refusal by its code. */
const refusals = (bridging: Bridging.Bridging, code: string) =>
  counted(
    bridging,
    new RegExp(`^bursar_bridge_refusals_total\\{[^}]*${code}[^}]*\\} (\\d+)`, "gmu")
  )

/** Whether the account has a notice about it: there is one about one thing, and no second is written. */
const isNoticed = async ({ call, treasury }: Bridging.Bridging, subject: string) => {
  const { id: accountId } = await call.get_account({})
  const createdAt = DateTime.makeUnsafe(await treasury.now())
  const rest = { role: "approver", summary: "", path: "/", toldAt: null, digestAt: null } as const
  const notice = {
    id: subject,
    accountId,
    type: "bridge_refused",
    subject,
    createdAt,
    ...rest
  } as const
  return !(await treasury.operate(Notices.use(({ write }) => write(notice))))
}

describe("a bridge", () => {
  it("does not begin while an end is closed, and gives back what it reserved", () =>
    world(async (bridging) => {
      const before = await spent(bridging)
      const reason = "USDC is paused on local-2."
      await Bridging.bridgeScript(bridging, ({ close }) => close(reason))
      const proposalId = await Bridging.startBridge(bridging)
      const waiting = await Bridging.until(
        bridging,
        proposalId,
        ({ statusReason }) => statusReason === reason
      )
      assert.deepInclude(waiting, { status: "executing", subStatus: "ordering" })
      assert.notStrictEqual(await spent(bridging), before)
      await bridging.treasury.advance("11 minutes")
      const done = await Bridging.until(
        bridging,
        proposalId,
        ({ status }) => status !== "executing"
      )
      assert.deepInclude(done, { status: "failed", outcome: "not_executed" })
      assert.strictEqual(await spent(bridging), before)
    }))

  it("does not begin while its destination does not answer, and gives back what it reserved", () =>
    world(async (bridging) => {
      const { call, treasury } = bridging
      const outage = (isAway: boolean) =>
        treasury.operate(Effect.flatMap(ChainScript, (chain) => chain.outage(isAway, "local-2")))
      const before = await spent(bridging)
      const start = async () => {
        const asked = { ...Bridging.asked(bridging), ...bridging.tokens }
        const { proposalId } = await call.propose_bridge(asked)
        await outage(true)
        await call.confirm_proposal({ proposalId })
        await treasury.advance("30 seconds")
        const waiting = await call.get_proposal({ proposalId })
        assert.deepInclude(waiting, { status: "executing", subStatus: "ordering" })
        assert.include(waiting.statusReason ?? "", "local-2")
        return proposalId
      }
      const late = await start()
      await treasury.advance("11 minutes")
      const ended = await call.get_proposal({ proposalId: late })
      assert.deepInclude(ended, { status: "failed", outcome: "not_executed" })
      assert.strictEqual(await spent(bridging), before)
      await outage(false)
      const stopped = await start()
      await call.cancel_proposal({ proposalId: stopped })
      await treasury.advance("30 seconds")
      const done = await call.get_proposal({ proposalId: stopped })
      assert.deepInclude(done, { status: "failed", outcome: "not_executed" })
      assert.strictEqual(await spent(bridging), before)
    }))

  it("that somebody else delivers is seen as delivered, once", () =>
    world(async (bridging) => {
      await Bridging.bridgeScript(bridging, ({ provider }) => provider("is behind"))
      const proposalId = await Bridging.startBridge(bridging)
      await Bridging.until(bridging, proposalId, ({ subStatus }) => subStatus === "attesting")
      await Bridging.bridgeScript(bridging, ({ deliverAll }) => deliverAll)
      await Bridging.bridgeScript(bridging, ({ provider }) => provider("answers"))
      const done = await Bridging.until(
        bridging,
        proposalId,
        ({ status }) => status !== "executing"
      )
      assert.strictEqual(done.outcome, "executed")
      assert.lengthOf(
        done.steps.filter(({ kind }) => kind === "mint"),
        1,
        "no call of ours was made"
      )
      const there = await Bridging.balanceOn(bridging, bridging.to.address, "local-2")
      assert.strictEqual(there, amount - fee)
    }))

  it(
    "is tried at its destination for ever, ever later, and the operator is told once",
    () =>
      world(async (bridging) => {
        const { call, treasury } = bridging
        const before = await refusals(bridging, "BRIDGE_CALL_REFUSED")
        const stuckBefore = await alerts(bridging)
        await refuses(bridging, true)
        const proposalId = await Bridging.startBridge(bridging)
        const tries = async () =>
          (await call.get_proposal({ proposalId })).steps.filter(
            ({ kind, status }) => kind === "mint" && status === "failed"
          ).length
        await Bridging.until(bridging, proposalId, ({ subStatus }) => subStatus === "minting")
        for (let hour = 0; hour < 14; hour++) await treasury.advance("1 hour")
        const many = await tries()
        assert.isAbove(many, 20)
        assert.isBelow(many, 28, "an hour lies between two of the later ones")
        assert.strictEqual(await alerts(bridging), stuckBefore + 1)
        assert.strictEqual(await refusals(bridging, "BRIDGE_CALL_REFUSED"), before + 1)
        await refuses(bridging, false)
        await treasury.advance("1 hour")
        const done = await Bridging.until(
          bridging,
          proposalId,
          ({ status }) => status !== "executing"
        )
        assert.strictEqual(done.outcome, "executed", done.statusReason ?? "")
        assert.strictEqual(await alerts(bridging), stuckBefore + 1)
        const there = await Bridging.balanceOn(bridging, bridging.to.address, "local-2")
        assert.strictEqual(there, amount - fee)
      }),
    120_000
  )

  it("of which the provider tells something else is told to the operator once, and goes on", () =>
    world(async (bridging) => {
      const before = await refusals(bridging, "BRIDGE_CONTRADICTED")
      await Bridging.bridgeScript(bridging, ({ provider }) => provider("lies"))
      const proposalId = await Bridging.startBridge(bridging)
      await Bridging.until(bridging, proposalId, ({ statusReason }) => statusReason === lie)
      for (let turn = 0; turn < 5; turn++) await Bridging.goOn(bridging)
      assert.strictEqual(await refusals(bridging, "BRIDGE_CONTRADICTED"), before + 1)
      assert.isTrue(await isNoticed(bridging, `${proposalId} BRIDGE_CONTRADICTED`))
      assert.isFalse(await isNoticed(bridging, `${proposalId} BRIDGE_CALL_REFUSED`))
      assert.strictEqual(await Bridging.balanceOn(bridging, bridging.to.address, "local-2"), 0n)
      await Bridging.bridgeScript(bridging, ({ provider }) => provider("answers"))
      const done = await Bridging.until(
        bridging,
        proposalId,
        ({ status }) => status !== "executing"
      )
      assert.strictEqual(done.outcome, "executed")
    }))

  it("whose provider lies, answers and lies again is told to the operator once", () =>
    world(async (bridging) => {
      const before = await refusals(bridging, "BRIDGE_CONTRADICTED")
      await refuses(bridging, true)
      const proposalId = await Bridging.startBridge(bridging)
      await Bridging.until(bridging, proposalId, ({ subStatus }) => subStatus === "minting")
      const tells = async (way: "answers" | "lies") => {
        await Bridging.bridgeScript(bridging, ({ provider }) => provider(way))
        await bridging.treasury.advance("1 minute")
        const { statusReason } = await bridging.call.get_proposal({ proposalId })
        assert.strictEqual(statusReason, way === "lies" ? lie : null)
      }
      for (const way of ["lies", "answers", "lies", "answers", "lies"] as const) await tells(way)
      assert.strictEqual(await refusals(bridging, "BRIDGE_CONTRADICTED"), before + 1)
      await refuses(bridging, false)
      await tells("answers")
      const done = await Bridging.until(
        bridging,
        proposalId,
        ({ status }) => status !== "executing"
      )
      assert.strictEqual(done.outcome, "executed")
    }))

  it("that brings less than was signed for is told to the operator, and says what came", () =>
    world(async (bridging) => {
      const before = await refusals(bridging, "BRIDGE_BELOW_MINIMUM")
      await Bridging.bridgeScript(bridging, ({ provider }) => provider("gives less"))
      const proposalId = await Bridging.startBridge(bridging)
      await Bridging.until(bridging, proposalId, ({ subStatus }) => subStatus === "attesting")
      await Bridging.bridgeScript(bridging, ({ deliverAll }) => deliverAll)
      const done = await Bridging.until(
        bridging,
        proposalId,
        ({ status }) => status !== "executing"
      )
      assert.deepInclude(done, {
        outcome: "executed",
        boughtAmount: String(amount - 2n * fee - 1n)
      })
      assert.strictEqual(await refusals(bridging, "BRIDGE_BELOW_MINIMUM"), before + 1)
      assert.isTrue(await isNoticed(bridging, `${proposalId} BRIDGE_BELOW_MINIMUM`))
    }))

  it("is cancelled before anything has left, and not after", () =>
    world(async (bridging) => {
      const { call } = bridging
      await Bridging.bridgeScript(bridging, ({ close }) => close("USDC is paused on local."))
      const early = await Bridging.startBridge(bridging)
      await Bridging.goOn(bridging)
      await call.cancel_proposal({ proposalId: early })
      await Bridging.bridgeScript(bridging, ({ close }) => close(null))
      const first = await Bridging.until(bridging, early, ({ status }) => status !== "executing")
      assert.deepInclude(first, { status: "failed", outcome: "not_executed" })
      await Bridging.bridgeScript(bridging, ({ provider }) => provider("holds back"))
      const late = await Bridging.startBridge(bridging)
      await Bridging.until(bridging, late, ({ subStatus }) => subStatus === "attesting")
      await refusal(call.cancel_proposal({ proposalId: late }))
      await Bridging.bridgeScript(bridging, ({ provider }) => provider("answers"))
      const second = await Bridging.until(bridging, late, ({ status }) => status !== "executing")
      assert.strictEqual(second.outcome, "executed", "what has left is not given up")
    }))

  it("that is asked to stop while an end is closed does not leave once that has opened", () =>
    world(async (bridging) => {
      const { call, from } = bridging
      const held = () => Bridging.balanceOn(bridging, from.address, "local")
      const before = await held()
      const proposalId = await Bridging.startBridge(bridging)
      // The permit is given; the wallet has let nothing go.
      await Bridging.until(bridging, proposalId, ({ steps }) =>
        steps.some(({ kind, status }) => kind === "permit" && status !== "waiting")
      )
      await Bridging.bridgeScript(bridging, ({ close }) => close("The issuer has paused it."))
      await Bridging.until(bridging, proposalId, ({ statusReason }) =>
        (statusReason ?? "").includes("paused")
      )
      await call.cancel_proposal({ proposalId })
      await Bridging.goOn(bridging, 30)
      await Bridging.bridgeScript(bridging, ({ close }) => close(null))
      const ended = await Bridging.until(
        bridging,
        proposalId,
        ({ status }) => status !== "executing"
      )
      assert.deepInclude(ended, { status: "failed", outcome: "partly_executed" })
      assert.include(ended.statusReason ?? "", "cancelled")
      assert.strictEqual(await held(), before)
      assert.strictEqual(await spent(bridging), "0.00")
    }))

  it("goes on in another process, wherever the one before ended", async () => {
    let bridging = await Bridging.openBridging()
    try {
      const proposalId = await Bridging.startBridge(bridging)
      const held = async () =>
        (await Bridging.balanceOn(bridging, bridging.from.address, "local")) +
        (await Bridging.balanceOn(bridging, bridging.to.address, "local-2"))
      const before = await held()
      let status = "executing"
      for (let turn = 0; turn < 60 && status === "executing"; turn++) {
        await Bridging.goOn(bridging, 3)
        bridging = await Bridging.restart(bridging, turn + 2)
        status = (await bridging.call.get_proposal({ proposalId })).status
        const now = await held()
        assert.include([before, before - amount, before - fee], now, "it is in one place")
      }
      assert.strictEqual(status, "completed")
      assert.strictEqual(await held(), before - fee)
    } finally {
      await bridging.treasury.close()
    }
  })

  it("that is found on its way holds nothing of the wallet, though it has not arrived", async () => {
    const idempotencyKey = "rent-2030-02"
    const first = await Bridging.openBridging()
    await Bridging.bridgeScript(first, ({ provider }) => provider("holds back"))
    const input = { ...Bridging.asked(first), ...first.tokens }
    const { proposalId } = await first.call.propose_bridge(input, { idempotencyKey })
    await first.call.confirm_proposal({ proposalId })
    await Bridging.until(first, proposalId, ({ subStatus }) => subStatus === "attesting")
    const { chain } = first.treasury.durable
    await first.treasury.close()
    const second = await Bridging.openBridging({ durable: { store: new Store(), chain } })
    try {
      const { call, treasury } = second
      const again = await call.propose_bridge(
        { ...Bridging.asked(second), ...second.tokens },
        { idempotencyKey }
      )
      const before = await spent(second)
      await call.confirm_proposal({ proposalId: again.proposalId })
      await Bridging.until(second, again.proposalId, ({ subStatus }) => subStatus === "attesting")
      const held = await treasury.operate(Sales.use(({ heldOf }) => heldOf(second.from.id)))
      assert.isEmpty(held, "what has left is no longer in the wallet")
      assert.notStrictEqual(await spent(second), before, "what it may cost stays reserved")
    } finally {
      await second.treasury.close()
    }
  })

  it("is found again by its idempotency key when all records are lost, and is not sent twice", async () => {
    const idempotencyKey = "rent-2030-01"
    const first = await Bridging.openBridging()
    const input = { ...Bridging.asked(first), ...first.tokens }
    const { call } = first
    const { proposalId } = await call.propose_bridge(input, { idempotencyKey })
    await call.confirm_proposal({ proposalId })
    await Bridging.until(first, proposalId, ({ status }) => status === "completed")
    const { chain } = first.treasury.durable
    await first.treasury.close()
    const second = await Bridging.openBridging({ durable: { store: new Store(), chain } })
    try {
      const before = await Bridging.balanceOn(second, second.from.address, "local")
      const again = await second.call.propose_bridge(
        { ...Bridging.asked(second), ...second.tokens },
        { idempotencyKey }
      )
      await second.call.confirm_proposal({ proposalId: again.proposalId })
      const done = await Bridging.until(
        second,
        again.proposalId,
        ({ status }) => status !== "executing"
      )
      assert.strictEqual(done.outcome, "executed")
      assert.isTrue(
        done.steps.every(({ kind }) => kind !== "burn"),
        "nothing was burnt again"
      )
      assert.strictEqual(await Bridging.balanceOn(second, second.from.address, "local"), before)
    } finally {
      await second.treasury.close()
    }
    const third = await Bridging.openBridging({ durable: { store: new Store(), chain } })
    try {
      const other = await refusal(
        third.call.propose_bridge(
          { ...Bridging.asked(third, "50.00"), ...third.tokens },
          { idempotencyKey }
        )
      )
      assert.strictEqual(other._tag, "IDEMPOTENCY_KEY_REUSED")
      assert.match(other.message ?? "", /another bridge/u)
    } finally {
      await third.treasury.close()
    }
  })
})
