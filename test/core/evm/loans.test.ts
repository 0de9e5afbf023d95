/** What calls may lay out: whoever asks for ever more of them is lent no more a day than the operator allows. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { loanFor } from "../../../core/evm/call.ts"
import { Outlay } from "../../../core/policy/outlay-ledger.ts"
import { PolicySettings } from "../../../core/policy/policy-settings.ts"
import { called, calledAfter, callOf, kept, standingOf } from "../../support/call-steps.ts"
import { world } from "../../support/memory-sending-chain.ts"
import * as Rows from "../../support/rows.ts"
import { look } from "../../support/send-steps.ts"
import { freshRecords } from "../../support/send-world.ts"
import { PayingWorld } from "../../support/sending-chain.ts"

const gwei = 10n ** 9n

layer(Layer.merge(world, freshRecords()))("loans of gas", (it) => {
  it("are half more than the gas may cost, and what the call gives, less what is held", () => {
    const fees = { gas: 100_000n, maxFeePerGas: 2n * gwei }
    const cost = 200_000n * gwei
    const none = { dataFeeWei: 0n, value: 0n }
    assert.strictEqual(loanFor(fees, none, 0n), (cost * 3n) / 2n)
    assert.strictEqual(loanFor(fees, none, cost), 0n)
    assert.strictEqual(loanFor(fees, none, cost - 1n), cost / 2n + 1n)
    assert.strictEqual(loanFor(fees, { dataFeeWei: 7n, value: 5n }, 2n), (cost * 3n) / 2n + 10n)
  })

  it.effect("end at the daily cap of an account that loops calls from ever new wallets", () =>
    Effect.gen(function* () {
      const { mine } = yield* PayingWorld
      const cap = 2_000_000n * gwei
      const settings = yield* PolicySettings
      const local = { personal: cap, startup: cap, installation: 10n ** 24n }
      const bounded = Effect.provideService(look, PolicySettings, {
        ...settings,
        outlay: { local }
      })
      const first = yield* called()
      const all = [first]
      for (let wallet = 0; wallet < 11; wallet++) {
        all.push(yield* calledAfter(first, kept(), Rows.aKeyId()))
      }
      for (let turn = 0; turn < 12; turn++) {
        yield* bounded
        yield* mine(1)
      }
      const { accountUnits } = yield* (yield* Outlay).used("local", "1970-01-01", first.accountId)
      const calls = yield* Effect.forEach(all, callOf)
      const done = calls.filter(({ status }) => status === "final")
      const waiting = calls.filter(({ status }) => status === "prepared")
      assert.isTrue(accountUnits <= cap)
      assert.isAbove(done.length, 0)
      assert.isAbove(waiting.length, 0)
      assert.strictEqual(done.length + waiting.length, all.length)
      for (const { reason } of waiting) assert.match(reason ?? "", /daily limit of network fees/u)
      assert.strictEqual((yield* standingOf(first)).mined <= 1, true)
      yield* Effect.logInfo(
        `12 calls asked for: ${done.length} made, ${accountUnits} of ${cap} wei laid out.`
      )
    })
  )
})
