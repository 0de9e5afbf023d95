/** What every ledger of caps must do when an execution needs more than it was started with. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import { type Accounts, Keys } from "../../core/accounts/account-store.ts"
import * as Usd from "../../core/money/usd.ts"
import { windowsAt } from "../../core/policy/limits.ts"
import { Spending } from "../../core/policy/spending-ledger.ts"
import type { Atomically } from "../../core/ports/atomically.ts"
import type { Proposal } from "../../core/proposals/proposal.ts"
import type { Proposals } from "../../core/proposals/proposal-store.ts"
import * as Rows from "../support/rows.ts"
import * as SendingRows from "../support/sending-rows.ts"
import * as Stored from "../support/stored-rows.ts"

type Stores = Spending | Proposals | Accounts | Atomically | Keys

const limits = SendingRows.limits({ perTransferMicro: 50n, dailyMicro: 100n })

const raise = (proposal: Proposal, amountMicro: bigint, keyIds: ReadonlyArray<string> = []) =>
  Effect.flatMap(Spending, (spending) =>
    spending.raise(
      SendingRows.aReservation(proposal, { amountMicro, at: Rows.at(90_000) }),
      limits,
      keyIds.map((keyId) => ({ keyId, capMicro: Usd.make(30n) }))
    )
  )

const reserve = (proposal: Proposal, amountMicro: bigint) =>
  Effect.flatMap(Spending, (spending) =>
    spending.reserve(SendingRows.aReservation(proposal, { amountMicro }), limits)
  )

/** What the day of the start and the day of the raise have used. */
const used = Effect.fnUntraced(function* ({ accountId }: Proposal) {
  const spending = yield* Spending
  const on = (seconds: number) => spending.used(accountId, windowsAt(Rows.at(seconds)))
  return [(yield* on(0)).dayMicro, (yield* on(90_000)).dayMicro]
})

const amountHeld = ({ id }: Proposal) =>
  Effect.flatMap(Spending, ({ heldBy }) => Effect.map(heldBy(id), (held) => held?.amountMicro))

const aKeyOf = Effect.fnUntraced(function* ({ accountId }: Proposal) {
  const key = Rows.aKey(accountId)
  yield* (yield* Keys).issue(key, Rows.aDigest())
  return key.id
})

export const suite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: spending, raises`, (it) => {
    it.effect("what is held is raised in its own windows, counted once and never lowered", () =>
      Effect.gen(function* () {
        const proposal = yield* Stored.proposal()
        yield* reserve(proposal, 10n)
        assert.strictEqual((yield* raise(proposal, 25n))._tag, "reserved")
        assert.deepStrictEqual(yield* used(proposal), [25n, 0n])
        assert.strictEqual((yield* raise(proposal, 25n))._tag, "reserved")
        assert.strictEqual((yield* raise(proposal, 3n))._tag, "reserved")
        assert.deepStrictEqual(yield* used(proposal), [25n, 0n])
        assert.strictEqual(yield* amountHeld(proposal), 25n)
      })
    )

    it.effect("what holds nothing yet is reserved in the windows of now", () =>
      Effect.gen(function* () {
        const proposal = yield* Stored.proposal()
        assert.strictEqual((yield* raise(proposal, 25n))._tag, "reserved")
        assert.deepStrictEqual(yield* used(proposal), [0n, 25n])
      })
    )

    it.effect("a raise is bounded as a whole transfer is, beside all that others hold", () =>
      Effect.gen(function* () {
        const proposal = yield* Stored.proposal()
        const other = yield* Stored.proposal({ accountId: proposal.accountId })
        yield* reserve(proposal, 20n)
        yield* reserve(other, 50n)
        const tooMuchAlone = yield* raise(proposal, 51n)
        assert.strictEqual(tooMuchAlone._tag, "over")
        yield* reserve(yield* Stored.proposal({ accountId: proposal.accountId }), 15n)
        const tooMuchOfTheDay = yield* raise(proposal, 36n)
        assert.deepStrictEqual(
          tooMuchOfTheDay._tag === "over" &&
            tooMuchOfTheDay.verdicts.filter(({ passes }) => !passes).map(({ rule }) => rule),
          ["daily"]
        )
        assert.strictEqual(yield* amountHeld(proposal), 20n)
        assert.strictEqual((yield* raise(proposal, 35n))._tag, "reserved")
        assert.deepStrictEqual(yield* used(proposal), [100n, 0n])
      })
    )

    it.effect("it counts under the keys behind it too, under all or nothing is raised", () =>
      Effect.gen(function* () {
        const spending = yield* Spending
        const proposal = yield* Stored.proposal()
        const key = yield* aKeyOf(proposal)
        yield* reserve(proposal, 10n)
        const reservation = SendingRows.aReservation(proposal, { amountMicro: 10n })
        yield* spending.reserveForKeys(reservation, [{ keyId: key, capMicro: Usd.make(30n) }])
        const fresh = yield* aKeyOf(proposal)
        assert.strictEqual((yield* raise(proposal, 31n, [key, fresh]))._tag, "over")
        assert.strictEqual(yield* amountHeld(proposal), 10n)
        assert.strictEqual((yield* raise(proposal, 30n, [key, fresh]))._tag, "reserved")
        const { day } = windowsAt(Rows.at(0))
        assert.strictEqual(yield* spending.usedByKey(key, day), 30n)
        assert.strictEqual(yield* spending.usedByKey(fresh, day), 30n)
        yield* spending.release([proposal.id])
        assert.strictEqual(yield* spending.usedByKey(key, day), 0n)
        assert.deepStrictEqual(yield* used(proposal), [0n, 0n])
      })
    )

    it.effect("what has ended is raised no more", () =>
      Effect.gen(function* () {
        const proposal = yield* Stored.proposal()
        yield* reserve(proposal, 10n)
        yield* (yield* Spending).consume([proposal.id])
        assert.isTrue(Exit.isFailure(yield* Effect.exit(raise(proposal, 11n))))
        assert.strictEqual(yield* amountHeld(proposal), 10n)
      })
    )

    it.effect("of 16 that are raised at once, as many are as fit", () =>
      Effect.gen(function* () {
        const { accountId } = yield* Stored.proposal()
        const all = yield* Effect.forEach(Array.from({ length: 16 }), () =>
          Stored.proposal({ accountId })
        )
        for (const each of all) yield* reserve(each, 5n)
        const raised = yield* Effect.forEach(all, (each) => raise(each, 9n), {
          concurrency: "unbounded"
        })
        assert.lengthOf(
          raised.filter(({ _tag }) => _tag === "reserved"),
          5
        )
      })
    )
  })
