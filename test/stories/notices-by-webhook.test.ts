/**
 * Notices by webhook: only who may read the account has them sent, sends them elsewhere or reads one; they are signed
 * and repeated like events, are no events, and come once for one thing.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { verifyWebhook } from "../../adapters/receiver/verify.ts"
import { openTreasury, type TestTreasury } from "../../apps/testing/treasury.ts"
import { giveNotice } from "../../core/notices/give-notice.ts"
import { tellTokenChanged } from "../../core/people/tell-token-changed.ts"
import { UsdcCode } from "../../core/ports/usdc-code.ts"
import { acknowledge } from "../../core/tokens/usdc-stop.ts"
import { lookOver } from "../../core/tokens/watch-usdc.ts"

const url = "https://ops.example.com/notices"

const give = ({ developer, operate }: TestTreasury, subject = "one") =>
  operate(
    giveNotice({
      accountId: developer.accountId,
      type: "send_failed",
      subject,
      role: "owner",
      summary: "Failed: Send 5 USDC",
      path: "/console/proposals/one"
    })
  )

interface Refused {
  readonly _tag: string
  readonly details?: { readonly scope?: string }
}

const refusalOf = async (call: Promise<unknown>): Promise<Refused> => {
  try {
    await call
  } catch (refusal) {
    return refusal as Refused
  }
  return assert.fail("It was not refused.")
}

/** A treasury with an endpoint for these notices alone, whose receiver answers. */
const opened = async (...notices: ReadonlyArray<"send_failed" | "token_changed">) => {
  const treasury = await openTreasury()
  await treasury.route(url, { _tag: "answers", status: 200 })
  const { call } = treasury.developer
  const endpoint = await call.create_merchant_webhook({ url, events: [], notices })
  return { treasury, call, endpoint }
}

it("comes signed, once, with an envelope of its own, and is no event", async () => {
  const { call, endpoint, treasury } = await opened("send_failed")
  await give(treasury)
  await give(treasury)
  await treasury.advance("1 minute")
  const [carried, ...others] = await treasury.webhooks()
  if (carried === undefined) return assert.fail("Nothing was sent.")
  assert.lengthOf(others, 0)
  const told = verifyWebhook({
    body: carried.body,
    headers: carried.headers,
    secret: endpoint.secret ?? "",
    nowSeconds: Number(carried.headers["svc-webhook-timestamp"])
  })
  assert.deepInclude(told, { object: "notice", type: "send_failed", livemode: false })
  assert.match(told.id, /^ntc_[0-9A-Za-z]{24}$/u)
  assert.deepInclude(told.data.object, {
    subject: "one",
    summary: "Failed: Send 5 USDC",
    url: "http://treasury.test/console/proposals/one"
  })
  assert.notProperty(told.data, "version")
  assert.lengthOf((await call.list_events({})).events, 0)
  await treasury.close()
})

it("is repeated until it arrives, and replayed", async () => {
  const { call, treasury } = await opened("send_failed")
  await treasury.route(
    url,
    { _tag: "answers", status: 500 },
    { _tag: "answers", status: 200 },
    { _tag: "answers", status: 200 }
  )
  await give(treasury)
  await treasury.advance("2 minutes")
  const { webhook_deliveries } = await call.list_webhook_deliveries({ eventType: "send_failed" })
  const [delivery] = webhook_deliveries
  assert.deepInclude(delivery, { status: "delivered", attemptCount: 2 })
  await call.replay_webhook_delivery({ id: delivery?.id ?? "" })
  await treasury.advance("1 minute")
  const ids = (await treasury.webhooks()).map(({ event }) => event.id)
  assert.deepStrictEqual(ids, [ids[0], ids[0], ids[0]])
  await treasury.close()
})

it("is off by default, and a type that nobody asked for is sent to nobody", async () => {
  const { call, endpoint, treasury } = await opened("token_changed")
  const plain = await call.create_merchant_webhook({ url: "https://shop.example.com/hooks" })
  assert.deepStrictEqual(plain.notices, [])
  await give(treasury, "not asked for")
  await treasury.advance("1 minute")
  assert.lengthOf(await treasury.webhooks(), 0)
  await call.update_merchant_webhook({ id: endpoint.id, notices: ["send_failed"] })
  await give(treasury, "asked for")
  await treasury.advance("1 minute")
  assert.lengthOf(await treasury.webhooks(), 1)
  const refused = await refusalOf(call.update_merchant_webhook({ id: endpoint.id, notices: [] }))
  assert.strictEqual(refused._tag, "INVALID_REQUEST", "an endpoint for nothing")
  const empty = await refusalOf(call.create_merchant_webhook({ url, events: [] }))
  assert.strictEqual(empty._tag, "INVALID_REQUEST")
  await treasury.close()
})

describe("a key without account:read", () => {
  it("asks for none, leads none elsewhere and reads none, but may turn them off", async () => {
    const { call, endpoint, treasury } = await opened("send_failed")
    await give(treasury)
    await treasury.advance("1 minute")
    const { apiKey } = await call.create_api_key({
      scopes: ["payment_requests:read", "payment_requests:write"]
    })
    const till = await treasury.as(apiKey ?? "")
    const denied = async (asked: Promise<unknown>) => {
      const { _tag, details } = await refusalOf(asked)
      assert.deepStrictEqual([_tag, details?.scope], ["INSUFFICIENT_SCOPE", "account:read"])
    }
    await denied(till.create_merchant_webhook({ url, notices: ["send_failed"] }))
    const { id } = endpoint
    await denied(till.update_merchant_webhook({ id, url: "https://elsewhere.example.com/" }))
    await denied(till.update_merchant_webhook({ id, notices: ["relayer_low"] }))
    const { webhook_deliveries } = await till.list_webhook_deliveries({})
    await denied(till.get_webhook_delivery({ id: webhook_deliveries[0]?.id ?? "" }))
    const other = "https://elsewhere.example.com/"
    const events = ["payment_request.paid"] as const
    await denied(till.update_merchant_webhook({ id, url: other, events, notices: [] }))
    const replay = { id: webhook_deliveries[0]?.id ?? "" }
    await denied(till.replay_webhook_delivery(replay))
    const after = await till.update_merchant_webhook({ id, events, notices: [] })
    assert.deepStrictEqual(after.notices, [])
    await till.update_merchant_webhook({ id, url: other })
    await denied(till.replay_webhook_delivery(replay))
    const off = await refusalOf(call.replay_webhook_delivery(replay))
    assert.strictEqual(off._tag, "INVALID_REQUEST", "nobody asks for it there")
    await treasury.close()
  })

  it("has none sent again that were lost, where whoever has the scope does", async () => {
    const { call, endpoint, treasury } = await opened("send_failed")
    await treasury.route(url, { _tag: "answers", status: 410 }, { _tag: "answers", status: 200 })
    await give(treasury)
    await treasury.advance("1 minute")
    const { apiKey } = await call.create_api_key({
      scopes: ["payment_requests:read", "payment_requests:write"]
    })
    const till = await treasury.as(apiKey ?? "")
    const lost = { id: endpoint.id, since: "2026-01-01T00:00:00Z", status: "gone" } as const
    await call.enable_merchant_webhook({ id: endpoint.id })
    assert.strictEqual((await till.recover_merchant_webhook(lost)).recovered, 0)
    assert.strictEqual((await call.recover_merchant_webhook(lost)).recovered, 1)
    await treasury.close()
  })
})

describe("another contract behind the USDC of a chain", () => {
  const [first, second] = [`0x${"a1".repeat(20)}`, `0x${"b2".repeat(20)}`]
  const third = `0x${"c3".repeat(20)}`

  const look = async (treasury: TestTreasury, behind: string) => {
    await treasury.advance("1 minute")
    const code = { implementation: () => Effect.succeed(behind) }
    await treasury.operate(Effect.provideService(lookOver, UsdcCode, code))
  }

  it("is told once to every account, by webhook and in the words of people", async () => {
    const { treasury } = await opened("token_changed")
    const { call } = treasury.agent
    await call.create_merchant_webhook({ url, events: [], notices: ["token_changed"] })
    await look(treasury, first)
    for (let n = 0; n < 3; n++) await look(treasury, second)
    await treasury.advance("1 minute")
    const told = await treasury.webhooks()
    assert.lengthOf(told, 2, "one for each account")
    for (const { event } of told) {
      const { summary } = event.data.object as { readonly summary: string }
      assert.include(summary, `USDC on local was ${first} and is ${second}`)
    }
    await treasury.operate(acknowledge("local"))
    await look(treasury, first)
    await treasury.advance("1 minute")
    assert.lengthOf(await treasury.webhooks(), 4, "the next change is told as well")
    await treasury.close()
  })

  const summaries = async (treasury: TestTreasury) =>
    (await treasury.webhooks()).map(
      ({ event }) => (event.data.object as { readonly summary: string }).summary
    )

  it("that comes, goes and comes again is told in words that tell the two apart", async () => {
    const { treasury } = await opened("token_changed")
    for (const behind of [first, second, first, second]) await look(treasury, behind)
    await treasury.advance("1 minute")
    const told = await summaries(treasury)
    assert.lengthOf(told, 2)
    assert.lengthOf([...new Set(told)], 2, told.join("\n"))
    await treasury.close()
  })

  it("is told as what it was, and not once yet another one is there", async () => {
    const { treasury } = await opened("token_changed")
    for (const behind of [first, second, third]) await look(treasury, behind)
    await treasury.advance("1 minute")
    const told = await summaries(treasury)
    assert.deepStrictEqual(
      told.map((summary) => [second, third].filter((behind) => summary.includes(behind))),
      [[second], [third]]
    )
    await treasury.operate(tellTokenChanged(`local 2026-01-01T00:00:00.000Z ${second}`))
    await treasury.advance("1 minute")
    assert.lengthOf(await summaries(treasury), 2)
    await treasury.close()
  })
})
