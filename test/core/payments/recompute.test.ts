/** What transfers and settlements add up to, row by row; and what no reorganisation and no credit changes. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Audit } from "../../../core/audit/audit-store.ts"
import type { TransactionId } from "../../../core/chains/address.ts"
import * as Usdc from "../../../core/money/usdc.ts"
import { received, recomputed, recomputeRequest } from "../../../core/payments/recompute.ts"
import type { PaymentRequest } from "../../../core/payments/request.ts"
import { PaymentRequests } from "../../../core/payments/request-store.ts"
import type { Transfer } from "../../../core/payments/transfer.ts"
import { Transfers } from "../../../core/payments/transfer-store.ts"
import { view } from "../../../core/payments/view.ts"
import { Notifier } from "../../../core/ports/notifier.ts"
import type { Submission } from "../../../core/submissions/submission.ts"
import type { Wallet } from "../../../core/wallets/wallet.ts"
import { Events } from "../../../core/webhooks/delivery-store.ts"
import { find, type Settlement, settlementOf } from "../../../core/x402/settlement.ts"
import * as Value from "../../support/chain-values.ts"
import * as Rows from "../../support/rows.ts"
import { anAuthorization, aSettlement, open } from "../../support/settlement-rows.ts"
import * as Stored from "../../support/stored-rows.ts"
import { begin, sees, twoChains, usdcOn } from "../../support/two-chains.ts"

const vault = Rows.aVault("account")
const request = Rows.aPaymentRequest(vault)
const final = (over: Partial<Transfer> = {}) =>
  Rows.aTransfer(vault, { state: "final", amountMicro: 4n, ...over })
const signed = (amountMicro: bigint, over: Partial<Settlement> = {}): Settlement => {
  const { accountId, id, pid } = request
  const subject = { _tag: "payment_request", accountId, requestId: id, pid } as const
  const submission = aSettlement(subject, {}, anAuthorization({ amountMicro }))
  return { ...settlementOf(submission), ...over }
}

describe("What a request has received", () => {
  it("is final money, and beside it what was seen and what was signed, each counted once", () => {
    const [seen, gone] = [final({ state: "seen" }), final({ state: "reorged" })]
    const own = final()
    const sums = (transfers: ReadonlyArray<Transfer>, settlements: ReadonlyArray<Settlement>) => {
      const { finalMicro, inFlightMicro } = received(transfers, settlements)
      return [finalMicro, inFlightMicro]
    }
    assert.deepStrictEqual(sums([own, seen, gone], []), [4n, 4n])
    assert.deepStrictEqual(sums([], [signed(9n)]), [0n, 9n])
    // Its transfer stands among the request's, seen or final.
    assert.deepStrictEqual(sums([own], [signed(4n, { transferId: own.id })]), [4n, 0n])
    assert.deepStrictEqual(sums([seen], [signed(4n, { transferId: seen.id })]), [0n, 4n])
    // Its transfer was dropped, or is another's: the signature may still bring it.
    assert.deepStrictEqual(sums([gone], [signed(4n, { transferId: gone.id })]), [0n, 4n])
    assert.deepStrictEqual(sums([own], [signed(9n, { transferId: "other" })]), [4n, 9n])
    // Paid for good: it is on its way only until the watcher has come to it.
    const paid = { outcome: "paid" } as const
    assert.deepStrictEqual(sums([], [signed(9n, paid)]), [0n, 9n])
    assert.deepStrictEqual(sums([gone], [signed(9n, { ...paid, transferId: gone.id })]), [0n, 0n])
    assert.deepStrictEqual(sums([own], [signed(9n, { ...paid, transferId: own.id })]), [4n, 0n])
  })

  it("is known to have come or been signed for, whatever has become of it", () => {
    const at = Rows.at(7)
    assert.isFalse(recomputed(request, [], at).wasAttempted)
    const dropped = recomputed(request, [final({ state: "reorged" })], at)
    assert.isTrue(dropped.wasAttempted)
    assert.isTrue(recomputed(dropped, [], at).wasAttempted)
    assert.isTrue(recomputed(request, [], at, [signed(9n)]).wasAttempted)
  })

  it("is shown with the newest transaction that stands, and with a time once it is paid", () => {
    const at = Rows.at(7)
    const first = final({ amountMicro: Usdc.make(4_000_000n) })
    const half = recomputed(request, [first, final({ state: "reorged" })], at)
    assert.deepInclude(half, {
      status: "partially_paid",
      txHash: first.txHash,
      payerAddress: first.payerAddress,
      method: "direct",
      paidAt: null,
      settlementIssue: "none"
    })
    const none = recomputed(request, [final({ state: "reorged" })], at)
    assert.deepInclude(none, {
      status: "open",
      txHash: null,
      payerAddress: null,
      method: null,
      paidAt: null
    })
    const rest = final({ amountMicro: Usdc.make(7_000_000n), method: "x402" })
    const whole = recomputed(request, [first, rest], at)
    assert.deepInclude(whole, {
      status: "paid",
      txHash: rest.txHash,
      method: "x402",
      paidAt: at,
      settlementIssue: "overpaid"
    })
  })
})

/** A request on a vault of the first chain, or of the second. */
const world = Effect.fnUntraced(function* (chainId: "local" | "base" = "local") {
  yield* begin
  const onVault = yield* Stored.vault({ chainId, address: Rows.anAddress() })
  const over = { expiresAt: Rows.at(1e6) }
  const row = yield* Stored.paymentRequest(onVault, over)
  const again = Effect.map(
    Effect.flatMap(PaymentRequests, ({ find }) => find(row.accountId, row.id)),
    (found) => found as PaymentRequest
  )
  const payment = (change: { readonly signedAs?: string } = {}) => ({
    txHash: Rows.aTxHash(),
    from: Rows.anAddressKey(),
    to: Value.key(onVault.address),
    amountMicro: row.amountMicro,
    ...change
  })
  return { again, chainId, onVault, payment, row }
})

const whatCame = (chainId: string, txHash: TransactionId) =>
  Effect.flatMap(Transfers, (transfers) =>
    Effect.map(transfers.ofTransaction(chainId, txHash), ([first]) => first as Transfer)
  )

const eventsOf = ({ accountId, pid }: PaymentRequest) =>
  Effect.flatMap(Events, (events) =>
    Effect.map(events.list(accountId, { pid }, { limit: 9 }), ({ rows }) =>
      rows.map(({ type }) => type)
    )
  )

layer(twoChains)("A request that is paid in part", (it) => {
  it.effect("says so once in the audit log, however often it is looked at again", () =>
    Effect.gen(function* () {
      const { again, chainId, payment, row } = yield* world()
      const amountMicro = Usdc.make(row.amountMicro - 1n)
      const tip = yield* sees(chainId, { transfers: [{ ...payment(), amountMicro }] })
      yield* sees(chainId, { transfers: [], finalNumber: tip })
      const before = yield* again
      yield* recomputeRequest(row.id)
      assert.deepStrictEqual(yield* again, before)
      const { rows } = yield* (yield* Audit).list(
        row.accountId,
        { limit: 9 },
        { subjectId: row.id }
      )
      const said = rows.filter(({ action }) => action === "payment_request.partially_paid")
      assert.deepStrictEqual(
        said.map(({ facts, subjectType }) => ({ facts, subjectType })),
        [
          {
            facts: { pid: row.pid, from: "processing", received: String(amountMicro) },
            subjectType: "payment_request"
          }
        ]
      )
    })
  )
})

/** What counts for a request and is final, beside what the chain showed: as a merchant's word makes it. */
const credits = Effect.fnUntraced(function* (
  onVault: Wallet,
  { id }: PaymentRequest,
  amountMicro: bigint
) {
  const got = { state: "final", requestId: id, resolution: "attached", blockNumber: 1e6 } as const
  const transfer = Rows.aTransfer(onVault, { ...got, amountMicro })
  yield* (yield* Transfers).record(transfer)
  yield* recomputeRequest(id)
  return transfer
})

layer(twoChains)("What more is credited to a request", (it) => {
  it.effect("counts though its status stays, and those who show it hear of that", () =>
    Effect.gen(function* () {
      const { again, onVault, row } = yield* world()
      const told: Array<string> = []
      const notifier = yield* Notifier
      const signal: typeof notifier.signal = (topic, subject) => {
        told.push(topic)
        return notifier.signal(topic, subject)
      }
      yield* Effect.provideService(
        Effect.gen(function* () {
          yield* credits(onVault, row, 4n)
          assert.deepInclude(yield* again, {
            status: "partially_paid",
            receivedMicro: Usdc.make(4n)
          })
          yield* credits(onVault, row, 3n)
          assert.deepInclude(yield* again, {
            status: "partially_paid",
            receivedMicro: Usdc.make(7n)
          })
        }),
        Notifier,
        { ...notifier, signal }
      )
      assert.lengthOf(
        told.filter((topic) => topic === "requests"),
        2
      )
    })
  )

  it.effect("is too much once it is paid, and nothing more once that is dropped", () =>
    Effect.gen(function* () {
      const { again, chainId, onVault, row } = yield* world()
      const { txHash } = yield* credits(onVault, row, row.amountMicro)
      const paid = yield* again
      assert.deepInclude(paid, { status: "paid", settlementIssue: "none", txHash })
      yield* TestClock.adjust("1 second")
      yield* recomputeRequest(row.id)
      assert.deepStrictEqual(yield* again, paid)
      yield* Effect.asVoid(
        (yield* Transfers).record(
          Rows.aTransfer(onVault, {
            state: "final",
            requestId: row.id,
            amountMicro: 5n,
            blockNumber: 2e6
          })
        )
      )
      yield* recomputeRequest(row.id)
      const more = {
        receivedMicro: Usdc.make(row.amountMicro + 5n),
        settlementIssue: "overpaid"
      } as const
      assert.deepInclude(yield* again, { ...more, txHash, paidAt: paid.paidAt })
      yield* (yield* Transfers).markReorged(chainId, 1e6, 9)
      yield* recomputeRequest(row.id)
      const exact = { receivedMicro: row.amountMicro, settlementIssue: "none" } as const
      assert.deepInclude(yield* again, { ...exact, txHash, paidAt: paid.paidAt })
    })
  )
})

layer(twoChains)("A request that is settled", (it) => {
  it.effect("stays paid as it was when its money is reorganised away past finality", () =>
    Effect.gen(function* () {
      const { again, chainId, payment, row } = yield* world()
      const tip = yield* sees(chainId, { transfers: [payment()] })
      yield* sees(chainId, { transfers: [], finalNumber: tip })
      const paid = yield* again
      assert.strictEqual(paid.status, "paid")
      yield* sees(chainId, { commonNumber: tip - 1, transfers: [] })
      assert.deepStrictEqual(yield* again, paid)
      yield* recomputeRequest(row.id)
      assert.deepStrictEqual(yield* again, paid)
      assert.deepStrictEqual(yield* eventsOf(row), ["payment_request.paid"])
    })
  )

  it.effect("shows no payer but the attempt when the money that was seen is dropped", () =>
    Effect.gen(function* () {
      const { again, chainId, payment } = yield* world()
      const coming = payment()
      const tip = yield* sees(chainId, { transfers: [coming] })
      const seen = { status: "processing", txHash: coming.txHash, paidAt: null } as const
      const credited = { settlementIssue: "none", candidatePids: [], method: "direct" } as const
      assert.deepInclude(yield* whatCame(chainId, coming.txHash), credited)
      assert.deepInclude(yield* again, { ...seen, payerAddress: coming.from })
      assert.isTrue((yield* again).wasAttempted)
      yield* sees(chainId, { commonNumber: tip - 1, transfers: [] })
      const { attempts } = yield* view(yield* again)
      assert.deepStrictEqual(
        attempts.map(({ status, txHash }) => ({ status, txHash })),
        [{ status: "reorged", txHash: coming.txHash }]
      )
      const nothing = { txHash: null, payerAddress: null, method: null, paidAt: null } as const
      assert.deepInclude(yield* again, { status: "open", ...nothing })
    })
  )

  it.effect("that was cancelled or has expired stays so, whatever is credited or dropped", () =>
    Effect.gen(function* () {
      for (const status of ["cancelled", "expired"] as const) {
        const { again, onVault, row } = yield* world()
        yield* (yield* PaymentRequests).settle({
          ...row,
          status,
          receivedMicro: Usdc.make(4_000_000n)
        })
        const before = yield* again
        const got = { state: "final", requestId: row.id, resolution: "accepted" } as const
        const whole = Rows.aTransfer(onVault, got)
        yield* (yield* Transfers).record(whole)
        yield* recomputeRequest(row.id)
        assert.deepStrictEqual(yield* again, before)
      }
    })
  )
})

/** A settlement that waits for its money to come, under the token of the request's own chain. */
const signedFor = Effect.fnUntraced(function* (
  { accountId, amountMicro, chainId, id, pid }: PaymentRequest,
  over: Partial<Submission> = {}
) {
  const subject = { _tag: "payment_request", accountId, requestId: id, pid } as const
  const token = yield* usdcOn(chainId)
  const authorization = anAuthorization({ chainId, token, amountMicro })
  const submission = aSettlement(subject, over, authorization)
  yield* open(submission)
  const settlement = settlementOf(submission)
  const { from, nonce } = authorization
  return { from: Value.key(from), signedAs: nonce, settlement }
})

layer(twoChains)("Money that was signed for a request", (it) => {
  it.effect("pays that one on whichever chain it is, beside a twin", () =>
    Effect.gen(function* () {
      for (const chain of ["local", "base"] as const) {
        const { chainId, onVault, payment, row } = yield* world(chain)
        yield* Stored.paymentRequest(onVault, { expiresAt: Rows.at(1e6) })
        const { signedAs, from, settlement } = yield* signedFor(row)
        const { txHash, ...rest } = payment({ signedAs })
        yield* sees(chainId, { transfers: [{ ...rest, txHash, from }] })
        const transfer = yield* whatCame(chainId, txHash)
        const credited = { requestId: row.id, settlementIssue: "none", candidatePids: [] } as const
        assert.deepInclude(transfer, { ...credited, method: "x402" })
        const known = yield* find(settlement.authorization)
        assert.strictEqual(known?.transferId, transfer.id)
      }
    })
  )

  it.effect("counts by the rule alone where it came to another vault", () =>
    Effect.gen(function* () {
      const { chainId, onVault, payment, row } = yield* world()
      const { signedAs, from, settlement } = yield* signedFor(row)
      const elsewhere = yield* Stored.vault({ accountId: onVault.accountId, chainId })
      const { txHash, ...rest } = payment({ signedAs })
      const to = Value.key(elsewhere.address)
      yield* sees(chainId, { transfers: [{ ...rest, txHash, from, to }] })
      const stray = yield* whatCame(chainId, txHash)
      assert.deepInclude(stray, { requestId: null, settlementIssue: "none", method: "direct" })
      const known = yield* find(settlement.authorization)
      assert.isNull(known?.transferId)
    })
  )

  it.effect("is late for a request that ended, and more than enough for one that is paid", () =>
    Effect.gen(function* () {
      for (const status of ["cancelled", "expired", "paid"] as const) {
        const { again, chainId, payment, row } = yield* world()
        const { signedAs, from } = yield* signedFor(row, { status: "failed" })
        if (status === "paid") {
          const tip = yield* sees(chainId, { transfers: [payment()] })
          yield* sees(chainId, { transfers: [], finalNumber: tip })
        } else {
          yield* (yield* PaymentRequests).settle({ ...row, status })
        }
        assert.strictEqual((yield* again).status, status)
        const { txHash, ...rest } = payment({ signedAs })
        const tip = yield* sees(chainId, { transfers: [{ ...rest, txHash, from }] })
        yield* sees(chainId, { transfers: [], finalNumber: tip })
        const transfer = yield* whatCame(chainId, txHash)
        if (status === "paid") {
          assert.deepInclude(transfer, { requestId: row.id, method: "x402" })
          assert.deepInclude(yield* again, { status, settlementIssue: "overpaid" })
        } else {
          assert.deepInclude(transfer, { requestId: null, settlementIssue: "late" })
          assert.deepInclude(yield* again, { status, receivedMicro: Usdc.zero })
        }
      }
    })
  )
})
