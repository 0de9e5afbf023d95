/** What every event of a customer's request names: the customer, whichever operation opened it, and the payer as people write them. */
import { assert, it } from "@effect/vitest"
import { ChainScript } from "../../adapters/memory/chains.ts"
import { openTreasury } from "../../apps/testing/treasury.ts"

const payer = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
const url = "https://shop.example.com/webhooks"

it("a request that was not opened for a checkout names its vault's customer in itself and in every event", async () => {
  const treasury = await openTreasury()
  const { call, vault } = treasury.developer
  await treasury.route(url, { _tag: "answers", status: 200 })
  const events = ["paid", "expired", "payment_failed"].map((each) => `payment_request.${each}`)
  await call.create_merchant_webhook({ url, events: events as ["payment_request.paid"] })
  const opened = async (amountUsd: number) =>
    call.create_payment_request({ walletMappingId: vault.id, amountUsd, expiryDays: 1 })
  const customer = { externalId: "first_customer", namespace: "default" }

  const paid = await opened(5)
  assert.deepStrictEqual(paid.customer, customer)
  const pay = (amountMicro: bigint) =>
    treasury.operate(
      ChainScript.use((chain) =>
        chain.pay({ from: payer.toLowerCase(), to: vault.address, amountMicro })
      )
    )
  await pay(5_000_000n)
  await treasury.mine()
  await treasury.advance("5 seconds")
  const expired = await opened(7)
  await treasury.chainTimePasses(2 * 86_400)
  await treasury.mine()
  await treasury.advance("5 seconds")
  await pay(7_000_000n)
  await treasury.mine()
  await treasury.advance("5 seconds")

  const heard = (await treasury.webhooks()).map(({ event }) => event)
  assert.sameMembers(
    heard.map(({ type }) => type),
    events
  )
  for (const { data, type } of heard) {
    assert.notStrictEqual(type, "webhook.test")
    const { object } = data as unknown as { readonly object: Readonly<Record<string, unknown>> }
    assert.deepStrictEqual(object.customer, customer, type)
    assert.include([paid.pid, expired.pid], object.paymentRequestPid)
    const { address } = (object.payer ?? {}) as { readonly address?: string }
    if (type === "payment_request.paid") assert.strictEqual(address, payer)
    else assert.include([undefined, payer], address)
  }
  await treasury.close()
})
