/** What a user's test suite relies on: quick, side by side, and one seed that replays a run to the letter. */
import { assert, describe, it } from "@effect/vitest"
import { openTreasury } from "../../apps/testing/treasury.ts"

const url = "https://merchant.example.com/webhooks"

const told = async (seed: number, interleaves: boolean) => {
  const treasury = await openTreasury({ seed, interleaves })
  const { call, vault } = treasury.developer
  await treasury.route(url, { _tag: "answers", status: 500 }, { _tag: "answers", status: 200 })
  await call.create_merchant_webhook({ url })
  const { pid } = await call.create_payment_request({ walletMappingId: vault.id, amountUsd: 5 })
  await treasury.pay(pid)
  await treasury.mine()
  await treasury.advance("1 hour")
  const carried = (await treasury.webhooks()).map(({ body, headers, at }) => ({
    body,
    headers,
    at
  }))
  const trace = treasury.trace()
  await treasury.close()
  return { pid, carried, trace }
}

describe("The test treasury", () => {
  it("replays a run from its seed, whatever the interleaving", async () => {
    for (const interleaves of [false, true]) {
      assert.deepEqual(await told(42, interleaves), await told(42, interleaves))
    }
  })

  it("takes another way with another seed", async () => {
    const [one, other] = [await told(1, true), await told(2, true)]
    assert.notStrictEqual(one.pid, other.pid)
    assert.notStrictEqual(one.trace.digest, other.trace.digest)
  })

  it("stands beside others without sharing anything", async () => {
    const treasuries = await Promise.all([1, 2, 3, 4].map((seed) => openTreasury({ seed })))
    const pids = await Promise.all(
      treasuries.map(async ({ developer }) => {
        const { pid } = await developer.call.create_payment_request({
          walletMappingId: developer.vault.id,
          amountUsd: 1
        })
        return pid
      })
    )
    assert.strictEqual(new Set(pids).size, 4)
    for (const { developer, close } of treasuries) {
      const { payment_requests } = await developer.call.list_payment_requests({})
      assert.strictEqual(payment_requests.length, 1)
      await close()
    }
  })

  it("holds what a script gives and prices it as a script says", async () => {
    const { developer, airdrop, giveCoins, priceCoin, marketAway, send, close } =
      await openTreasury()
    const { call, wallet } = developer
    const { totalUsd } = await call.get_holdings({ walletId: wallet.id })
    await send(wallet.address, "12.50")
    await giveCoins(wallet.address, 10n ** 18n)
    await airdrop({ to: wallet.address, symbol: "FREE", amount: 5n })
    const unpriced = await call.get_holdings({ walletId: wallet.id })
    assert.strictEqual(Number(unpriced.totalUsd) - Number(totalUsd), 12.5)
    assert.strictEqual(unpriced.hiddenSpamCount, 1)
    await priceCoin("2000.25", "-1.5")
    const priced = await call.get_holdings({ walletId: wallet.id })
    assert.propertyVal(priced.holdings[0], "valueUsd", "2000.25")
    assert.propertyVal(priced.holdings[0], "change24hPct", "-1.50")
    await marketAway(true)
    await priceCoin("1")
    const away = await call.get_holdings({ walletId: wallet.id })
    assert.deepEqual([away.totalUsd, away.stale], [priced.totalUsd, true])
    await close()
  })

  it("opens again on what it left, as after a restart", async () => {
    const before = await openTreasury({ seed: 1 })
    const { pid } = await before.developer.call.create_payment_request({
      walletMappingId: before.developer.vault.id,
      amountUsd: 3
    })
    await before.pay(pid)
    await before.close()
    const after = await openTreasury({ seed: 2, durable: before.durable })
    const calls = await after.as(before.developer.apiKey)
    await after.mine()
    assert.strictEqual((await calls.get_payment_request({ idOrPid: pid })).status, "paid")
    await after.close()
  })

  it("is refused with the code a surface would give", async () => {
    const treasury = await openTreasury()
    const refused = await treasury.developer.call
      .get_payment_request({ idOrPid: "pr_nobody" })
      .catch((error: unknown) => error)
    assert.propertyVal(refused, "_tag", "NOT_FOUND")
    const unknown = await treasury.as("svc_hu_nonsense").catch((error: unknown) => error)
    assert.propertyVal(unknown, "_tag", "UNAUTHENTICATED")
    await treasury.close()
  })
})
