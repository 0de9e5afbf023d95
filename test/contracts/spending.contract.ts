/** What every ledger of caps must do: the sum of a window never passes its cap, whatever runs at once. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import * as Usd from "../../core/money/usd.ts"
import type { Reserved } from "../../core/policy/limits.ts"
import { evaluate, windowsAt } from "../../core/policy/limits.ts"
import { Spending } from "../../core/policy/spending-ledger.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import type { Proposals } from "../../core/proposals/proposal-store.ts"
import * as Rows from "../support/rows.ts"
import * as SendingRows from "../support/sending-rows.ts"
import * as Stored from "../support/stored-rows.ts"

type Stores = Spending | Proposals | Accounts | Atomically

const usedBy = (accountId: string, at = Rows.at(0)) =>
  Effect.flatMap(Spending, (spending) => spending.used(accountId, windowsAt(at)))

const proposals = (accountId: string, count: number) =>
  Effect.forEach(Array(count).fill(0), () => Stored.proposal({ accountId }))

const isReserved = ({ _tag }: Reserved) => _tag === "reserved"

export const suite = (name: string, stores: Layer.Layer<Stores>) => {
  cappingSuite(name, stores)
  countingSuite(name, stores)
}

const cappingSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: spending, caps`, (it) => {
    it.effect.each(["dailyMicro", "monthlyMicro"] as const)(
      "of 64 that reserve one unit at once under a %s of 10, exactly 10 do",
      (cap) =>
        Effect.gen(function* () {
          const spending = yield* Spending
          const { run } = yield* Atomically
          const { id: accountId } = yield* Stored.account()
          const limits = SendingRows.limits({ [cap]: 10n })
          const reserved = yield* Effect.forEach(
            yield* proposals(accountId, 64),
            (proposal) => run(spending.reserve(SendingRows.aReservation(proposal), limits)),
            { concurrency: "unbounded" }
          )
          assert.strictEqual(reserved.filter(isReserved).length, 10)
          assert.deepStrictEqual(yield* usedBy(accountId), { dayMicro: 10n, monthMicro: 10n })
        })
    )

    it.effect("who reserves at once under different limits is held to his own, by one sum", () =>
      Effect.gen(function* () {
        const spending = yield* Spending
        const { run } = yield* Atomically
        const { id: accountId } = yield* Stored.account()
        const outcomes = yield* Effect.forEach(
          yield* proposals(accountId, 40),
          (proposal, index) => {
            const limits = SendingRows.limits({ dailyMicro: index % 2 === 0 ? 5n : 12n })
            return run(spending.reserve(SendingRows.aReservation(proposal), limits))
          },
          { concurrency: "unbounded" }
        )
        assert.strictEqual(outcomes.filter(isReserved).length, 12)
        const strict = outcomes.filter((each, index) => index % 2 === 0 && isReserved(each))
        assert.isAtMost(strict.length, 5)
        assert.deepStrictEqual(yield* usedBy(accountId), { dayMicro: 12n, monthMicro: 12n })
      })
    )

    it.effect("what passes a cap is told with every rule's verdict and reserves nothing", () =>
      Effect.gen(function* () {
        const spending = yield* Spending
        const { id: accountId } = yield* Stored.account()
        const [first, second] = yield* proposals(accountId, 2)
        if (first === undefined || second === undefined) return assert.fail("no proposals")
        const limits = SendingRows.limits({ dailyMicro: 10n })
        const seven = { amountMicro: 7n }
        yield* spending.reserve(SendingRows.aReservation(first, seven), limits)
        const used = { dayMicro: Usd.make(7n), monthMicro: Usd.make(7n) }
        assert.deepStrictEqual(
          yield* spending.reserve(SendingRows.aReservation(second, { amountMicro: 4n }), limits),
          { _tag: "over", verdicts: evaluate(limits, used, Usd.make(4n)) }
        )
        assert.deepStrictEqual(yield* usedBy(accountId), used)
        const three = SendingRows.aReservation(second, { amountMicro: 3n })
        assert.deepStrictEqual(yield* spending.reserve(three, limits), { _tag: "reserved" })
        assert.deepStrictEqual(yield* usedBy(accountId), { dayMicro: 10n, monthMicro: 10n })
      })
    )

    it.effect("what was used is read day by day, without what was given back", () =>
      Effect.gen(function* () {
        const spending = yield* Spending
        const { id: accountId } = yield* Stored.account()
        const limits = SendingRows.limits({})
        const days = ["2026-11-30", "2026-12-01", "2026-12-01", "2026-12-03", "2026-12-04"]
        const all = yield* proposals(accountId, days.length)
        for (const [at, day] of days.entries()) {
          const proposal = all[at]
          if (proposal === undefined) return assert.fail("no proposal")
          const windows = { day, month: day.slice(0, 7) }
          const reservation = SendingRows.aReservation(proposal, { amountMicro: 5n })
          yield* spending.reserve({ ...reservation, windows }, limits)
        }
        yield* spending.release([all[3]?.id ?? ""])
        yield* spending.consume([all[1]?.id ?? ""])
        assert.deepStrictEqual(yield* spending.usedByDay(accountId, "2026-11-30", "2026-12-03"), [
          { day: "2026-11-30", usedMicro: Usd.make(5n) },
          { day: "2026-12-01", usedMicro: Usd.make(10n) }
        ])
      })
    )

    it.effect("one transfer is bounded alone, by its own cap and by the hard one", () =>
      Effect.gen(function* () {
        const spending = yield* Spending
        const proposal = yield* Stored.proposal()
        const reservation = SendingRows.aReservation(proposal, { amountMicro: 5n })
        for (const cap of [{ perTransferMicro: 4n }, { hardCapMicro: 4n }]) {
          const reserved = yield* spending.reserve(reservation, SendingRows.limits(cap))
          assert.strictEqual(reserved._tag, "over")
        }
        assert.deepStrictEqual(yield* usedBy(proposal.accountId), { dayMicro: 0n, monthMicro: 0n })
      })
    )
  })

const countingSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: spending, what counts`, (it) => {
    it.effect("a reservation is undone with its transaction", () =>
      Effect.gen(function* () {
        const spending = yield* Spending
        const { run } = yield* Atomically
        const proposal = yield* Stored.proposal()
        const reserve = spending.reserve(
          SendingRows.aReservation(proposal),
          SendingRows.limits({ dailyMicro: 1n })
        )
        yield* Effect.flip(run(Effect.andThen(reserve, Effect.fail("no"))))
        assert.deepStrictEqual(yield* usedBy(proposal.accountId), { dayMicro: 0n, monthMicro: 0n })
        assert.deepStrictEqual(yield* reserve, { _tag: "reserved" })
      })
    )

    it.effect.each(["commits", "rolls back"])(
      "the last of a cap is reserved once beside a transaction that %s",
      (end) =>
        Effect.gen(function* () {
          const commits = end === "commits"
          const spending = yield* Spending
          const { run } = yield* Atomically
          const { id: accountId } = yield* Stored.account()
          const [first, second] = yield* proposals(accountId, 2)
          if (first === undefined || second === undefined) return assert.fail("no proposals")
          const limits = SendingRows.limits({ dailyMicro: 1n })
          const [written, decided] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
          const holder = yield* spending.reserve(SendingRows.aReservation(first), limits).pipe(
            Effect.tap(() => Deferred.succeed(written, undefined)),
            Effect.tap(() => Deferred.await(decided)),
            Effect.tap(() => (commits ? Effect.void : Effect.fail("no"))),
            Effect.map(({ _tag }) => _tag),
            run,
            Effect.catch(Effect.succeed),
            Effect.forkChild
          )
          yield* Deferred.await(written)
          const waiting = yield* run(
            spending.reserve(SendingRows.aReservation(second), limits)
          ).pipe(Effect.forkChild)
          yield* Effect.yieldNow
          yield* Deferred.succeed(decided, undefined)
          const ends = [yield* Fiber.join(holder), (yield* Fiber.join(waiting))._tag]
          // Whoever commits first has it.
          assert.deepStrictEqual(ends.sort(), commits ? ["over", "reserved"] : ["no", "reserved"])
          assert.deepStrictEqual(yield* usedBy(accountId), { dayMicro: 1n, monthMicro: 1n })
        })
    )

    it.effect("days and months are windows apart, and each day counts in its month", () =>
      Effect.gen(function* () {
        const spending = yield* Spending
        const { id: accountId } = yield* Stored.account()
        const limits = SendingRows.limits({ dailyMicro: 2n, monthlyMicro: 3n })
        const day = 86_400
        // The last millisecond of a day and the first of the next; the same at the end of January.
        const instants = [0, day - 0.001, day, 31 * day - 0.001, 31 * day].map(Rows.at)
        const tags: Array<string> = []
        for (const at of instants) {
          const reservation = SendingRows.aReservation(yield* Stored.proposal({ accountId }), {
            at
          })
          tags.push((yield* spending.reserve(reservation, limits))._tag)
        }
        assert.deepStrictEqual(tags, ["reserved", "reserved", "reserved", "over", "reserved"])
        const used = yield* Effect.forEach(instants, (at) => usedBy(accountId, at))
        assert.deepStrictEqual(
          used.map(({ dayMicro, monthMicro }) => [dayMicro, monthMicro]),
          [
            [2n, 3n],
            [2n, 3n],
            [1n, 3n],
            [0n, 3n],
            [1n, 1n]
          ]
        )
      })
    )

    it.effect("a proposal that reserves again, even at once, counts once", () =>
      Effect.gen(function* () {
        const spending = yield* Spending
        const { run } = yield* Atomically
        const proposal = yield* Stored.proposal()
        const reserve = run(
          spending.reserve(
            SendingRows.aReservation(proposal),
            SendingRows.limits({ dailyMicro: 1n })
          )
        )
        const outcomes = yield* Effect.all(Array(16).fill(reserve) as Array<typeof reserve>, {
          concurrency: "unbounded"
        })
        assert.isTrue(outcomes.every(isReserved))
        yield* spending.consume([proposal.id])
        assert.deepStrictEqual(yield* reserve, { _tag: "reserved" })
        assert.deepStrictEqual(yield* usedBy(proposal.accountId), { dayMicro: 1n, monthMicro: 1n })
      })
    )

    it.effect(
      "accounts have caps of their own, and sums are exact beyond what a number holds",
      () =>
        Effect.gen(function* () {
          const spending = yield* Spending
          const huge = 9_007_199_254_740_993n
          const unbounded = SendingRows.limits({
            perTransferMicro: 10n * huge,
            dailyMicro: 10n * huge,
            monthlyMicro: 10n * huge,
            hardCapMicro: 10n * huge
          })
          const one = yield* Stored.proposal()
          const two = yield* Stored.proposal({ accountId: one.accountId })
          const other = yield* Stored.proposal()
          for (const proposal of [one, two, other]) {
            const reservation = SendingRows.aReservation(proposal, { amountMicro: huge })
            yield* spending.reserve(reservation, unbounded)
          }
          const used = (micro: bigint) => ({ dayMicro: micro, monthMicro: micro })
          assert.deepStrictEqual(yield* usedBy(one.accountId), used(2n * huge))
          assert.deepStrictEqual(yield* usedBy(other.accountId), used(huge))
        })
    )
  })
