/** A webhook's URL is kept as WHATWG writes it: schemes and hosts are the same in any case. */
import { assert, it } from "@effect/vitest"
import { openTreasury } from "../../../apps/testing/treasury.ts"

it("a URL in capitals is taken, and kept and called in its normal form", async () => {
  const treasury = await openTreasury()
  const { call } = treasury.developer
  const { id, url } = await call.create_merchant_webhook({
    url: "HTTPS://Shop.Example.com:443/Hooks?From=Bursar"
  })
  assert.strictEqual(url, "https://shop.example.com/Hooks?From=Bursar")
  const changed = await call.update_merchant_webhook({ id, url: "Https://SHOP.example.com" })
  assert.strictEqual(changed.url, "https://shop.example.com/")
  assert.strictEqual((await call.get_merchant_webhook({ id })).url, changed.url)
  await treasury.route("https://shop.example.com", { _tag: "answers", status: 200 })
  await call.send_merchant_webhook_test({ id })
  await treasury.advance("1 minute")
  const sent = await treasury.webhooks()
  assert.deepStrictEqual(
    sent.map((each) => each.url),
    ["https://shop.example.com/"]
  )
  const untouched = await call.update_merchant_webhook({ id, description: "Shop" })
  assert.strictEqual(untouched.url, changed.url)
  await treasury.close()
})
