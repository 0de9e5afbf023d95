/** What a watcher rests on: a footing no reorganisation takes away, and the second a request expires in. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as ScriptedChain from "../../../adapters/memory/scripted-chain.ts"
import { MemoryStore } from "../../../adapters/memory/store.ts"
import { openTreasury } from "../../../apps/testing/treasury.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"

it.live("a watcher whose first blocks are reorganised away at once still sees the payment", () =>
  Effect.promise(async () => {
    const chain = Wiring.scriptedChain()
    for (let mined = 0; mined < 10; mined++) {
      ScriptedChain.mine(chain, ScriptedChain.find(chain), Date.UTC(2030, 0, 1))
    }
    const store = Effect.runSync(MemoryStore.make)
    const treasury = await openTreasury({ durable: { store, chain } })
    const { call, vault } = treasury.developer
    const request = await call.create_payment_request({ walletMappingId: vault.id, amountUsd: 5 })
    await treasury.reorg(Wiring.confirmations - 1)
    await treasury.pay(request.pid)
    await treasury.mine()
    const paid = await call.get_payment_request({ idOrPid: request.pid })
    await treasury.close()
    assert.strictEqual(paid.status, "paid")
  })
)

it.live("money in a later block of the very second of the expiry is in time", () =>
  Effect.promise(async () => {
    const treasury = await openTreasury()
    const { call, vault } = treasury.developer
    const request = await call.create_payment_request({
      walletMappingId: vault.id,
      amountUsd: 5,
      expiryDays: 1
    })
    await treasury.chainTimePasses(86_400)
    await treasury.mine()
    await treasury.pay(request.pid)
    await treasury.mine()
    const paid = await call.get_payment_request({ idOrPid: request.pid })
    await treasury.close()
    assert.strictEqual(paid.status, "paid")
  })
)
