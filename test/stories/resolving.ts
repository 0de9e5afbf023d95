/** Stories of deposits that the merchant resolves: only that makes late or doubtful money count. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Scene from "./scenes.ts"
import type { Story, World } from "./world.ts"

const usdc = 1_000_000n
const day = 86_400

/** A request that expired unpaid, and money that came for it too late. */
const late = Effect.fnUntraced(function* (world: World, amountMicro: bigint) {
  const vault = yield* Scene.vault(world)
  const request = yield* Scene.request(world, vault.walletMappingId, 30, { expiryDays: 1 })
  yield* world.chainTimePasses(day + 60)
  yield* Scene.final(world)
  yield* Scene.becomes(world, request.pid, "expired")
  yield* world.pay(vault.address, amountMicro)
  yield* Scene.final(world)
  yield* world.watched
  const deposit = yield* openDeposit(world, vault.walletMappingId)
  return { vault, request, deposit }
})

/** The newest open deposit on a vault, once its chain is final. */
const openDeposit = (world: World, vaultId: string) =>
  world.until(
    "a deposit is listed",
    Effect.map(
      world.calls.list_deposits({ vaultId, status: "open" }),
      ({ deposits }) => deposits[0]
    )
  )

export const resolving: ReadonlyArray<Story> = [
  {
    title: "late money its merchant accepts pays the request with its event, once",
    tell: Effect.fnUntraced(function* (world) {
      const { receiver } = yield* Scene.merchant(world)
      const { request, deposit } = yield* late(world, 30n * usdc)
      const depositId = deposit.depositId
      const resolved = yield* world.calls.resolve_deposit({ depositId, action: "accept" })
      assert.deepInclude(resolved, {
        status: "resolved",
        resolution: "accepted",
        paymentRequestPid: request.pid,
        paymentRequestStatus: "paid"
      })
      yield* Scene.hears(world, receiver, "payment_request.paid", request.pid)
      const paid = yield* world.calls.get_payment_request({ idOrPid: request.pid })
      assert.strictEqual(paid.amountReceivedSmallestUnit, "30000000")
      assert.isNotNull(paid.paidAt)
      const twice = yield* Scene.refusal(
        world.calls.resolve_deposit({ depositId, action: "ignore" })
      )
      assert.strictEqual(twice.code, "DEPOSIT_NOT_OPEN")
      const { deposits } = yield* world.calls.list_deposits({ status: "resolved" })
      assert.deepEqual(
        deposits.map((each) => each.depositId),
        [depositId]
      )
    })
  },
  {
    title: "late money that is too little leaves the request expired until the rest is accepted",
    tell: Effect.fnUntraced(function* (world) {
      const { vault, request, deposit } = yield* late(world, 10n * usdc)
      const first = yield* world.calls.resolve_deposit({
        depositId: deposit.depositId,
        action: "accept"
      })
      assert.strictEqual(first.paymentRequestStatus, "expired")
      yield* world.pay(vault.address, 20n * usdc)
      yield* Scene.final(world)
      yield* world.watched
      const rest = yield* openDeposit(world, vault.walletMappingId)
      const second = yield* world.calls.resolve_deposit({
        depositId: rest.depositId,
        action: "attach",
        pid: request.pid
      })
      assert.strictEqual(second.paymentRequestStatus, "paid")
    })
  },
  {
    title: "doubtful money is attached to the one request its merchant names, or to none",
    tell: Effect.fnUntraced(function* (world) {
      const vault = yield* Scene.vault(world)
      const one = yield* Scene.request(world, vault.walletMappingId, 30)
      const other = yield* Scene.request(world, vault.walletMappingId, 30)
      yield* world.pay(vault.address, 30n * usdc)
      const seen = yield* openDeposit(world, vault.walletMappingId)
      const early = yield* Scene.refusal(
        world.calls.resolve_deposit({
          depositId: seen.depositId,
          action: "attach",
          pid: one.pid
        })
      )
      assert.strictEqual(early.code, "DEPOSIT_NOT_OPEN")
      yield* Scene.final(world)
      yield* world.watched
      const { depositId } = seen
      const unsure = yield* Scene.refusal(
        world.calls.resolve_deposit({ depositId, action: "accept" })
      )
      assert.strictEqual(unsure.code, "INVALID_REQUEST")
      const foreign = yield* Scene.refusal(
        world.agent.resolve_deposit({ depositId, action: "ignore" })
      )
      assert.strictEqual(foreign.code, "NOT_FOUND")
      const attached = yield* world.calls.resolve_deposit({
        depositId,
        action: "attach",
        pid: one.pid
      })
      assert.strictEqual(attached.paymentRequestStatus, "paid")
      yield* Scene.staysSo(world, other.pid, "open")
      yield* world.pay(vault.address, 7n * usdc)
      yield* Scene.final(world)
      yield* Scene.becomes(world, other.pid, "partially_paid")
    })
  },
  {
    title: "many resolutions of one deposit at once are one",
    tell: Effect.fnUntraced(function* (world) {
      const { request, deposit } = yield* late(world, 30n * usdc)
      const { depositId } = deposit
      const resolutions = yield* Effect.all(
        Array.from({ length: 12 }, (_, n) =>
          Effect.exit(
            world.calls.resolve_deposit({ depositId, action: n % 2 === 0 ? "accept" : "ignore" })
          )
        ),
        { concurrency: "unbounded" }
      )
      assert.lengthOf(
        resolutions.filter(({ _tag }) => _tag === "Success"),
        1
      )
      const { status } = yield* world.calls.get_payment_request({ idOrPid: request.pid })
      assert.include(["paid", "expired"], status)
    })
  }
]
