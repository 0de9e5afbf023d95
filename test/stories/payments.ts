/** Stories of getting paid, told in any world: what a payer does, and what the merchant then sees. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "./scenes.ts"
import type { Story } from "./world.ts"

const usdc = 1_000_000n

export const payments: ReadonlyArray<Story> = [
  {
    title: "a checkout session is paid exactly and the merchant hears of it",
    tell: Effect.fnUntraced(function* (world) {
      const { receiver } = yield* Scene.merchant(world)
      const vault = yield* Scene.vault(world)
      const session = yield* world.calls.create_checkout_session({
        customer: { externalId: vault.externalId },
        amountUsd: 49,
        product: { slug: "pro", name: "Pro plan", externalSkuId: "SKU-1" },
        metadata: { order: 7 }
      })
      assert.strictEqual(session.status, "open")
      assert.strictEqual(session.checkoutUrl, session.paymentUrl)
      const created = yield* Scene.hears(world, receiver, "payment_request.created", session.pid)
      assert.strictEqual(
        (created.data.object as { readonly checkoutUrl?: string }).checkoutUrl,
        session.checkoutUrl
      )
      const txHash = yield* world.pay(vault.address, 49n * usdc)
      yield* Scene.becomes(world, session.pid, "processing")
      yield* Scene.final(world)
      const paid = yield* Scene.becomes(world, session.pid, "paid")
      assert.strictEqual(paid.txHash, txHash)
      assert.strictEqual(paid.amountReceivedSmallestUnit, "49000000")
      assert.strictEqual(paid.settlementIssue, "none")
      assert.deepInclude(paid.metadata, { order: 7, customerExternalId: vault.externalId })
      const event = yield* Scene.hears(world, receiver, "payment_request.paid", session.pid)
      assert.deepInclude(event.data.object, { txHash, amountUsd: "49.00", method: "direct" })
      assert.strictEqual(yield* receiver.rejected, 0)
    })
  },
  {
    title: "a part and a top-up pay a request once",
    tell: Effect.fnUntraced(function* (world) {
      const vault = yield* Scene.vault(world)
      const request = yield* Scene.request(world, vault.walletMappingId, 50)
      yield* world.pay(vault.address, 20n * usdc)
      yield* Scene.final(world)
      const partly = yield* Scene.becomes(world, request.pid, "partially_paid")
      assert.strictEqual(partly.amountRemainingSmallestUnit, "30000000")
      assert.include(partly.qrPayload, "uint256=30000000")
      yield* world.pay(vault.address, 30n * usdc)
      yield* Scene.final(world)
      const paid = yield* Scene.becomes(world, request.pid, "paid")
      assert.strictEqual(paid.attempts.length, 2)
      assert.isTrue(paid.attempts.every((attempt) => attempt.status === "final"))
    })
  },
  {
    title: "too much pays the request and says so",
    tell: Effect.fnUntraced(function* (world) {
      const vault = yield* Scene.vault(world)
      const request = yield* Scene.request(world, vault.walletMappingId, 10)
      yield* world.pay(vault.address, 12n * usdc)
      yield* Scene.final(world)
      const paid = yield* Scene.becomes(world, request.pid, "paid")
      assert.strictEqual(paid.settlementIssue, "overpaid")
      assert.strictEqual(paid.amountReceivedSmallestUnit, "12000000")
    })
  },
  {
    title: "of several requests the only one with the amount is paid",
    tell: Effect.fnUntraced(function* (world) {
      const vault = yield* Scene.vault(world)
      const one = yield* Scene.request(world, vault.walletMappingId, 10)
      const two = yield* Scene.request(world, vault.walletMappingId, 20)
      yield* world.pay(vault.address, 20n * usdc)
      yield* Scene.final(world)
      yield* Scene.becomes(world, two.pid, "paid")
      yield* Scene.staysSo(world, one.pid, "open")
    })
  },
  {
    title: "of two requests of equal amount neither is paid by a direct send",
    tell: Effect.fnUntraced(function* (world) {
      const vault = yield* Scene.vault(world)
      const one = yield* Scene.request(world, vault.walletMappingId, 15)
      const two = yield* Scene.request(world, vault.walletMappingId, 15)
      const txHash = yield* world.pay(vault.address, 15n * usdc)
      yield* Scene.final(world)
      const deposit = yield* world.until(
        "the deposit is listed",
        Effect.map(Scene.depositsOn(world, vault.walletMappingId), (deposits) => deposits[0])
      )
      assert.strictEqual(deposit.settlementIssue, "ambiguous")
      assert.strictEqual(deposit.txHash, txHash)
      assert.sameMembers([...deposit.candidatePids], [one.pid, two.pid])
      yield* Scene.staysSo(world, one.pid, "open")
      yield* Scene.staysSo(world, two.pid, "open")
    })
  },
  {
    title: "dust is a deposit and changes no status",
    tell: Effect.fnUntraced(function* (world) {
      const vault = yield* Scene.vault(world)
      const request = yield* Scene.request(world, vault.walletMappingId, 5)
      yield* world.pay(vault.address, 9_999n)
      yield* Scene.final(world)
      yield* Scene.staysSo(world, request.pid, "open")
      const [deposit] = yield* Scene.depositsOn(world, vault.walletMappingId)
      assert.strictEqual(deposit?.amountSmallestUnit, "9999")
    })
  },
  {
    title: "money nobody asked for is a deposit",
    tell: Effect.fnUntraced(function* (world) {
      const vault = yield* Scene.vault(world)
      yield* world.pay(vault.address, 3n * usdc)
      yield* Scene.final(world)
      yield* world.watched
      const [deposit] = yield* Scene.depositsOn(world, vault.walletMappingId)
      assert.strictEqual(deposit?.settlementIssue, "none")
      assert.strictEqual(deposit?.status, "open")
    })
  },
  {
    title:
      "a reorganisation that drops the payment opens the request again, and mined again it pays once",
    tell: Effect.fnUntraced(function* (world) {
      const { receiver } = yield* Scene.merchant(world)
      const vault = yield* Scene.vault(world)
      const request = yield* Scene.request(world, vault.walletMappingId, 25)
      yield* world.pay(vault.address, 25n * usdc)
      yield* Scene.becomes(world, request.pid, "processing")
      yield* world.reorganise(1, [])
      yield* Scene.becomes(world, request.pid, "open")
      const again = yield* world.pay(vault.address, 25n * usdc)
      yield* Scene.becomes(world, request.pid, "processing")
      yield* world.mine(1)
      yield* world.reorganise(2, [again])
      yield* Scene.final(world)
      const paid = yield* Scene.becomes(world, request.pid, "paid")
      assert.strictEqual(paid.amountReceivedSmallestUnit, "25000000")
      yield* Scene.hears(world, receiver, "payment_request.paid", request.pid)
      const { events } = yield* world.calls.list_events({ paymentRequestPid: request.pid })
      assert.strictEqual(events.filter((each) => each.type === "payment_request.paid").length, 1)
    })
  }
]
