/** What every ledger of caps must do with payments that no record explains: they count once, until a proposal takes them over. */
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { type Accounts, Keys } from "../../core/accounts/account-store.ts"
import * as Usd from "../../core/money/usd.ts"
import { windowsAt } from "../../core/policy/limits.ts"
import { type Charge, Spending } from "../../core/policy/spending-ledger.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import type { Proposals } from "../../core/proposals/proposal-store.ts"
import * as Value from "../support/chain-values.ts"
import * as Rows from "../support/rows.ts"
import * as SendingRows from "../support/sending-rows.ts"
import * as Stored from "../support/stored-rows.ts"

type Stores = Spending | Proposals | Accounts | Atomically | Keys

const windows = windowsAt(Rows.at(0))
const payee = Value.key(`0x${"ab".repeat(20)}`)

let made = 0

const aCharge = (accountId: string, amountMicro: bigint, over: Partial<Charge> = {}): Charge => {
  made += 1
  return {
    accountId,
    chainId: "base",
    identity: `${made}`.padStart(32, "0"),
    to: payee,
    amountMicro: Usd.make(amountMicro),
    windows,
    at: Rows.at(0),
    ...over
  }
}

export const suite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: spending, charges`, (it) => {
    it.effect("a payment that no record explains counts in the windows of its block, once", () =>
      Effect.gen(function* () {
        const spending = yield* Spending
        const { id: accountId } = yield* Stored.account()
        const later = { windows: windowsAt(Rows.at(86_400)), at: Rows.at(86_400) }
        const charges = [aCharge(accountId, 7n), aCharge(accountId, 5n, later)]
        yield* spending.charge(charges)
        yield* spending.charge(charges)
        const { dayMicro, monthMicro } = yield* spending.used(accountId, windows)
        assert.deepStrictEqual([dayMicro, monthMicro], [Usd.make(7n), Usd.make(12n)])
        const days = yield* spending.usedByDay(accountId, windows.day, later.windows.day)
        assert.deepStrictEqual(
          days.map(({ usedMicro }) => usedMicro),
          [Usd.make(7n), Usd.make(5n)]
        )
      })
    )

    it.effect("what was charged leaves no more of the cap than the rest", () =>
      Effect.gen(function* () {
        const spending = yield* Spending
        const { run } = yield* Atomically
        const { id: accountId } = yield* Stored.account()
        yield* spending.charge([aCharge(accountId, 7n)])
        const limits = SendingRows.limits({ dailyMicro: 10n })
        const reserve = Effect.fnUntraced(function* (amountMicro: bigint) {
          const proposal = yield* Stored.proposal({ accountId })
          const reservation = {
            ...SendingRows.aReservation(proposal),
            amountMicro: Usd.make(amountMicro)
          }
          return (yield* run(spending.reserve(reservation, limits)))._tag
        })
        assert.deepStrictEqual([yield* reserve(4n), yield* reserve(3n)], ["over", "reserved"])
      })
    )

    it.effect("the proposal of the very payment takes its charge over, and no other does", () =>
      Effect.gen(function* () {
        const spending = yield* Spending
        const { run } = yield* Atomically
        const { id: accountId } = yield* Stored.account()
        const charge = aCharge(accountId, 7n)
        yield* spending.charge([charge])
        const limits = SendingRows.limits({ dailyMicro: 10n })
        const paying = {
          chainId: "base",
          identity: `${charge.identity}${"f".repeat(32)}`,
          to: payee
        }
        const reserve = Effect.fnUntraced(function* (
          over: Partial<typeof paying>,
          amountMicro = 7n
        ) {
          const proposal = yield* Stored.proposal({ accountId })
          const reservation = {
            ...SendingRows.aReservation(proposal),
            amountMicro: Usd.make(amountMicro),
            pays: { ...paying, ...over }
          }
          return (yield* run(spending.reserve(reservation, limits)))._tag
        })
        const beside = (amountMicro: bigint) =>
          spending.usedWithout(accountId, windows, {
            ...paying,
            amountMicro: Usd.make(amountMicro)
          })
        assert.strictEqual((yield* beside(7n)).dayMicro, Usd.make(0n))
        assert.strictEqual((yield* beside(6n)).dayMicro, Usd.make(7n))
        assert.strictEqual(yield* reserve({ to: Value.key(`0x${"cd".repeat(20)}`) }), "over")
        assert.strictEqual(yield* reserve({ identity: "e".repeat(64) }), "over")
        assert.strictEqual(yield* reserve({}, 6n), "over")
        assert.strictEqual(yield* reserve({}), "reserved")
        assert.strictEqual((yield* spending.used(accountId, windows)).dayMicro, Usd.make(7n))
        yield* spending.charge([charge])
        assert.strictEqual((yield* spending.used(accountId, windows)).dayMicro, Usd.make(7n))
      })
    )

    it.effect("a charge of the 31st is taken over by the call that is repeated on the 1st", () =>
      Effect.gen(function* () {
        const spending = yield* Spending
        const { id: accountId } = yield* Stored.account()
        const [last, first] = [
          DateTime.makeUnsafe("2027-03-31T23:59:00Z"),
          DateTime.makeUnsafe("2027-04-01T00:01:00Z")
        ]
        const charge = aCharge(accountId, 7n, { at: last, windows: windowsAt(last) })
        yield* spending.charge([charge])
        const used = Effect.forEach([last, first], (at) =>
          Effect.map(spending.used(accountId, windowsAt(at)), ({ monthMicro }) => monthMicro)
        )
        assert.deepStrictEqual(yield* used, [Usd.make(7n), Usd.zero])
        const pays = { chainId: "base", identity: `${charge.identity}${"f".repeat(32)}`, to: payee }
        const payment = { ...pays, amountMicro: Usd.make(7n) }
        const beside = yield* spending.usedWithout(accountId, windowsAt(first), payment)
        assert.strictEqual(beside.monthMicro, Usd.zero)
        const proposal = yield* Stored.proposal({ accountId })
        const reservation = SendingRows.aReservation(proposal, { at: first, amountMicro: 7n, pays })
        const { run } = yield* Atomically
        const limits = SendingRows.limits({ monthlyMicro: 10n })
        assert.strictEqual((yield* run(spending.reserve(reservation, limits)))._tag, "reserved")
        assert.deepStrictEqual(yield* used, [Usd.zero, Usd.make(7n)])
      })
    )

    it.effect(
      "counts under each key of the account, as any may have sent it, but not against the very payment",
      () =>
        Effect.gen(function* () {
          const spending = yield* Spending
          const { id: accountId } = yield* Stored.account()
          const key = Rows.aKey(accountId)
          yield* (yield* Keys).issue(key, Rows.aDigest())
          const charge = aCharge(accountId, 7n)
          yield* spending.charge([charge, aCharge(accountId, 5n)])
          const used = (over: Partial<Charge> = {}) =>
            spending.usedByKey(key.id, windows.day, {
              chainId: "base",
              identity: `${charge.identity}${"f".repeat(32)}`,
              to: payee,
              amountMicro: Usd.make(7n),
              ...over
            })
          assert.strictEqual(yield* spending.usedByKey(key.id, windows.day), Usd.make(12n))
          assert.strictEqual(yield* used(), Usd.make(5n))
          assert.strictEqual(yield* used({ amountMicro: Usd.make(6n) }), Usd.make(12n))
          assert.strictEqual(yield* used({ identity: "e".repeat(64) }), Usd.make(12n))
          assert.strictEqual(yield* used({ to: Value.key(`0x${"cd".repeat(20)}`) }), Usd.make(12n))
          assert.strictEqual(yield* used({ chainId: "polygon" }), Usd.make(12n))
        })
    )
  })
