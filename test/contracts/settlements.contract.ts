/** What every store of settlements must do: bind an authorization once, hand it out in turn, keep what was signed. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import type { PaymentRequests } from "../../core/payments/request-store.ts"
import { Transfers } from "../../core/payments/transfer-store.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { Executions } from "../../core/submissions/execution-store.ts"
import { keyOf, type Settlement } from "../../core/submissions/settlement.ts"
import { Settlements } from "../../core/submissions/settlement-store.ts"
import type { Wallets } from "../../core/wallets/wallet-store.ts"
import * as Rows from "../support/rows.ts"
import * as SendingRows from "../support/sending-rows.ts"
import { aRequest, aSettlement, asFailed, claimAt, emptyQueue } from "../support/settlement-rows.ts"

type Stores =
  | Settlements
  | PaymentRequests
  | Transfers
  | Executions
  | Wallets
  | Accounts
  | Atomically

const onboarding = { _tag: "onboarding", plan: "startup", facts: { email: "a@b.example" } } as const

const carried = (settlement: Settlement): Settlement => ({
  ...settlement,
  step: "wrapped",
  relayer: Rows.anAddress(),
  relayerNonce: 7,
  carriers: [
    SendingRows.aCarrier({ maxFeePerGas: 123_456_789_012_345_678_901n, at: Rows.at(1.001) })
  ]
})

export const suite = (name: string, books: Layer.Layer<Stores>) => {
  bindingSuite(name, books)
  queueSuite(name, books)
}

const bindingSuite = (name: string, books: Layer.Layer<Stores>) =>
  layer(books)(`${name}: settlements, what is bound`, (it) => {
    it.effect("an authorization is bound once, whatever it is to pay for then", () =>
      Effect.gen(function* () {
        const settlements = yield* Settlements
        const { subject } = yield* aRequest
        const settlement = aSettlement(subject)
        assert.isUndefined(yield* settlements.find(keyOf(settlement)))
        const copies = Array.from({ length: 64 }, (_, at) => ({
          ...settlement,
          id: Rows.anId(),
          subject: at % 2 === 0 ? subject : onboarding
        }))
        const opened = yield* Effect.all(copies.map(settlements.open), { concurrency: "unbounded" })
        assert.lengthOf(opened.filter(Boolean), 1)
        const kept = yield* settlements.find(keyOf(settlement))
        assert.deepStrictEqual(kept, copies[opened.indexOf(true)])
        const { authorization } = settlement
        const other = { ...authorization, nonce: Rows.aTxHash() }
        assert.isTrue(yield* settlements.open(aSettlement(subject, { authorization: other })))
      })
    )

    it.effect("every kind of subject is read back as it was written", () =>
      Effect.gen(function* () {
        const settlements = yield* Settlements
        const { vault } = yield* aRequest
        const renewal = { _tag: "renewal", accountId: vault.accountId, plan: "personal" } as const
        for (const subject of [onboarding, renewal]) {
          const settlement = aSettlement(subject)
          const { validAfter: _, ...authorization } = settlement.authorization
          const plain = { ...settlement, authorization }
          assert.isTrue(yield* settlements.open(plain))
          assert.deepStrictEqual(yield* settlements.find(keyOf(plain)), plain)
        }
      })
    )

    it.effect("it is opened with its transaction or not at all", () =>
      Effect.gen(function* () {
        const settlements = yield* Settlements
        const { run } = yield* Atomically
        const settlement = aSettlement(onboarding)
        yield* Effect.flip(run(Effect.andThen(settlements.open(settlement), Effect.fail("no"))))
        assert.isUndefined(yield* settlements.find(keyOf(settlement)))
        assert.isTrue(yield* settlements.open(settlement))
      })
    )

    it.effect("a payment that was turned down is told once, and so many of a request at most", () =>
      Effect.gen(function* () {
        const settlements = yield* Settlements
        const { request } = yield* aRequest
        const turned = (digest = Rows.aDigest(), of = request) => ({
          accountId: of.accountId,
          requestId: of.id,
          digest,
          at: Rows.at(0)
        })
        const one = Rows.aDigest()
        const copies = Array.from({ length: 16 }, () => settlements.rejectPayment(turned(one), 3))
        const told = yield* Effect.all(copies, { concurrency: "unbounded" })
        assert.lengthOf(told.filter(Boolean), 1)
        const others = yield* Effect.forEach([1, 2, 3, 4], () =>
          settlements.rejectPayment(turned(), 3)
        )
        assert.deepStrictEqual(others, [true, true, false, false])
        const elsewhere = (yield* aRequest).request
        assert.isTrue(yield* settlements.rejectPayment(turned(one, elsewhere), 3))
      })
    )

    it.effect("those of a request stand until they fail, with the transfer they became", () =>
      Effect.gen(function* () {
        const settlements = yield* Settlements
        yield* emptyQueue
        const { request, subject, vault } = yield* aRequest
        const one = aSettlement(subject)
        const two = aSettlement(subject, { createdAt: Rows.at(1), nextLookAt: Rows.at(900) })
        yield* settlements.open(one)
        yield* settlements.open(two)
        yield* settlements.open(aSettlement((yield* aRequest).subject))
        assert.deepStrictEqual(yield* settlements.standing([request.id]), [one, two])
        const transfer = Rows.aTransfer(vault)
        yield* (yield* Transfers).record(transfer)
        yield* settlements.attach(two.id, transfer.id)
        const claimed = (yield* claimAt(0)).find(({ settlement }) => settlement.id === one.id)
        if (claimed === undefined) return assert.fail("nothing claimed")
        assert.isTrue(yield* settlements.conclude(claimed.lease, asFailed(one)))
        assert.deepStrictEqual(yield* settlements.standing([request.id, Rows.anId()]), [
          { ...two, transferId: transfer.id }
        ])
      })
    )
  })

const queueSuite = (name: string, books: Layer.Layer<Stores>) =>
  layer(books)(`${name}: settlements, the queue`, (it) => {
    it.effect("only what is due is claimed, the longest due first, and each once", () =>
      Effect.gen(function* () {
        const settlements = yield* Settlements
        yield* emptyQueue
        const rows = [5, 1, 9, 20].map((due) =>
          aSettlement(onboarding, { nextLookAt: Rows.at(due) })
        )
        yield* Effect.forEach(rows, settlements.open)
        const claims = yield* Effect.all(
          Array.from({ length: 32 }, () => claimAt(9, 1)),
          { concurrency: "unbounded" }
        )
        assert.sameMembers(
          claims.flat().map(({ settlement }) => settlement.id),
          rows.slice(0, 3).map(({ id }) => id)
        )
        assert.deepStrictEqual(yield* settlements.nextDue(Rows.at(0)), Rows.at(20))
        const [again] = yield* claimAt(39, 1)
        assert.strictEqual(again?.settlement.id, rows[1]?.id)
      })
    )

    it.effect("a step counts only under its lease, and never changes what was signed", () =>
      Effect.gen(function* () {
        const settlements = yield* Settlements
        yield* emptyQueue
        const settlement = aSettlement(onboarding)
        yield* settlements.open(settlement)
        const [first] = yield* claimAt(0)
        const [second] = yield* claimAt(31)
        assert.strictEqual(second?.settlement.id, settlement.id)
        const step = carried(settlement)
        assert.isFalse(yield* settlements.note(first?.lease ?? "", step))
        const authorization = { ...settlement.authorization, amountMicro: 1n }
        const changed = { ...step, authorization, payload: {}, subject: onboarding }
        assert.isTrue(yield* settlements.note(second?.lease ?? "", changed))
        assert.deepStrictEqual(yield* settlements.find(keyOf(settlement)), step)
        const paid = {
          ...step,
          step: "settled",
          outcome: "paid",
          txHash: Rows.aTxHash(),
          nextLookAt: null
        } as const
        assert.isTrue(yield* settlements.conclude(second?.lease ?? "", paid))
        assert.isFalse(yield* settlements.note(second?.lease ?? "", step))
        assert.deepStrictEqual(yield* settlements.find(keyOf(settlement)), paid)
        assert.isFalse(yield* settlements.revive(settlement.id, Rows.at(40)))
        assert.deepStrictEqual(yield* claimAt(100), [])
      })
    )

    it.effect("what failed can be taken up again, as if nothing had carried it", () =>
      Effect.gen(function* () {
        const settlements = yield* Settlements
        yield* emptyQueue
        const settlement = aSettlement(onboarding)
        yield* settlements.open(settlement)
        assert.isFalse(yield* settlements.revive(settlement.id, Rows.at(1)))
        const [claimed] = yield* claimAt(0)
        yield* settlements.conclude(claimed?.lease ?? "", asFailed(carried(settlement)))
        assert.isTrue(yield* settlements.revive(settlement.id, Rows.at(2)))
        const again = { ...settlement, nextLookAt: Rows.at(2), updatedAt: Rows.at(2) }
        assert.deepStrictEqual(yield* settlements.find(keyOf(settlement)), again)
        assert.deepStrictEqual(
          (yield* claimAt(2)).map((each) => each.settlement),
          [again]
        )
      })
    )

    it.effect("a relayer's nonce is held by a settlement as by a send, until it is settled", () =>
      Effect.gen(function* () {
        const settlements = yield* Settlements
        const executions = yield* Executions
        yield* emptyQueue
        const settlement = aSettlement(onboarding)
        yield* settlements.open(settlement)
        const [claimed] = yield* claimAt(0)
        const step = carried(settlement)
        const { chainId, relayer } = step
        yield* settlements.note(claimed?.lease ?? "", step)
        assert.isTrue(yield* executions.holdsNonce(chainId, relayer ?? "", 7, 8))
        assert.isFalse(yield* executions.holdsNonce(chainId, relayer ?? "", 5, 7))
        yield* settlements.conclude(claimed?.lease ?? "", asFailed(step))
        assert.isFalse(yield* executions.holdsNonce(chainId, relayer ?? "", 7, 8))
      })
    )
  })
