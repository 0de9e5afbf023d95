/** What the link of a request tells anybody: never to send what would not count. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { openTreasury } from "../../../apps/testing/treasury.ts"
import { defaultsOf } from "../../../core/accounts/account-settings.ts"
import { SettingsStore } from "../../../core/accounts/settings-store.ts"
import * as Usdc from "../../../core/money/usdc.ts"
import { publicRequest } from "../../../core/payments/public.ts"
import { png } from "../../support/pictures.ts"

it.live("bears the name, the colour and the logo that the owner set for payers", () =>
  Effect.promise(async () => {
    const treasury = await openTreasury()
    const { accountId } = treasury.developer
    const { pid } = await treasury.developer.call.create_checkout_session({
      customer: { externalId: "first_customer" },
      amountUsd: 5
    })
    const brand = async () => {
      const request = await treasury.operate(publicRequest(pid))
      return request && [request.merchant, request.brandColor, request.logoUrl]
    }
    const [before] = (await brand()) ?? []
    assert.isString(before)
    const set = { merchantName: "Corner Shop", brandColor: "#1d4ed8", logoUrl: png(9, 9).dataUrl }
    const saved = { ...defaultsOf(accountId), ...set }
    await treasury.operate(Effect.flatMap(SettingsStore, ({ save }) => save(saved)))
    assert.deepStrictEqual(await brand(), ["Corner Shop", "#1d4ed8", set.logoUrl])
    await treasury.close()
  })
)

it.live("asks for the rest while money is on its way, and for nothing once the time is up", () =>
  Effect.promise(async () => {
    const treasury = await openTreasury()
    const { pid } = await treasury.developer.call.create_checkout_session({
      customer: { externalId: "first_customer" },
      amountUsd: 5,
      expiresInMinutes: 1
    })
    const shown = async () => {
      const request = await treasury.operate(publicRequest(pid))
      return { status: request?.status, due: request?.dueMicro, call: request?.call }
    }
    await treasury.pay(pid, "2")
    const underWay = await shown()
    assert.deepInclude(underWay, { status: "processing", due: Usdc.make(3_000_000n) })
    assert.match(underWay.call?.data ?? "", /2dc6c0$/u)
    await treasury.pay(pid, "3")
    assert.deepInclude(await shown(), { status: "processing", due: Usdc.zero, call: null })
    await treasury.reorg(2)
    assert.deepInclude(await shown(), { status: "open", due: Usdc.make(5_000_000n) })
    await treasury.chainAway(true)
    await treasury.advance("61 seconds")
    assert.deepInclude(await shown(), { status: "open", due: Usdc.zero, call: null })
    await treasury.close()
  })
)
