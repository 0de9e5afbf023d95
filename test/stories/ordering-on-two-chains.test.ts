/** A limit order between two real chains with Circle's own token: filled by somebody, or taken back and given back. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Service from "../support/real-bridging.ts"

const test = (
  title: string,
  body: (service: Service.RealBridging) => Effect.Effect<void, unknown>
) =>
  it.live(
    title,
    () =>
      Effect.scoped(
        Effect.flatMap(Service.openRealBridging, (service) => {
          // Without attestations nothing is burnt, and orders are the way that is left.
          service.faults.status = 503
          return Effect.andThen(Service.allowOrders(service, "300000000"), body(service))
        })
      ),
    120_000
  )

const stepsOf = ({ steps }: Service.Shown) =>
  steps.map(({ chainId, kind, status }) => `${kind} ${chainId} ${status}`)

test("an order is filled by somebody, and what it asked for arrives in the account's own wallet", (service) =>
  Effect.gen(function* () {
    const { from, one, other, to } = service
    const proposalId = yield* Service.startBridge(service, "250.00")
    const done = yield* Service.endOf(service, proposalId)
    assert.strictEqual(done.outcome, "executed", done.statusReason ?? "")
    assert.deepStrictEqual(stepsOf(done), [
      "order local done",
      "order local done",
      "fulfil local-2 done"
    ])
    const bought = BigInt(done.boughtAmount ?? "0")
    assert.isAtLeast(Number(bought), 249_000_000)
    assert.strictEqual(yield* one.balance(from.address), Service.startingMicro - 250_000_000n)
    assert.strictEqual(yield* other.balance(to.address), bought)
    assert.deepInclude(done.feesPaid ?? [], {
      kind: "protocol",
      symbol: "ETH",
      amount: "1000000000000000",
      amountUsd: null
    })
  }))

test("an order that nobody fills is taken back when asked to stop, and all of it is given back", (service) =>
  Effect.gen(function* () {
    const { call, from, one, orders, other, to } = service
    orders.faults.isIdle = true
    const proposalId = yield* Service.startBridge(service, "250.00")
    yield* Service.until(
      "it waits for somebody to fill it",
      Effect.map(call("get_proposal", { proposalId }), ({ subStatus }) =>
        subStatus === "fulfilling" ? true : undefined
      )
    )
    assert.strictEqual(yield* one.balance(from.address), Service.startingMicro - 250_000_000n)
    const again = yield* Effect.flip(Service.startBridge(service, "20.00"))
    assert.deepInclude(again as object, { _tag: "WALLET_BUSY" })
    yield* call("cancel_proposal", { proposalId })
    const done = yield* Service.endOf(service, proposalId)
    assert.deepInclude(done, {
      status: "failed",
      outcome: "refunded",
      soldAmount: "250000000",
      boughtAmount: "0",
      refundedAmount: "250000000"
    })
    assert.deepStrictEqual(stepsOf(done), [
      "order local done",
      "order local done",
      "fulfil local-2 failed",
      "cancel local-2 done",
      "refund local done"
    ])
    assert.strictEqual(yield* one.balance(from.address), Service.startingMicro)
    assert.strictEqual(yield* other.balance(to.address), 0n)
  }))

test("an order is not proposed before its contract may take the amount, and the refusal says how", (service) =>
  Effect.gen(function* () {
    const refused = yield* Effect.flip(Service.startBridge(service, "301.00"))
    assert.deepInclude(refused as object, { _tag: "INSUFFICIENT_ALLOWANCE" })
    const { next } = refused as { readonly next: { readonly operation: string } }
    assert.strictEqual(next.operation, "propose_token_approve")
  }))
