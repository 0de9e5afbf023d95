/** A limit order between two real chains with Circle's own token: filled by somebody, or taken back and given back. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { PrometheusMetrics } from "effect/observability"
import type { Hex } from "viem"
import { encodeFunctionData, parseAbi } from "viem/utils"
import { created } from "../../adapters/evm/dln/contracts.ts"
import { cancellationOf } from "../../adapters/evm/dln/order.ts"
import { keyOf } from "../../core/chains/address.ts"
import * as Dln from "../../core/chains/dln.ts"
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

const keeping = parseAbi([
  "function setNativeFee(uint88 fee)",
  "function setFees(uint256 fee, uint16 bps)"
])

const fees = (functionName: "setNativeFee" | "setFees", wei: bigint): Hex =>
  functionName === "setNativeFee"
    ? encodeFunctionData({ abi: keeping, functionName, args: [wei] })
    : encodeFunctionData({ abi: keeping, functionName, args: [wei, 0] })

const coinsOf = ({ anvil }: Service.RealBridging["one"], holder: string) =>
  Effect.map(anvil.call("eth_getBalance", holder, "latest"), (wei) => BigInt(String(wei)))

test("an order is taken back where that costs half a coin, and what it cost is told", (service) =>
  Effect.gen(function* () {
    const { call, from, one, orders, other } = service
    orders.faults.isIdle = true
    const half = 5n * 10n ** 17n
    yield* other.send(other.stranger, Dln.destination, fees("setFees", half))
    const proposalId = yield* Service.startBridge(service, "250.00")
    yield* Service.until(
      "it waits for somebody to fill it",
      Effect.map(call("get_proposal", { proposalId }), ({ subStatus }) =>
        subStatus === "fulfilling" ? true : undefined
      )
    )
    yield* call("cancel_proposal", { proposalId })
    const done = yield* Service.endOf(service, proposalId)
    assert.deepInclude(done, { outcome: "refunded", refundedAmount: "250000000" })
    assert.strictEqual(yield* one.balance(from.address), Service.startingMicro)
    const [fee] = done.feesPaid ?? []
    assert.deepInclude(fee as object, { kind: "relayer", symbol: "ETH" })
    assert.isAtLeast(Number(fee?.amount), Number(half))
  }))

test("a fee in coin that was raised after the proposal is not paid, and nothing is ordered", (service) =>
  Effect.gen(function* () {
    const { call, from, one, to, other } = service
    const { proposalId } = yield* call("propose_bridge", {
      fromWalletId: from.id,
      toWalletId: to.id,
      sellTokenAddress: one.usdc,
      buyTokenAddress: other.usdc,
      sellSymbol: "USDC",
      buySymbol: "USDC",
      amountUsd: "250.00"
    })
    yield* one.send(one.stranger, Dln.source, fees("setNativeFee", 10n ** 15n + 1n))
    yield* call("confirm_proposal", { proposalId })
    yield* Service.until(
      "it waits for a lower fee",
      Effect.map(call("get_proposal", { proposalId }), ({ statusReason }) =>
        statusReason?.includes("coins") === true ? true : undefined
      )
    )
    yield* call("cancel_proposal", { proposalId })
    const done = yield* Service.endOf(service, proposalId)
    assert.deepInclude(done, { status: "failed", outcome: "not_executed" })
    assert.strictEqual(yield* one.balance(from.address), Service.startingMicro)
    assert.isBelow(Number(yield* coinsOf(one, from.address)), Number(10n ** 15n))
  }))

test("an order whose way back the treasury cannot pay is not proposed, and the refusal says whom to fund", (service) =>
  Effect.gen(function* () {
    const { other } = service
    yield* other.send(other.stranger, Dln.destination, fees("setFees", 60n * 10n ** 18n))
    const refused = yield* Effect.flip(Service.startBridge(service, "20.00"))
    assert.deepInclude(refused as object, { _tag: "UPSTREAM_UNAVAILABLE" })
    assert.match((refused as Error).message, /too little gas on local-2/u)
  }))

test("an order is not proposed before its contract may take the amount, and the refusal says how", (service) =>
  Effect.gen(function* () {
    const refused = yield* Effect.flip(Service.startBridge(service, "301.00"))
    assert.deepInclude(refused as object, { _tag: "INSUFFICIENT_ALLOWANCE" })
    const { next } = refused as { readonly next: { readonly operation: string } }
    assert.strictEqual(next.operation, "propose_token_approve")
  }))

test("approvals of one wallet for both flows that are confirmed at once come to stand both", (service) =>
  Effect.gen(function* () {
    const { call, from, one } = service
    const subject = { fromWalletId: from.id, tokenAddress: one.usdc }
    const amounts = { intent_swap: "7000000", limit_order_bridge: "3000000" } as const
    const flows = ["intent_swap", "limit_order_bridge"] as const
    const proposals = yield* Effect.forEach(flows, (flow) =>
      call("propose_token_approve", { ...subject, flow, amountSmallestUnit: amounts[flow] })
    )
    yield* Effect.all(
      proposals.map(({ proposalId }) => call("confirm_proposal", { proposalId })),
      { concurrency: "unbounded" }
    )
    for (const { proposalId } of proposals) {
      const { outcome, statusReason } = yield* Service.endOf(service, proposalId)
      assert.strictEqual(outcome, "executed", statusReason ?? "")
    }
    for (const flow of flows) {
      const asked = { ...subject, flow, requiredAmountSmallest: "1" }
      const { allowance } = yield* call("check_allowance", asked)
      assert.strictEqual(String(allowance), amounts[flow])
    }
  }))

/** Starts an order that nobody fills; what takes it back, whoever calls it. */
const waiting = Effect.fnUntraced(function* (service: Service.RealBridging) {
  const { call, from, one, orders } = service
  orders.faults.isIdle = true
  const proposalId = yield* Service.startBridge(service, "250.00")
  yield* Service.until(
    "it waits for somebody to fill it",
    Effect.map(call("get_proposal", { proposalId }), ({ subStatus }) =>
      subStatus === "fulfilling" ? true : undefined
    )
  )
  const logs = yield* one.anvil.call("eth_getLogs", {
    ...{ address: Dln.source, fromBlock: "0x0", toBlock: "latest" }
  })
  const [made] = (logs as ReadonlyArray<unknown>).flatMap(
    (log) => created.in(log, Dln.source) ?? []
  )
  if (made === undefined) return assert.fail("There is no order.")
  const journey = { sender: keyOf("local", from.address) } as never
  const { data } = cancellationOf(made.order, journey, 2n * reward, reward)
  return { proposalId, data }
})

const reward = 10n ** 17n

test("a stranger's cancel is refused and told to the operator, once, and the order goes its way", (service) =>
  Effect.gen(function* () {
    const { call, from, one, other, within } = service
    const { data, proposalId } = yield* waiting(service)
    const tries = Effect.map(
      other.send(other.stranger, Dln.destination, data, 2n * reward),
      ({ isDone }) => isDone
    )
    assert.isFalse(yield* tries)
    const told = /bursar_bridge_refusals_total\{[^}]*BRIDGE_STRANGER_REFUSED[^}]*\} (\d+)\n/u
    const figures = within(PrometheusMetrics.format({ prefix: "bursar" }))
    yield* Service.until(
      "the operator is told",
      Effect.map(figures, (all) => (told.test(all) ? true : undefined))
    )
    assert.isFalse(yield* tries)
    yield* call("cancel_proposal", { proposalId })
    const done = yield* Service.endOf(service, proposalId)
    assert.deepInclude(done, { outcome: "refunded", refundedAmount: "250000000" })
    assert.strictEqual(yield* one.balance(from.address), Service.startingMicro)
    assert.strictEqual(told.exec(yield* figures)?.[1], "1")
    assert.notMatch(
      yield* figures,
      /bursar_bridge_refusals_total\{[^}]*BRIDGE_CANCELLED_ELSEWHERE/u
    )
  }))

test("an order that somebody else takes back is told to the operator and comes back all the same", (service) =>
  Effect.gen(function* () {
    const { from, one, other, to, within } = service
    const { data, proposalId } = yield* waiting(service)
    // As whoever has the wallet's key elsewhere would.
    assert.isTrue((yield* other.send(to.address, Dln.destination, data, 2n * reward)).isDone)
    const done = yield* Service.endOf(service, proposalId)
    assert.deepInclude(done, { outcome: "refunded", refundedAmount: "250000000" })
    assert.strictEqual(yield* one.balance(from.address), Service.startingMicro)
    const figures = yield* within(PrometheusMetrics.format({ prefix: "bursar" }))
    assert.match(
      figures,
      /bursar_bridge_refusals_total\{[^}]*BRIDGE_CANCELLED_ELSEWHERE[^}]*\} 1\n/u
    )
  }))
