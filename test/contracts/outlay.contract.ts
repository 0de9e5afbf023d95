/** What every ledger of outlay must do. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import type { OutlayLimits } from "../../core/policy/outlay.ts"
import { type Charge, Outlay } from "../../core/policy/outlay-ledger.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

const unbounded = { accountUnits: null, installationUnits: 2n ** 200n }

const aCharge = (accountId: string | null, over: Partial<Charge> = {}): Charge => ({
  key: Rows.anId(),
  chainId: Rows.aChainId(),
  day: "2030-01-01",
  accountId,
  units: 5n,
  at: Rows.at(0),
  ...over
})

/** One charge by itself. */
const charging = Effect.map(Effect.all([Outlay, Atomically]), ([outlay, { run }]) => ({
  used: outlay.used,
  charge: (charge: Charge, limits: OutlayLimits) =>
    Effect.map(run(outlay.charge([[charge, Effect.succeed(limits)]])), ([charged]) => charged)
}))

export const suite = (name: string, stores: Layer.Layer<Outlay | Accounts | Atomically>) =>
  layer(stores)(`${name}: outlay`, (it) => {
    it.effect(
      "a charge counts for its account and for the installation, on its chain and day",
      () =>
        Effect.gen(function* () {
          const { charge, used } = yield* charging
          const [mine, other] = [(yield* Stored.account()).id, (yield* Stored.account()).id]
          const first = aCharge(mine, { units: 10n ** 30n })
          const { chainId, day } = first
          const others = [
            aCharge(other, { chainId, units: 7n }),
            aCharge(null, { chainId, units: 1n }),
            aCharge(mine, { chainId, day: "2030-01-02", units: 100n }),
            aCharge(mine, { units: 100n })
          ]
          for (const each of [first, ...others]) {
            assert.deepStrictEqual(yield* charge(each, unbounded), { _tag: "charged" })
          }
          const installationUnits = 10n ** 30n + 8n
          assert.deepStrictEqual(yield* used(chainId, day, mine), {
            accountUnits: 10n ** 30n,
            installationUnits
          })
          assert.deepStrictEqual(yield* used(chainId, day, other), {
            accountUnits: 7n,
            installationUnits
          })
          assert.deepStrictEqual(yield* used(chainId, day, null), {
            accountUnits: 0n,
            installationUnits
          })
          assert.deepStrictEqual(yield* used(Rows.aChainId(), day, mine), {
            accountUnits: 0n,
            installationUnits: 0n
          })
        })
    )

    it.effect("what an account used is told by day and chain, and nothing of anybody else's", () =>
      Effect.gen(function* () {
        const { charge } = yield* charging
        const { days } = yield* Outlay
        const [mine, other] = [(yield* Stored.account()).id, (yield* Stored.account()).id]
        const [here = "", there = ""] = [Rows.aChainId(), Rows.aChainId()].toSorted()
        const on = (chainId: string, day: string, units: bigint) =>
          aCharge(mine, { chainId, day, units })
        for (const each of [
          on(here, "2030-02-01", 1n),
          on(here, "2030-01-31", 2n),
          on(here, "2030-01-31", 3n),
          on(there, "2030-01-31", 10n ** 30n),
          on(here, "2029-12-31", 5n),
          aCharge(other, { chainId: here, day: "2030-01-31", units: 7n }),
          aCharge(null, { chainId: here, day: "2030-01-31", units: 11n })
        ]) {
          yield* charge(each, unbounded)
        }
        assert.deepStrictEqual(yield* days(mine, "2030-01-01", "2030-01-31"), [
          { chainId: here, day: "2030-01-31", units: 5n },
          { chainId: there, day: "2030-01-31", units: 10n ** 30n }
        ])
        assert.deepStrictEqual(
          (yield* days(mine, "2030-01-31", "2030-02-01")).map(({ units }) => units),
          [5n, 10n ** 30n, 1n]
        )
      })
    )

    it.effect("a charge that is raised is counted once, by the most it ever was", () =>
      Effect.gen(function* () {
        const { charge, used } = yield* charging
        const accountId = (yield* Stored.account()).id
        const first = aCharge(accountId)
        for (const units of [5n, 9n, 2n, 9n]) yield* charge({ ...first, units }, unbounded)
        assert.deepStrictEqual(yield* used(first.chainId, first.day, accountId), {
          accountUnits: 9n,
          installationUnits: 9n
        })
      })
    )

    it.effect("over a cap nothing is written, and what fits still is", () =>
      Effect.gen(function* () {
        const { charge, used } = yield* charging
        const accountId = (yield* Stored.account()).id
        const first = aCharge(accountId)
        const { chainId } = first
        const own = { accountUnits: 10n, installationUnits: 100n }
        const all = { accountUnits: 100n, installationUnits: 10n }
        yield* charge(first, own)
        const more = aCharge(accountId, { chainId, units: 6n })
        assert.deepStrictEqual(yield* charge(more, own), { _tag: "over", scope: "account" })
        assert.deepStrictEqual(yield* charge(more, all), { _tag: "over", scope: "installation" })
        const raised = { ...first, units: 11n }
        assert.deepStrictEqual(yield* charge(raised, own), { _tag: "over", scope: "account" })
        const nobodys = aCharge(null, { chainId, units: 6n })
        const over = yield* charge(nobodys, { accountUnits: null, installationUnits: 10n })
        assert.deepStrictEqual(over, { _tag: "over", scope: "installation" })
        const standing = yield* used(chainId, first.day, accountId)
        assert.deepStrictEqual(standing, { accountUnits: 5n, installationUnits: 5n })
        const exact = { ...more, units: 5n }
        assert.deepStrictEqual(yield* charge(exact, own), { _tag: "charged" })
      })
    )

    it.effect("what was paid whatever the caps say counts once, and against what comes after", () =>
      Effect.gen(function* () {
        const { used } = yield* charging
        const { charge } = yield* Outlay
        const { run } = yield* Atomically
        const [mine, other] = [(yield* Stored.account()).id, (yield* Stored.account()).id]
        const before = aCharge(mine, { units: 4n })
        const { chainId, day } = before
        const limits = Effect.succeed({ accountUnits: 20n, installationUnits: 30n })
        const nothing = Effect.succeed({ accountUnits: null, installationUnits: null })
        yield* run(charge([[before, limits]]))
        const paid = [
          aCharge(mine, { chainId, units: 15n }),
          aCharge(other, { chainId, units: 10n })
        ]
        for (let time = 0; time < 2; time++) {
          const charged = yield* run(charge(paid.map((each) => [each, nothing] as const)))
          assert.deepStrictEqual(charged, [{ _tag: "charged" }, { _tag: "charged" }])
          assert.deepStrictEqual(yield* used(chainId, day, mine), {
            accountUnits: 19n,
            installationUnits: 29n
          })
        }
        const more = (accountId: string, units: bigint) =>
          Effect.map(
            run(charge([[aCharge(accountId, { chainId, units }), limits]])),
            ([charged]) => charged
          )
        assert.deepStrictEqual(yield* more(mine, 2n), { _tag: "over", scope: "account" })
        assert.deepStrictEqual(yield* more(other, 2n), { _tag: "over", scope: "installation" })
        assert.deepStrictEqual(yield* more(other, 1n), { _tag: "charged" })
        const last = aCharge(other, { chainId, units: 9n })
        yield* run(charge([[last, nothing]]))
        assert.strictEqual((yield* used(chainId, day, other)).installationUnits, 39n)
      })
    )

    it.effect("charges that come together are judged one after the other, in their order", () =>
      Effect.gen(function* () {
        const { charge, used } = yield* Outlay
        const [mine, other] = [(yield* Stored.account()).id, (yield* Stored.account()).id]
        const first = aCharge(mine, { units: 4n })
        const { chainId, day } = first
        const limits = { accountUnits: 10n, installationUnits: 16n }
        const all = [
          first,
          aCharge(mine, { chainId, units: 7n }),
          aCharge(mine, { chainId, units: 6n }),
          aCharge(other, { chainId, units: 7n }),
          { ...first, units: 3n },
          aCharge(other, { chainId, units: 6n })
        ]
        let reads = 0
        const reading = Effect.sync(() => {
          reads += 1
          return limits
        })
        const charged = yield* charge(all.map((each) => [each, reading] as const))
        assert.strictEqual(reads, 1)
        assert.deepStrictEqual(charged, [
          { _tag: "charged" },
          { _tag: "over", scope: "account" },
          { _tag: "charged" },
          { _tag: "over", scope: "installation" },
          { _tag: "charged" },
          { _tag: "charged" }
        ])
        assert.deepStrictEqual(yield* used(chainId, day, mine), {
          accountUnits: 10n,
          installationUnits: 16n
        })
        assert.strictEqual((yield* used(chainId, day, other)).accountUnits, 6n)
        assert.deepStrictEqual(yield* charge([]), [])
      })
    )

    it.effect("of many at once as many are charged as fit", () =>
      Effect.gen(function* () {
        const { charge, used } = yield* charging
        const accountId = (yield* Stored.account()).id
        const { chainId, day } = aCharge(accountId)
        const limits = { accountUnits: 7n, installationUnits: 100n }
        const charged = yield* Effect.all(
          Array.from({ length: 20 }, () =>
            charge(aCharge(accountId, { chainId, units: 1n }), limits)
          ),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(
          charged.filter((each) => each?._tag === "charged"),
          7
        )
        assert.deepStrictEqual(yield* used(chainId, day, accountId), {
          accountUnits: 7n,
          installationUnits: 7n
        })
      })
    )
  })
