/** What the link of a request tells anybody: never to send what would not count. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { openTreasury } from "../../../apps/testing/treasury.ts"
import * as Usdc from "../../../core/money/usdc.ts"
import { publicRequest } from "../../../core/payments/public.ts"

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
