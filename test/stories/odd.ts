/** Stories of payments that nobody planned: twice, at once, or of an amount that fits nothing. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "./scenes.ts"
import type { Story, World } from "./world.ts"

const usdc = 1_000_000n

const onlyDeposit = (world: World, vaultId: string) =>
  world.until(
    "one deposit is listed",
    Effect.map(Scene.depositsOn(world, vaultId), (deposits) =>
      deposits.length === 1 ? deposits[0] : undefined
    )
  )

export const odd: ReadonlyArray<Story> = [
  {
    title: "two full payments at once pay a request once, and it says that it got too much",
    tell: Effect.fnUntraced(function* (world) {
      const { receiver } = yield* Scene.merchant(world)
      const vault = yield* Scene.vault(world)
      const request = yield* Scene.request(world, vault.walletMappingId, 10)
      yield* world.pay(vault.address, 10n * usdc)
      yield* world.pay(vault.address, 10n * usdc)
      yield* Scene.final(world)
      const paid = yield* Scene.becomes(world, request.pid, "paid")
      yield* world.watched
      const now = yield* world.calls.get_payment_request({ idOrPid: request.pid })
      assert.deepInclude(now, {
        settlementIssue: "overpaid",
        amountReceivedSmallestUnit: "20000000",
        paidAt: paid.paidAt
      })
      assert.lengthOf(now.attempts, 2)
      yield* Scene.hears(world, receiver, "payment_request.paid", request.pid)
      const { events } = yield* world.calls.list_events({ paymentRequestPid: request.pid })
      assert.lengthOf(
        events.filter((each) => each.type === "payment_request.paid"),
        1
      )
    })
  },
  {
    title: "the same amount sent again after a request is paid is a deposit",
    tell: Effect.fnUntraced(function* (world) {
      const vault = yield* Scene.vault(world)
      const request = yield* Scene.request(world, vault.walletMappingId, 10)
      yield* world.pay(vault.address, 10n * usdc)
      yield* Scene.final(world)
      yield* Scene.becomes(world, request.pid, "paid")
      const again = yield* world.pay(vault.address, 10n * usdc)
      yield* Scene.final(world)
      const deposit = yield* onlyDeposit(world, vault.walletMappingId)
      assert.deepInclude(deposit, { txHash: again, settlementIssue: "none" })
      const now = yield* world.calls.get_payment_request({ idOrPid: request.pid })
      assert.deepInclude(now, { settlementIssue: "none", amountReceivedSmallestUnit: "10000000" })
    })
  },
  {
    title: "an amount that fits none of several requests is a deposit, and names them all",
    tell: Effect.fnUntraced(function* (world) {
      const vault = yield* Scene.vault(world)
      const one = yield* Scene.request(world, vault.walletMappingId, 10)
      const two = yield* Scene.request(world, vault.walletMappingId, 20)
      yield* world.pay(vault.address, 13n * usdc)
      yield* Scene.final(world)
      const deposit = yield* onlyDeposit(world, vault.walletMappingId)
      assert.strictEqual(deposit.settlementIssue, "ambiguous")
      assert.sameMembers([...deposit.candidatePids], [one.pid, two.pid])
      yield* Scene.staysSo(world, one.pid, "open")
      yield* Scene.staysSo(world, two.pid, "open")
    })
  }
]
