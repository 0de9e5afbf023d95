/** An agent's plan as its account feels it: caps, wallets, and what happens at the instant it runs out. */
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { openTreasury, type TestTreasury } from "../../../apps/testing/treasury.ts"
import { Accounts } from "../../../core/accounts/account-store.ts"
import { plans } from "../../../core/policy/plan.ts"

const refusalOf = async (call: Promise<unknown>) => {
  try {
    await call
  } catch (refusal) {
    return refusal as { readonly _tag: string; readonly details?: Record<string, unknown> }
  }
  throw new Error("This was not refused.")
}

/** An agent on the plan `startup` for another hour, with money to send. */
const subscribed = async (treasury: TestTreasury) => {
  const { agent } = treasury
  const expiresAt = DateTime.add(DateTime.makeUnsafe(await treasury.now()), { hours: 1 })
  await treasury.operate(
    Effect.flatMap(Accounts, ({ subscribe }) => subscribe(agent.accountId, "startup", expiresAt))
  )
  await treasury.send(agent.wallet.address, "20000")
  const { recipients } = await agent.call.list_recipients({})
  const propose = (amountUsdc: string) =>
    agent.call.propose_transfer({
      recipientId: recipients[0]?.id ?? "",
      fromWalletId: agent.wallet.id,
      amountUsdc
    })
  return { propose, expiresAt: DateTime.formatIso(expiresAt) }
}

const shown = async ({ agent }: TestTreasury) => {
  const limits = await agent.call.get_policy_limits({})
  const { billingPlan, billingPlanName, maxWallets, perTransferCapUsd, tier } = limits
  return { billingPlan, billingPlanName, maxWallets, perTransferCapUsd, tier }
}

describe("a plan that runs out", () => {
  it("is shown with its end, and from that instant on with personal's caps and wallets", async () => {
    const treasury = await openTreasury()
    const { expiresAt } = await subscribed(treasury)
    const during = {
      billingPlan: "startup",
      billingPlanName: "Startup",
      maxWallets: 100,
      perTransferCapUsd: "10000.00",
      tier: "startup"
    }
    await treasury.advance("3599999 millis")
    assert.deepStrictEqual(await shown(treasury), during)
    await treasury.advance("1 millis")
    assert.deepStrictEqual(await shown(treasury), {
      ...during,
      maxWallets: 10,
      perTransferCapUsd: "1000.00",
      tier: "personal"
    })
    const limits = await treasury.agent.call.get_policy_limits({})
    assert.strictEqual(limits.subscriptionExpiresAt, expiresAt)
  })

  it("lets go on what is executing, judges anew what waits, and locks nothing", async () => {
    const treasury = await openTreasury()
    const { agent } = treasury
    const { propose } = await subscribed(treasury)
    const [going, waiting, small] = [
      await propose("2000"),
      await propose("2000"),
      await propose("9")
    ]
    await treasury.advance("3599999 millis")
    const started = await agent.call.confirm_proposal({ proposalId: going.proposalId })
    assert.strictEqual(started.status, "executing")
    await treasury.advance("1 millis")
    const refused = await refusalOf(agent.call.confirm_proposal({ proposalId: waiting.proposalId }))
    assert.strictEqual(refused._tag, "POLICY_LIMIT_EXCEEDED")
    const { status } = await agent.call.get_proposal({ proposalId: waiting.proposalId })
    assert.strictEqual(status, "pending_confirm")
    assert.strictEqual((await refusalOf(propose("1000.000001")))._tag, "POLICY_LIMIT_EXCEEDED")
    await treasury.mine()
    await treasury.advance("1 minute")
    const ended = await agent.call.get_proposal({ proposalId: going.proposalId })
    assert.strictEqual(ended.status, "completed")
    // Of personal's 2500 a day, 2000 were sent before the plan ran out.
    assert.strictEqual((await refusalOf(propose("500.000001")))._tag, "POLICY_LIMIT_EXCEEDED")
    const confirmed = await agent.call.confirm_proposal({ proposalId: small.proposalId })
    assert.strictEqual(confirmed.status, "executing")
  })
})

describe("the wallets of a plan", () => {
  const open = ({ agent }: TestTreasury, n: number) =>
    agent.call.propose_create_account({ chainId: "local", walletName: `Wallet ${n}` })

  it("are opened up to their number; a customer's vault takes no place", async () => {
    const treasury = await openTreasury()
    const room = plans.personal.maxWallets - 1
    for (let n = 1; n <= room; n++) await open(treasury, n)
    const refused = await refusalOf(open(treasury, room + 1))
    assert.strictEqual(refused._tag, "POLICY_LIMIT_EXCEEDED")
    assert.deepInclude(refused.details, { wallets: 10, maxWallets: 10 })
    assert.lengthOf((await treasury.agent.call.list_wallets({ limit: 100 })).wallets, 11)
  })

  it("stay when the plan runs out, and none is added above personal's number", async () => {
    const treasury = await openTreasury()
    await subscribed(treasury)
    for (let n = 1; n <= 12; n++) await open(treasury, n)
    await treasury.advance("1 hour")
    assert.strictEqual((await refusalOf(open(treasury, 13)))._tag, "POLICY_LIMIT_EXCEEDED")
    assert.lengthOf((await treasury.agent.call.list_wallets({ limit: 100 })).wallets, 14)
  })

  it("of a developer are not counted", async () => {
    const treasury = await openTreasury()
    for (let n = 1; n <= 12; n++) {
      const { proposalId } = await treasury.developer.call.propose_create_account({
        chainId: "local",
        walletName: `Wallet ${n}`
      })
      const { status } = await treasury.developer.call.confirm_proposal({ proposalId })
      assert.strictEqual(status, "completed")
    }
  })
})
