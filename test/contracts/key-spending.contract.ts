/** What every ledger of caps must do for keys: what counts for several counts under all or under none. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { type Accounts, Keys } from "../../core/accounts/account-store.ts"
import * as Usd from "../../core/money/usd.ts"
import type { Reserved } from "../../core/policy/limits.ts"
import { evaluateKey, windowsAt } from "../../core/policy/limits.ts"
import { Spending } from "../../core/policy/spending-ledger.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import type { Proposals } from "../../core/proposals/proposal-store.ts"
import * as Rows from "../support/rows.ts"
import * as SendingRows from "../support/sending-rows.ts"
import * as Stored from "../support/stored-rows.ts"

type Stores = Spending | Proposals | Accounts | Atomically | Keys

const aKeyOf = Effect.fnUntraced(function* (accountId: string) {
  const key = Rows.aKey(accountId)
  yield* (yield* Keys).issue(key, Rows.aDigest())
  return key.id
})

const { day } = windowsAt(Rows.at(0))

const usedBy = (keyId: string) =>
  Effect.flatMap(Spending, (spending) => spending.usedByKey(keyId, day))

const isReserved = ({ _tag }: Reserved) => _tag === "reserved"

export const suite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: spending, keys`, (it) => {
    it.effect("of 64 that reserve one unit at once under a key's cap of 10, exactly 10 do", () =>
      Effect.gen(function* () {
        const spending = yield* Spending
        const { run } = yield* Atomically
        const { id: accountId } = yield* Stored.account()
        const [wide, tight] = [yield* aKeyOf(accountId), yield* aKeyOf(accountId)]
        const caps = [
          { keyId: wide, capMicro: Usd.make(40n) },
          { keyId: tight, capMicro: Usd.make(10n) }
        ]
        const reserved = yield* Effect.forEach(
          Array.from({ length: 64 }),
          () =>
            Effect.flatMap(Stored.proposal({ accountId }), (proposal) =>
              run(spending.reserveForKeys(SendingRows.aReservation(proposal), caps))
            ),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(reserved.filter(isReserved).length, 10)
        assert.deepStrictEqual([yield* usedBy(wide), yield* usedBy(tight)], [10n, 10n])
      })
    )

    it.effect("what is above one cap is told with all, and nothing is kept of it", () =>
      Effect.gen(function* () {
        const spending = yield* Spending
        const first = yield* Stored.proposal()
        const second = yield* Stored.proposal({ accountId: first.accountId })
        const [one, other] = [yield* aKeyOf(first.accountId), yield* aKeyOf(first.accountId)]
        const [low, high] = [
          { keyId: one, capMicro: Usd.make(9n) },
          { keyId: other, capMicro: Usd.make(20n) }
        ]
        const five = { amountMicro: 5n }
        yield* spending.reserveForKeys(SendingRows.aReservation(first, five), [low])
        const over = yield* spending.reserveForKeys(SendingRows.aReservation(second, five), [
          high,
          low
        ])
        assert.deepStrictEqual(over, {
          _tag: "over",
          verdicts: [
            evaluateKey(high, Usd.zero, Usd.make(5n)),
            evaluateKey(low, Usd.make(5n), Usd.make(5n))
          ]
        })
        assert.deepStrictEqual([yield* usedBy(one), yield* usedBy(other)], [5n, 0n])
        const tomorrow = SendingRows.aReservation(second, { ...five, at: Rows.at(86_400) })
        assert.isTrue(isReserved(yield* spending.reserveForKeys(tomorrow, [low])))
        assert.strictEqual(yield* usedBy(one), 5n)
      })
    )

    it.effect(
      "a proposal counts once under a key, until it is released, and for ever once spent",
      () =>
        Effect.gen(function* () {
          const spending = yield* Spending
          const proposal = yield* Stored.proposal()
          const keyId = yield* aKeyOf(proposal.accountId)
          const reserve = spending.reserveForKeys(SendingRows.aReservation(proposal), [
            { keyId, capMicro: Usd.make(1n) }
          ])
          assert.deepStrictEqual(yield* Effect.all([reserve, reserve]), [
            { _tag: "reserved" },
            { _tag: "reserved" }
          ])
          assert.strictEqual(yield* usedBy(keyId), 1n)
          yield* spending.release([proposal.id])
          yield* spending.release([proposal.id])
          assert.strictEqual(yield* usedBy(keyId), 0n)
          yield* reserve
          yield* spending.consume([proposal.id])
          yield* spending.release([proposal.id])
          assert.strictEqual(yield* usedBy(keyId), 1n)
        })
    )
  })
