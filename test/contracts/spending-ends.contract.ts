/** How reservations end, each once, and how limits are revised. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import { windowsAt } from "../../core/policy/limits.ts"
import { Spending } from "../../core/policy/spending-ledger.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import type { Proposals } from "../../core/proposals/proposal-store.ts"
import * as Rows from "../support/rows.ts"
import * as SendingRows from "../support/sending-rows.ts"
import * as Stored from "../support/stored-rows.ts"

type Stores = Spending | Proposals | Accounts | Atomically

const usedBy = (accountId: string) =>
  Effect.flatMap(Spending, (spending) => spending.used(accountId, windowsAt(Rows.at(0))))

const nothing = { dayMicro: 0n, monthMicro: 0n }
const one = { dayMicro: 1n, monthMicro: 1n }

/** An account with one reserved unit. */
const reservedUnit = Effect.gen(function* () {
  const proposal = yield* Stored.proposal()
  yield* (yield* Spending).reserve(SendingRows.aReservation(proposal), SendingRows.limits())
  return proposal
})

export const suite = (name: string, stores: Layer.Layer<Stores>) => {
  endingSuite(name, stores)
  revisionSuite(name, stores)
}

const endingSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: spending, ends`, (it) => {
    it.effect("what is released twice is given back once, to its own proposal", () =>
      Effect.gen(function* () {
        const spending = yield* Spending
        const { accountId, id } = yield* reservedUnit
        const second = yield* Stored.proposal({ accountId })
        yield* spending.reserve(SendingRows.aReservation(second), SendingRows.limits())
        yield* Effect.all([spending.release([id]), spending.release([id])], {
          concurrency: "unbounded"
        })
        yield* spending.release([id])
        assert.deepStrictEqual(yield* usedBy(accountId), one)
      })
    )

    it.effect("what is held for a proposal is told as it stands", () =>
      Effect.gen(function* () {
        const spending = yield* Spending
        const { accountId, id } = yield* Stored.proposal()
        assert.isUndefined(yield* spending.heldBy(id))
        const reservation = SendingRows.aReservation({ accountId, id }, { amountMicro: 7n })
        yield* spending.reserve(reservation, SendingRows.limits())
        const held = { accountId, amountMicro: 7n }
        assert.deepStrictEqual(yield* spending.heldBy(id), { ...held, state: "reserved" })
        yield* spending.release([id])
        assert.deepStrictEqual(yield* spending.heldBy(id), { ...held, state: "released" })
        yield* spending.reserve(reservation, SendingRows.limits())
        yield* spending.consume([id])
        assert.deepStrictEqual(yield* spending.heldBy(id), { ...held, state: "consumed" })
      })
    )

    it.effect("what was spent stays in its windows, and no release gives it back", () =>
      Effect.gen(function* () {
        const spending = yield* Spending
        const { accountId, id } = yield* reservedUnit
        yield* spending.consume([id])
        assert.deepStrictEqual(yield* usedBy(accountId), one)
        yield* spending.release([id])
        yield* spending.consume([id])
        assert.deepStrictEqual(yield* usedBy(accountId), one)
      })
    )

    it.effect("what was released is not spent later, and a proposal without one has nothing", () =>
      Effect.gen(function* () {
        const spending = yield* Spending
        const { accountId, id } = yield* reservedUnit
        yield* spending.release([id])
        yield* spending.consume([id])
        assert.deepStrictEqual(yield* usedBy(accountId), nothing)
        const bare = yield* Stored.proposal({ accountId })
        yield* spending.consume([bare.id])
        yield* spending.release([bare.id])
        assert.deepStrictEqual(yield* usedBy(accountId), nothing)
      })
    )

    it.effect("whoever ends a reservation first, spending and giving back never both count", () =>
      Effect.gen(function* () {
        const spending = yield* Spending
        const { run } = yield* Atomically
        const { accountId, id } = yield* reservedUnit
        yield* Effect.all([run(spending.consume([id])), run(spending.release([id]))], {
          concurrency: "unbounded"
        })
        const first = yield* usedBy(accountId)
        assert.include([nothing.dayMicro, one.dayMicro], first.dayMicro)
        yield* Effect.all([spending.consume([id]), spending.release([id])])
        assert.deepStrictEqual(yield* usedBy(accountId), first)
      })
    )

    it.effect("a release is undone with its transaction", () =>
      Effect.gen(function* () {
        const spending = yield* Spending
        const { run } = yield* Atomically
        const { accountId, id } = yield* reservedUnit
        yield* Effect.flip(run(Effect.andThen(spending.release([id]), Effect.fail("no"))))
        assert.deepStrictEqual(yield* usedBy(accountId), one)
        yield* spending.release([id])
        assert.deepStrictEqual(yield* usedBy(accountId), nothing)
      })
    )

    it.effect("room that was given back may be taken; who gave it back is judged anew", () =>
      Effect.gen(function* () {
        const spending = yield* Spending
        const first = yield* reservedUnit
        const second = yield* Stored.proposal({ accountId: first.accountId })
        const limits = SendingRows.limits({ dailyMicro: 1n })
        const again = spending.reserve(SendingRows.aReservation(first), limits)
        const taking = spending.reserve(SendingRows.aReservation(second), limits)
        assert.strictEqual((yield* taking)._tag, "over")
        yield* spending.release([first.id])
        assert.strictEqual((yield* taking)._tag, "reserved")
        assert.strictEqual((yield* again)._tag, "over")
        yield* spending.release([second.id])
        assert.strictEqual((yield* again)._tag, "reserved")
        assert.deepStrictEqual(yield* usedBy(first.accountId), one)
      })
    )
  })

const revisionSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: policy revisions`, (it) => {
    it.effect("the newest revision is the one with the highest number, of its account only", () =>
      Effect.gen(function* () {
        const spending = yield* Spending
        const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
        assert.isUndefined(yield* spending.revision(mine.id))
        const revisions = [1, 10, 9].map((number) =>
          SendingRows.aRevision(mine.id, { number, tier: "personal", dailyMicro: BigInt(number) })
        )
        for (const revision of revisions) assert.isTrue(yield* spending.revise(revision))
        assert.deepStrictEqual(yield* spending.revision(mine.id), revisions[1])
        assert.isUndefined(yield* spending.revision(other.id))
        assert.isTrue(yield* spending.revise(SendingRows.aRevision(other.id, { number: 10 })))
      })
    )

    it.effect("of many revisions of one number, one is added and none is ever changed", () =>
      Effect.gen(function* () {
        const spending = yield* Spending
        const { run } = yield* Atomically
        const { id: accountId } = yield* Stored.account()
        const revisions = Array.from({ length: 16 }, (_, index) =>
          SendingRows.aRevision(accountId, { dailyMicro: BigInt(index + 1) })
        )
        const added = yield* Effect.forEach(revisions, (each) => run(spending.revise(each)), {
          concurrency: "unbounded"
        })
        assert.strictEqual(added.filter(Boolean).length, 1)
        const stands = revisions[added.indexOf(true)]
        assert.deepStrictEqual(yield* spending.revision(accountId), stands)
        assert.isFalse(yield* spending.revise(SendingRows.aRevision(accountId)))
        assert.deepStrictEqual(yield* spending.revision(accountId), stands)
      })
    )
  })
