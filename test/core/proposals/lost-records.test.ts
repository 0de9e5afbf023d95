/** The same calls with the same idempotency keys, made to a treasury that has lost its records. */
import { assert, describe, it } from "vitest"
import { Store } from "../../../adapters/memory/store.ts"
import { openTreasury, type TestTreasury } from "../../../apps/testing/treasury.ts"

/** The chain of a treasury under new records, in which other ids are drawn before the calls. */
const afterLoss = async (before: TestTreasury) => {
  const treasury = await openTreasury({
    durable: { store: new Store(), chain: before.durable.chain }
  })
  await treasury.agent.call.list_wallets({})
  await treasury.developer.call.create_payment_request({
    walletMappingId: treasury.developer.vault.id,
    amountUsd: "1"
  })
  return treasury
}

const payee = async ({ agent }: TestTreasury) => {
  const { recipients } = await agent.call.list_recipients({})
  return recipients[0] ?? assert.fail("nobody may be paid")
}

const proposed = async (treasury: TestTreasury, amountUsdc: string, idempotencyKey = "invoice-1") =>
  treasury.agent.call.propose_transfer(
    {
      recipientId: (await payee(treasury)).id,
      amountUsdc,
      fromWalletId: treasury.agent.wallet.id
    },
    { idempotencyKey }
  )

const ended = async (treasury: TestTreasury, proposalId: string) => {
  await treasury.agent.call.confirm_proposal({ proposalId })
  for (let turn = 0; turn < 6; turn++) {
    await treasury.advance("3 seconds")
    await treasury.mine()
  }
  return treasury.agent.call.get_proposal({ proposalId })
}

/** A treasury that has paid 10 USDC, all that its wallet held. */
const paid = async () => {
  const treasury = await openTreasury()
  await treasury.send(treasury.agent.wallet.address, "10")
  await treasury.mine()
  const first = await ended(treasury, (await proposed(treasury, "10")).proposalId)
  assert.strictEqual(first.status, "completed")
  assert.notProperty(first, "recovered")
  await treasury.close()
  return { treasury, first }
}

describe("a treasury that has lost its records", () => {
  it("finds a payment again by the key it was made with, though the wallet is empty", async () => {
    const { first, treasury: before } = await paid()
    const treasury = await afterLoss(before)
    const again = await ended(treasury, (await proposed(treasury, "10")).proposalId)
    assert.notStrictEqual(again.proposalId, first.proposalId)
    assert.deepInclude(again, { status: "completed", recovered: true })
    assert.deepStrictEqual(again.txHashes, first.txHashes)
    assert.strictEqual(await treasury.balanceOf((await payee(treasury)).address), "10.00")
    await treasury.close()
  })

  it("refuses another payment under that key, and names the transaction", async () => {
    const { first, treasury: before } = await paid()
    const treasury = await afterLoss(before)
    await treasury.send(treasury.agent.wallet.address, "10")
    const refused = await proposed(treasury, "9").then(
      () => assert.fail("it was proposed"),
      (failure: unknown) => failure
    )
    assert.deepInclude(refused, { _tag: "IDEMPOTENCY_KEY_REUSED", outcome: "executed" })
    assert.deepInclude(refused, { details: { chainId: "local", txHash: first.txHashes[0] } })
    assert.lengthOf((await treasury.agent.call.list_proposals({})).proposals, 0)
    await treasury.close()
  })

  it("pays what the chain has not seen, under a key of its own", async () => {
    const { treasury: before } = await paid()
    const treasury = await afterLoss(before)
    await treasury.send(treasury.agent.wallet.address, "10")
    await treasury.mine()
    const other = await ended(treasury, (await proposed(treasury, "9", "invoice-2")).proposalId)
    assert.strictEqual(other.status, "completed")
    assert.notProperty(other, "recovered")
    assert.strictEqual(await treasury.balanceOf((await payee(treasury)).address), "19.00")
    await treasury.close()
  })

  it("gives a customer the address they had, and a wallet the one its key opened", async () => {
    const opened = async (treasury: TestTreasury) => {
      const { call } = treasury.agent
      const customer = { externalId: "user_42" }
      const { jobId } = await call.create_provisioning_job({
        chainId: "local",
        customers: [customer]
      })
      await treasury.advance("2 seconds")
      const { results } = await call.get_provisioning_job({ jobId })
      await call.propose_create_account(
        { chainId: "local", walletName: "Payroll" },
        { idempotencyKey: "payroll" }
      )
      const { wallets } = await call.list_wallets({})
      const payroll = wallets.find(({ name }) => name === "Payroll")
      assert.isTrue(payroll?.recoverable)
      return [results[0]?.address, payroll?.address] as const
    }
    const before = await openTreasury()
    const addresses = await opened(before)
    await before.close()
    const treasury = await afterLoss(before)
    assert.deepStrictEqual(await opened(treasury), addresses)
    assert.notStrictEqual(addresses[0], addresses[1])
    assert.isDefined(addresses[0])
    await treasury.close()
  })
})
