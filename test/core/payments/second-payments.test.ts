/** Money that repeats a payment, or that comes from the account's own wallets, pays nothing and says what it is. */
import { assert, describe, it, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import { repeated } from "../../../core/payments/reconcile.ts"
import type { PaymentRequest } from "../../../core/payments/request.ts"
import { Transfers } from "../../../core/payments/transfer-store.ts"
import { Events } from "../../../core/webhooks/delivery-store.ts"
import { find } from "../../../core/x402/settlement.ts"
import * as Value from "../../support/chain-values.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"
import * as Rows from "../../support/rows.ts"
import * as Steps from "../../support/settlement-steps.ts"
import * as Stored from "../../support/stored-rows.ts"

describe("Which paid request is repeated", () => {
  const paid = (pid: string, payerAddress: string, at: number) => ({
    pid,
    payerAddress: Value.key(payerAddress),
    paidAt: Rows.at(at)
  })
  const since = Rows.at(100)

  it("is the one its payer paid, or else the only one paid of late, and never a guess", () => {
    const rows: ReadonlyArray<
      readonly [ReadonlyArray<ReturnType<typeof paid>>, string | undefined]
    > = [
      [[], undefined],
      [[paid("a", "ann", 200)], "a"],
      [[paid("a", "bob", 200)], "a"],
      [[paid("a", "bob", 100)], "a"],
      [[paid("a", "bob", 99)], undefined],
      [[paid("a", "ann", 1)], "a"],
      [[paid("a", "ann", 200), paid("b", "bob", 201)], "a"],
      [[paid("a", "ann", 1), paid("b", "bob", 201)], "a"],
      [[paid("a", "bob", 200), paid("b", "cid", 201)], undefined],
      [[paid("a", "ann", 200), paid("b", "ann", 201)], undefined],
      [[paid("a", "ann", 1), paid("b", "ann", 201)], "b"]
    ]
    for (const [alike, pid] of rows)
      assert.strictEqual(repeated(alike, Value.key("ann"), since), pid)
  })
})

const failures = Effect.fnUntraced(function* ({ accountId, pid }: PaymentRequest) {
  const filter = { type: "payment_request.payment_failed", pid } as const
  const { rows } = yield* (yield* Events).list(accountId, filter, { limit: 20 })
  return rows.map(({ body }) => JSON.parse(body).data.object.failure.reason)
})

/** Direct money, watched until it is final. */
const pays = Effect.fnUntraced(function* (to: string, amountMicro: bigint, from: string) {
  const txHash = yield* (yield* ChainScript).pay({ to, amountMicro, from })
  yield* Steps.watch
  yield* Steps.ended
  const [transfer] = yield* (yield* Transfers).ofTransaction("local", Value.transaction(txHash))
  return transfer ?? assert.fail("the transfer is not in the records")
})

const payer = () => Rows.anAddressKey()

layer(memoryTreasury)("A second payment", (it) => {
  it.effect(
    "money of a paid request's amount repeats the one that its payer paid, or the only one paid of late",
    () =>
      Effect.gen(function* () {
        const [ann, bob, cid] = [payer(), payer(), payer()]
        const { request: one, vault } = yield* Steps.aRequest()
        yield* Steps.watch
        yield* pays(vault.address, Steps.amountMicro, ann)
        const first = yield* pays(vault.address, Steps.amountMicro, cid)
        assert.deepInclude(first, { settlementIssue: "duplicate", candidatePids: [one.pid] })
        const { request: two } = yield* Steps.aRequest({}, vault)
        yield* pays(vault.address, Steps.amountMicro, bob)
        assert.strictEqual((yield* Steps.now(two)).status, "paid")
        const byBob = yield* pays(vault.address, Steps.amountMicro, bob)
        assert.deepInclude(byBob, { settlementIssue: "duplicate", candidatePids: [two.pid] })
        const doubtful = yield* pays(vault.address, Steps.amountMicro, cid)
        assert.deepInclude(doubtful, { settlementIssue: "none", candidatePids: [] })
        const other = yield* pays(vault.address, Steps.amountMicro - 1n, bob)
        assert.deepInclude(other, { settlementIssue: "none", candidatePids: [] })
        assert.deepStrictEqual(yield* failures(one), ["already_paid"])
        assert.deepStrictEqual(yield* failures(two), ["already_paid"])
        const { status, receivedMicro } = yield* Steps.now(two)
        assert.deepStrictEqual([status, receivedMicro], ["paid", Steps.amountMicro])
      })
  )

  it.effect("is not told of below the dust bound", () =>
    Effect.gen(function* () {
      const ann = payer()
      const { request, vault } = yield* Steps.aRequest({ amountMicro: 9_999n })
      yield* Steps.watch
      yield* pays(vault.address, 9_999n, ann)
      assert.strictEqual((yield* Steps.now(request)).status, "paid")
      const again = yield* pays(vault.address, 9_999n, ann)
      assert.deepInclude(again, { settlementIssue: "duplicate", candidatePids: [request.pid] })
      assert.deepStrictEqual(yield* failures(request), [])
    })
  )

  it.effect("is late money where a request that ended asks for its amount too", () =>
    Effect.gen(function* () {
      const ann = payer()
      const { request, vault } = yield* Steps.aRequest()
      yield* Steps.watch
      yield* pays(vault.address, Steps.amountMicro, ann)
      const { request: smaller } = yield* Steps.aRequest(
        { status: "cancelled", amountMicro: 1_000_000n },
        vault
      )
      const again = yield* pays(vault.address, Steps.amountMicro, ann)
      assert.deepInclude(again, { settlementIssue: "duplicate", candidatePids: [request.pid] })
      const { request: equal } = yield* Steps.aRequest({ status: "cancelled" }, vault)
      const late = yield* pays(vault.address, Steps.amountMicro, ann)
      assert.deepInclude(late, { settlementIssue: "late", candidatePids: [equal.pid] })
      assert.deepStrictEqual(yield* failures(equal), ["cancelled"])
      assert.deepStrictEqual(yield* failures(smaller), [])
    })
  )

  it.effect("is thought of for thirty days when somebody else sends it", () =>
    Effect.gen(function* () {
      const vault = yield* Stored.vault({ chainId: "local", address: Rows.anAddress() })
      const [ann, bob] = [payer(), payer()]
      const paidAgo = Effect.fnUntraced(function* (over: DateTime.DateTime.PartsForMath) {
        const paidAt = DateTime.subtract(yield* DateTime.now, over)
        const paid = { status: "paid", paidAt, payerAddress: ann } as const
        return yield* Stored.paymentRequest(vault, paid)
      })
      yield* Steps.watch
      const old = yield* paidAgo({ days: 30, seconds: 1 } as never)
      const fromBob = yield* pays(vault.address, 10_000_000n, bob)
      assert.strictEqual(fromBob.settlementIssue, "none")
      const fromAnn = yield* pays(vault.address, 10_000_000n, ann)
      assert.deepStrictEqual(fromAnn.candidatePids, [old.pid])
      const fresh = yield* paidAgo({ days: 29 } as never)
      const again = yield* pays(vault.address, 10_000_000n, bob)
      assert.deepInclude(again, { settlementIssue: "duplicate", candidatePids: [fresh.pid] })
    })
  )
})

layer(memoryTreasury)("An own transfer", (it) => {
  const own = {
    settlementIssue: "none",
    resolution: "own_transfer",
    requestId: null,
    method: "direct",
    candidatePids: []
  } as const

  it.effect(
    "from a wallet of the account counts for nothing, and from another account's pays",
    () =>
      Effect.gen(function* () {
        const { request, vault } = yield* Steps.aRequest()
        yield* Steps.watch
        const wallet = yield* Stored.wallet(vault.accountId, { chainId: "local" })
        const { address } = yield* Stored.vault({ accountId: vault.accountId, chainId: "local" })
        for (const from of [wallet.address, address]) {
          const moved = yield* pays(vault.address, Steps.amountMicro, from.toLowerCase())
          assert.deepInclude(moved, { ...own, candidatePids: [] })
          assert.strictEqual((yield* Steps.now(request)).status, "open")
        }
        const stranger = yield* Stored.wallet((yield* Stored.account()).id, { chainId: "local" })
        yield* pays(vault.address, Steps.amountMicro, stranger.address.toLowerCase())
        assert.strictEqual((yield* Steps.now(request)).status, "paid")
        const again = yield* pays(vault.address, Steps.amountMicro, wallet.address.toLowerCase())
        assert.deepInclude(again, own)
        assert.deepStrictEqual(yield* failures(request), [])
      })
  )

  it.effect("a signature of an own wallet pays no request either, whoever carries it", () =>
    Effect.gen(function* () {
      const { request, vault } = yield* Steps.aRequest()
      const wallet = yield* Stored.wallet(vault.accountId, { chainId: "local" })
      const from = wallet.address.toLowerCase()
      yield* Steps.watch
      const payment = yield* Steps.funded(request, { from: Value.key(from) })
      yield* Steps.paid(request, payment)
      yield* Steps.ended
      const settlement = yield* find(payment.authorization)
      assert.strictEqual(settlement?.outcome, "paid")
      const [transfer] = yield* (yield* Transfers).ofTransaction(
        "local",
        Value.transaction(settlement?.txHash as string)
      )
      assert.deepInclude(transfer, own)
      assert.strictEqual(settlement?.transferId, transfer?.id)
      const { receivedMicro, status } = yield* Steps.now(request)
      assert.deepStrictEqual([status, receivedMicro], ["open", 0n])
    })
  )
})
