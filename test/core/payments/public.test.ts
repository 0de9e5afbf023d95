/** What the link of a request tells anybody: never to send what would not count. */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { openTreasury } from "../../../apps/testing/treasury.ts"
import { defaultsOf } from "../../../core/accounts/account-settings.ts"
import { SettingsStore } from "../../../core/accounts/settings-store.ts"
import * as Usdc from "../../../core/money/usdc.ts"
import { publicRequest } from "../../../core/payments/public.ts"
import { Transfers } from "../../../core/payments/transfer-store.ts"
import { Wallets } from "../../../core/wallets/wallet-store.ts"
import { png } from "../../support/pictures.ts"
import * as Rows from "../../support/rows.ts"

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

it.live("tells of money that came after the end, and what its merchant made of it", () =>
  Effect.promise(async () => {
    const treasury = await openTreasury()
    const { call, vault } = treasury.developer
    const opened = async (amountUsd: number) =>
      (await call.create_payment_request({ walletMappingId: vault.id, amountUsd })).pid
    const late = async (pid: string) => {
      const request = await treasury.operate(publicRequest(pid))
      return request?.cameLate.map(({ amountMicro, issue, resolution }) => [
        Usdc.format(amountMicro),
        issue,
        resolution
      ])
    }
    const [pid, other] = [await opened(7), await opened(8)]
    assert.deepStrictEqual(await late(pid), [])
    await call.cancel_payment_request({ idOrPid: pid })
    await call.cancel_payment_request({ idOrPid: other })
    await treasury.pay(pid, "7")
    assert.deepStrictEqual(await late(pid), [["7.00", "late", null]])
    assert.deepStrictEqual(await late(other), [], "The amount says which one was meant.")
    await treasury.reorg(1)
    assert.deepStrictEqual(await late(pid), [], "Its block was dropped.")
    await treasury.pay(pid, "7")
    await treasury.pay(pid, "0.000001")
    await treasury.pay(pid, "3")
    await treasury.mine()
    const doubtful = "Money that may be for either is told at neither, and dust at none."
    assert.deepStrictEqual(await late(pid), [["7.00", "late", null]], doubtful)
    for (let payment = 0; payment < 60; payment += 1) {
      await treasury.pay(pid, payment < 30 ? "0.000001" : "3")
    }
    await treasury.mine()
    assert.deepStrictEqual(await late(pid), [["7.00", "late", null]], "Nothing hides it.")
    const { deposits } = await call.list_deposits({ minAmountUsd: 7, status: "open" })
    const depositId = deposits[0]?.depositId ?? ""
    await call.resolve_deposit({ depositId, action: "ignore" })
    assert.deepStrictEqual(await late(pid), [["7.00", "late", "ignored"]])
    await treasury.close()
  })
)

it.live("tells of what is paid a second time", () =>
  Effect.promise(async () => {
    const treasury = await openTreasury()
    const { accountId, call, vault } = treasury.developer
    const asked = { walletMappingId: vault.id, amountUsd: 7 }
    const { pid } = await call.create_payment_request(asked)
    const shown = async () => {
      const request = await treasury.operate(publicRequest(pid))
      const again = request?.cameLate.map(({ issue, resolution }) => [issue, resolution])
      return { status: request?.status, again }
    }
    await treasury.pay(pid, "7")
    await treasury.mine()
    assert.deepStrictEqual(await shown(), { status: "paid", again: [] })
    await treasury.pay(pid, "7")
    await treasury.mine()
    const again = [["duplicate" as const, null]]
    assert.deepStrictEqual(await shown(), { status: "paid", again })
    const laterSeen = Effect.gen(function* () {
      const wallet = yield* (yield* Wallets).find(accountId, vault.id)
      if (wallet === undefined) return assert.fail("the vault is not there")
      const meant = { candidatePids: [pid], settlementIssue: "late" as const }
      const seenAt = DateTime.add(yield* DateTime.now, { days: 1 })
      yield* (yield* Transfers).record(Rows.aTransfer(wallet, { ...meant, seenAt }))
    })
    await treasury.operate(Effect.repeat(laterSeen, { times: 19 }))
    assert.deepStrictEqual(await shown(), { status: "paid", again }, "No other issue hides it.")
    const [deposit] = (await call.list_deposits({ minAmountUsd: 7, maxAmountUsd: 7 })).deposits
    await call.resolve_deposit({ depositId: deposit?.depositId ?? "", action: "ignore" })
    assert.deepStrictEqual((await shown()).again, [["duplicate", "ignored"]])
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
