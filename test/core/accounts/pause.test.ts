/** A paused account moves no money at any door, is paid as before, and goes on where it stood. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { openTreasury, type TestTreasury } from "../../../apps/testing/treasury.ts"
import { pauseAccount, resumeAccount } from "../../../core/accounts/pause.ts"

const refusedWith = async (call: Promise<unknown>): Promise<string> => {
  try {
    await call
  } catch (refusal) {
    return (refusal as { readonly _tag: string })._tag
  }
  return "done"
}

const ready = async (treasury: TestTreasury) => {
  const { agent } = treasury
  await treasury.send(agent.wallet.address, "50")
  const { recipients } = await agent.call.list_recipients({})
  const propose = (amountUsdc: string) =>
    agent.call.propose_transfer({
      recipientId: recipients[0]?.id ?? "",
      fromWalletId: agent.wallet.id,
      amountUsdc
    })
  return { propose, to: recipients[0]?.address ?? "" }
}

it("nothing is proposed or confirmed while it is paused, and a proposal that waited is good after", async () => {
  const treasury = await openTreasury()
  const { agent } = treasury
  const { propose } = await ready(treasury)
  const { proposalId } = await propose("5")
  await treasury.operate(pauseAccount(agent.accountId))
  assert.strictEqual(await refusedWith(propose("5")), "ACCOUNT_PAUSED")
  assert.strictEqual(
    await refusedWith(agent.call.confirm_proposal({ proposalId })),
    "ACCOUNT_PAUSED"
  )
  const { recipients } = await agent.call.list_recipients({})
  const recipientId = recipients[0]?.id ?? ""
  const judged = await agent.call.simulate_transfer({ recipientId, amountUsdc: "5" })
  assert.deepInclude(judged, { allowed: false, earliestAt: null })
  assert.deepInclude(judged.rules[0], { rule: "account_running", passes: false })
  const { status } = await agent.call.get_proposal({ proposalId })
  assert.strictEqual(status, "pending_confirm")
  assert.strictEqual((await agent.call.get_policy_limits({})).dailyUsedUsd, "0.00")
  await treasury.operate(resumeAccount(agent.accountId))
  const confirmed = await agent.call.confirm_proposal({ proposalId })
  assert.strictEqual(confirmed.status, "executing")
  await treasury.close()
})

it("a confirmed send that is not signed yet waits, keeps its cap, and is paid once it is resumed", async () => {
  const treasury = await openTreasury()
  const { agent } = treasury
  const { propose, to } = await ready(treasury)
  const { proposalId } = await propose("5")
  await treasury.chainAway(true)
  await agent.call.confirm_proposal({ proposalId })
  await treasury.operate(pauseAccount(agent.accountId))
  await treasury.chainAway(false)
  await treasury.advance("1 minute")
  await treasury.mine()
  const held = await agent.call.get_proposal({ proposalId })
  assert.deepInclude(held, { status: "executing", statusReason: "The account is paused." })
  assert.strictEqual(await treasury.balanceOf(to), "0.00")
  assert.strictEqual((await agent.call.get_policy_limits({})).dailyUsedUsd, "5.00")
  await treasury.operate(resumeAccount(agent.accountId))
  await treasury.advance("1 minute")
  await treasury.mine()
  await treasury.advance("1 minute")
  assert.strictEqual((await agent.call.get_proposal({ proposalId })).status, "completed")
  assert.strictEqual(await treasury.balanceOf(to), "5.00")
  await treasury.close()
})

it("it is paid as before, and pausing twice is one pause in the log", async () => {
  const treasury = await openTreasury()
  const { agent } = treasury
  await treasury.operate(pauseAccount(agent.accountId))
  await treasury.operate(pauseAccount(agent.accountId))
  const { pid } = await agent.call.create_payment_request({
    walletMappingId: agent.vault.id,
    amountUsd: 5
  })
  await treasury.pay(pid)
  await treasury.mine()
  const paid = await agent.call.get_payment_request({ idOrPid: pid })
  assert.strictEqual(paid.status, "paid")
  const { entries } = await agent.call.list_audit_log({ limit: 100 })
  assert.lengthOf(
    entries.filter(({ action }) => action === "account.paused"),
    1
  )
  await treasury.close()
})

it("an account that is not there cannot be paused", async () => {
  const treasury = await openTreasury()
  const refused = await refusedWith(
    treasury.operate(Effect.asVoid(pauseAccount("0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d")))
  )
  assert.strictEqual(refused, "NOT_FOUND")
  await treasury.close()
})
