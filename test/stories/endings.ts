/** Stories of requests that end without being paid, told in any world. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "./scenes.ts"
import type { Story } from "./world.ts"

const usdc = 1_000_000n
const day = 86_400

export const endings: ReadonlyArray<Story> = [
  {
    title: "an unpaid request expires, and money that comes later is rejected with an event",
    tell: Effect.fnUntraced(function* (world) {
      const { receiver } = yield* Scene.merchant(world)
      const vault = yield* Scene.vault(world)
      const request = yield* Scene.request(world, vault.walletMappingId, 30, { expiryDays: 1 })
      yield* world.chainTimePasses(day + 60)
      yield* Scene.final(world)
      yield* Scene.becomes(world, request.pid, "expired")
      yield* Scene.hears(world, receiver, "payment_request.expired", request.pid)
      yield* world.pay(vault.address, 30n * usdc)
      yield* Scene.final(world)
      const failed = yield* Scene.hears(
        world,
        receiver,
        "payment_request.payment_failed",
        request.pid
      )
      assert.deepInclude(failed.data.object, { failure: { reason: "expired", method: "direct" } })
      yield* Scene.staysSo(world, request.pid, "expired")
      const [deposit] = yield* Scene.depositsOn(world, vault.walletMappingId)
      assert.strictEqual(deposit?.settlementIssue, "late")
      assert.deepEqual(deposit?.candidatePids, [request.pid])
    })
  },
  {
    title:
      "late money below the dust bound is a deposit without an event, and from the bound on with one",
    tell: Effect.fnUntraced(function* (world) {
      const vault = yield* Scene.vault(world)
      const request = yield* Scene.request(world, vault.walletMappingId, 30, { expiryDays: 1 })
      yield* world.chainTimePasses(day + 60)
      yield* Scene.final(world)
      yield* Scene.becomes(world, request.pid, "expired")
      const failures = Effect.map(
        world.calls.list_events({ paymentRequestPid: request.pid }),
        ({ events }) => events.filter(({ type }) => type === "payment_request.payment_failed")
      )
      for (const [amountMicro, told] of [
        [9_999n, 0],
        [10_000n, 1]
      ] as const) {
        yield* world.pay(vault.address, amountMicro)
        yield* Scene.final(world)
        yield* world.watched
        const [deposit] = yield* Scene.depositsOn(world, vault.walletMappingId)
        assert.deepInclude(deposit, {
          amountSmallestUnit: `${amountMicro}`,
          settlementIssue: "late",
          candidatePids: [request.pid]
        })
        assert.lengthOf(yield* failures, told)
      }
    })
  },
  {
    title: "a half paid request expires underpaid and its money stands as a deposit",
    tell: Effect.fnUntraced(function* (world) {
      const vault = yield* Scene.vault(world)
      const request = yield* Scene.request(world, vault.walletMappingId, 30, { expiryDays: 1 })
      yield* world.pay(vault.address, 10n * usdc)
      yield* Scene.final(world)
      yield* Scene.becomes(world, request.pid, "partially_paid")
      yield* world.chainTimePasses(day + 60)
      yield* Scene.final(world)
      const expired = yield* Scene.becomes(world, request.pid, "expired")
      assert.strictEqual(expired.settlementIssue, "underpaid")
      const [deposit] = yield* Scene.depositsOn(world, vault.walletMappingId)
      assert.strictEqual(deposit?.settlementIssue, "underpaid")
      assert.strictEqual(deposit?.amountSmallestUnit, "10000000")
    })
  },
  {
    title: "what a request that expired half paid has received is shown once, wherever it counts",
    tell: Effect.fnUntraced(function* (world) {
      const { calls } = world
      const vault = yield* Scene.vault(world)
      const vaultId = vault.walletMappingId
      const dated = yield* Scene.request(world, vaultId, 30, { expiryDays: 1 })
      for (const part of [4n, 5n, 6n]) {
        yield* world.pay(vault.address, part * usdc)
        yield* Scene.final(world)
        yield* world.watched
      }
      yield* world.chainTimePasses(day + 60)
      yield* Scene.final(world)
      yield* Scene.becomes(world, dated.pid, "expired")
      const amounts = (pid: string) =>
        Effect.map(calls.get_payment_request({ idOrPid: pid }), (shown) => [
          shown.amountReceivedSmallestUnit,
          shown.amountRemainingSmallestUnit
        ])
      assert.deepStrictEqual(yield* amounts(dated.pid), ["15000000", "15000000"])
      yield* world.pay(vault.address, 2n * usdc)
      yield* Scene.final(world)
      yield* world.watched
      const request = yield* Scene.request(world, vaultId, 30)
      const deposits = yield* Scene.depositsOn(world, vaultId)
      const resolve = (amount: string, action: "accept" | "attach" | "ignore") => {
        const depositId =
          deposits.find((each) => each.amountSmallestUnit === amount)?.depositId ?? ""
        const pid = action === "attach" ? { pid: request.pid } : {}
        return calls.resolve_deposit({ depositId, action, ...pid })
      }
      yield* resolve("4000000", "attach")
      assert.deepStrictEqual(yield* amounts(dated.pid), ["11000000", "19000000"])
      assert.deepStrictEqual(yield* amounts(request.pid), ["4000000", "26000000"])
      yield* resolve("5000000", "accept")
      assert.deepStrictEqual(yield* amounts(dated.pid), ["11000000", "19000000"])
      yield* resolve("6000000", "ignore")
      assert.deepStrictEqual(yield* amounts(dated.pid), ["5000000", "25000000"])
      yield* resolve("2000000", "accept")
      assert.deepStrictEqual(yield* amounts(dated.pid), ["7000000", "23000000"])
    })
  },
  {
    title: "a half paid request is given more time, and a top-up in that time pays it",
    tell: Effect.fnUntraced(function* (world) {
      const { receiver } = yield* Scene.merchant(world)
      const vault = yield* Scene.vault(world)
      const request = yield* Scene.request(world, vault.walletMappingId, 30, { expiryDays: 1 })
      const extend = world.calls.extend_payment_request({ idOrPid: request.pid, expiryDays: 3 })
      yield* world.pay(vault.address, 10n * usdc)
      yield* Scene.becomes(world, request.pid, "processing")
      assert.strictEqual((yield* Scene.refusal(extend)).code, "ALREADY_SETTLED")
      yield* Scene.final(world)
      yield* Scene.becomes(world, request.pid, "partially_paid")
      const extended = yield* extend
      assert.deepInclude(extended, {
        status: "partially_paid",
        amountReceivedSmallestUnit: "10000000",
        amountRemainingSmallestUnit: "20000000",
        qrPayload: (yield* world.calls.get_payment_request({ idOrPid: request.pid })).qrPayload
      })
      assert.isAbove(Date.parse(extended.expiresAt), Date.parse(request.expiresAt))
      yield* world.chainTimePasses(day + 60)
      yield* Scene.final(world)
      yield* world.watched
      yield* Scene.staysSo(world, request.pid, "partially_paid")
      yield* world.pay(vault.address, 20n * usdc)
      yield* Scene.final(world)
      yield* Scene.becomes(world, request.pid, "paid")
      const paid = yield* Scene.hears(world, receiver, "payment_request.paid", request.pid)
      // The vault is a customer's, though the request was not opened for a checkout.
      const customer = { externalId: vault.externalId, namespace: "default" }
      assert.deepInclude(paid.data.object, { customer })
      assert.strictEqual((yield* Scene.refusal(extend)).code, "ALREADY_SETTLED")
    })
  },
  {
    title: "money that came in time is never expired while the chain cannot be read",
    tell: Effect.fnUntraced(function* (world) {
      const vault = yield* Scene.vault(world)
      const request = yield* Scene.request(world, vault.walletMappingId, 30, { expiryDays: 1 })
      yield* world.watched
      yield* world.chainAway(true)
      yield* world.pay(vault.address, 30n * usdc)
      yield* world.chainTimePasses(day + 60)
      yield* Scene.final(world)
      const before = yield* world.calls.get_payment_request({ idOrPid: request.pid })
      assert.strictEqual(before.status, "open")
      yield* world.chainAway(false)
      yield* Scene.becomes(world, request.pid, "paid")
    })
  },
  {
    title: "a cancelled request takes no money, and money in flight cannot be cancelled away",
    tell: Effect.fnUntraced(function* (world) {
      const { receiver } = yield* Scene.merchant(world)
      const vault = yield* Scene.vault(world)
      const request = yield* Scene.request(world, vault.walletMappingId, 8)
      yield* world.calls.cancel_payment_request({ idOrPid: request.id })
      const twice = yield* Scene.refusal(
        world.calls.cancel_payment_request({ idOrPid: request.pid })
      )
      assert.strictEqual(twice.code, "PAYMENT_REQUEST_NOT_OPEN")
      assert.strictEqual(twice.outcome, "not_executed")
      yield* world.pay(vault.address, 8n * usdc)
      yield* Scene.final(world)
      const failed = yield* Scene.hears(
        world,
        receiver,
        "payment_request.payment_failed",
        request.pid
      )
      assert.deepInclude(failed.data.object, { failure: { reason: "cancelled", method: "direct" } })
      const other = yield* Scene.request(world, vault.walletMappingId, 9)
      yield* world.pay(vault.address, 9n * usdc)
      yield* Scene.becomes(world, other.pid, "processing")
      const refused = yield* Scene.refusal(
        world.calls.cancel_payment_request({ idOrPid: other.pid })
      )
      assert.strictEqual(refused.code, "ALREADY_SETTLED")
    })
  },
  {
    title: "an extended request lives on past its first expiry",
    tell: Effect.fnUntraced(function* (world) {
      const vault = yield* Scene.vault(world)
      const request = yield* Scene.request(world, vault.walletMappingId, 11, { expiryDays: 1 })
      const extended = yield* world.calls.extend_payment_request({
        idOrPid: request.pid,
        expiryDays: 30
      })
      assert.isAbove(Date.parse(extended.expiresAt), Date.parse(request.expiresAt))
      yield* world.chainTimePasses(2 * day)
      yield* Scene.final(world)
      yield* Scene.staysSo(world, request.pid, "open")
      yield* world.pay(vault.address, 11n * usdc)
      yield* Scene.final(world)
      yield* Scene.becomes(world, request.pid, "paid")
    })
  }
]
