/** On a server: charges of strangers wait for nobody, and together they never pass a cap, whoever dies on the way. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Stores from "../../../adapters/postgres/stores.ts"
import type { OutlayLimits } from "../../../core/policy/outlay.ts"
import { type Charge, Outlay } from "../../../core/policy/outlay-ledger.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"

const stores = Layer.unwrap(
  Effect.map(FreshDatabase.url(), (address) => {
    const engine = FreshDatabase.engineAt(address, 24)
    return Layer.merge(Layer.orDie(Layer.provide(Stores.layer, engine)), engine)
  })
)

const all = { concurrency: "unbounded" } as const

type Asked = Pick<Charge, "chainId" | "accountId" | "units">

/** Charges it by a key of its own, in a transaction that goes on with more. */
const charging = Effect.fnUntraced(function* <E = never, R = never>(
  asked: Asked,
  limits: OutlayLimits,
  more: Effect.Effect<unknown, E, R> = Effect.void
) {
  const { charge } = yield* Outlay
  const one: Charge = { ...asked, key: Rows.anId(), day: "2030-01-01", at: Rows.at(0) }
  return yield* (yield* Atomically).run(
    Effect.gen(function* () {
      const [charged] = yield* charge([[one, Effect.succeed(limits)]])
      yield* more
      return charged?._tag
    })
  )
})

/** What waits is written before it answers. */
const written = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.orDie(sql`select count(*) from outlay`)
)

/** The ledger and the sums that are kept of it. */
const sums = Effect.fnUntraced(function* (chainId: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* Effect.orDie(
    sql<Record<"accounts" | "given" | "ledger" | "ofAccounts" | "shares", bigint>>`
      select (select coalesce(sum(units), 0)::bigint from outlay where chain_id = ${chainId}) as ledger,
        (select coalesce(sum(units), 0)::bigint from outlay
          where chain_id = ${chainId} and account_id is not null) as "ofAccounts",
        (select coalesce(sum(units), 0)::bigint from outlay_sum where chain_id = ${chainId}) as accounts,
        coalesce(sum(units), 0)::bigint as shares, coalesce(sum(given_units), 0)::bigint as given
      from outlay_share where chain_id = ${chainId}`
  )
  if (row === undefined) throw new Error("There are no sums.")
  assert.strictEqual(row.shares, row.ledger)
  assert.strictEqual(row.accounts, row.ofAccounts)
  return row
})

const anAccount = Effect.map(Stored.account(), ({ id }) => id)

/** So much for everybody; one account may have all of it. */
const capped = (installationUnits: bigint): OutlayLimits => ({
  accountUnits: installationUnits,
  installationUnits
})

/** Charges 5 to each, and lets none commit until all were charged. */
const meetingAll = Effect.fnUntraced(function* (
  chainId: string,
  limits: OutlayLimits,
  accounts: ReadonlyArray<string>
) {
  const charged = yield* Effect.all(accounts.map(() => Deferred.make<void>()))
  const meet = (at: number) =>
    Effect.andThen(
      Effect.andThen(written, Deferred.succeed(charged[at] as Deferred.Deferred<void>, undefined)),
      Effect.forEach(charged, (each) => Deferred.await(each))
    )
  return yield* Effect.forEach(
    accounts,
    (accountId, at) => charging({ chainId, accountId, units: 5n }, limits, meet(at)),
    all
  )
})

/** Until so many sessions wait for an advisory lock. */
const waitingForLocks = (howMany: number) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.repeat(
      Effect.orDie(
        sql<{ readonly waiting: number }>`select count(*)::int as waiting from pg_locks
          where locktype = 'advisory' and not granted`
      ),
      { until: ([row]) => row?.waiting === howMany }
    )
  )

layer(stores, { excludeTestServices: true })("charges of outlay at once", (it) => {
  it.effect("strangers are charged while each other's charges are not committed", () =>
    Effect.gen(function* () {
      const chainId = Rows.aChainId()
      const limits = capped(100_000n)
      const [first, other, third] = yield* Effect.all([anAccount, anAccount, anAccount])
      yield* charging({ chainId, accountId: first, units: 1n }, limits)
      const [isHeld, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const hold = Effect.andThen(written, Deferred.succeed(isHeld, undefined))
      const holding = yield* Effect.forkChild(
        charging(
          { chainId, accountId: first, units: 5n },
          limits,
          Effect.andThen(hold, Deferred.await(mayEnd))
        )
      )
      yield* Deferred.await(isHeld)
      for (const accountId of [other, third, null]) {
        const tag = yield* charging({ chainId, accountId, units: 5n }, limits)
        assert.strictEqual(tag, "charged")
      }
      yield* Deferred.succeed(mayEnd, undefined)
      assert.strictEqual(yield* Fiber.join(holding), "charged")
      assert.strictEqual((yield* sums(chainId)).ledger, 21n)
    })
  )

  it.effect("as many strangers as were given shares are charged while none has committed", () =>
    Effect.gen(function* () {
      const chainId = Rows.aChainId()
      const limits = capped(100_000n)
      const accounts = yield* Effect.all(Array.from({ length: 8 }, () => anAccount))
      yield* charging({ chainId, accountId: null, units: 1n }, limits)
      const tags = yield* meetingAll(chainId, limits, accounts)
      assert.isTrue(tags.every((tag) => tag === "charged"))
      assert.strictEqual((yield* sums(chainId)).ledger, 41n)
    })
  )

  it.effect("strangers who waited for the first charge of a day do not wait for each other", () =>
    Effect.gen(function* () {
      const chainId = Rows.aChainId()
      const limits = capped(100_000n)
      const accounts = yield* Effect.all(Array.from({ length: 4 }, () => anAccount))
      const [isHeld, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const hold = Effect.andThen(written, Deferred.succeed(isHeld, undefined))
      const first = yield* Effect.forkChild(
        charging(
          { chainId, accountId: null, units: 5n },
          limits,
          Effect.andThen(hold, Deferred.await(mayEnd))
        )
      )
      yield* Deferred.await(isHeld)
      const others = yield* Effect.forkChild(meetingAll(chainId, limits, accounts))
      yield* waitingForLocks(accounts.length)
      yield* Deferred.succeed(mayEnd, undefined)
      assert.strictEqual(yield* Fiber.join(first), "charged")
      assert.isTrue((yield* Fiber.join(others)).every((tag) => tag === "charged"))
      assert.strictEqual((yield* sums(chainId)).ledger, 25n)
    })
  )

  it.effect.each([
    ["the installation's", { accountUnits: null, installationUnits: 10n }, false],
    ["the account's", { accountUnits: 10n, installationUnits: 1000n }, true],
    ["both", { accountUnits: 12n, installationUnits: 12n }, true]
  ] as const)("two that are judged before either is written share %s cap", ([, limits, isOne]) =>
    Effect.gen(function* () {
      const chainId = Rows.aChainId()
      const [mine, other] = yield* Effect.all([anAccount, anAccount])
      const [one, two] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const meeting = (here: Deferred.Deferred<void>, there: Deferred.Deferred<void>) =>
        Effect.andThen(Deferred.succeed(here, undefined), Deferred.await(there))
      const tags = yield* Effect.all(
        [
          charging({ chainId, accountId: mine, units: 6n }, limits, meeting(one, two)),
          charging(
            { chainId, accountId: isOne ? mine : other, units: 6n },
            limits,
            meeting(two, one)
          )
        ],
        all
      )
      const fits = limits.installationUnits === 12n
      assert.sameMembers(tags, ["charged", fits ? "charged" : "over"])
      assert.strictEqual((yield* sums(chainId)).ledger, fits ? 12n : 6n)
    })
  )

  it.effect(
    "of a crowd whose sessions die on the way none passes the cap, and what the dead held is there again",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const chainId = Rows.aChainId()
        const limits = capped(400n)
        const accounts = yield* Effect.all(Array.from({ length: 12 }, () => anAccount))
        const dying = Effect.andThen(
          written,
          Effect.orDie(sql`select pg_terminate_backend(pg_backend_pid())`)
        )
        const failing = Effect.andThen(written, Effect.fail("undone" as const))
        const exits = yield* Effect.forEach(
          Array.from({ length: 150 }, (_, at) => at),
          (at) => {
            const asked = {
              chainId,
              accountId: accounts[at % 12] ?? null,
              units: BigInt(1 + (at % 9))
            }
            const more = at % 10 === 3 ? dying : at % 10 === 7 ? failing : written
            return Effect.exit(charging(asked, limits, more))
          },
          all
        )
        const undone = exits.filter(Exit.isFailure).length
        assert.isAbove(undone, 10)
        const before = yield* sums(chainId)
        assert.isAtMost(Number(before.given), 400)
        assert.isAbove(Number(before.ledger), 380)
        const left = 400n - before.ledger
        const rest = { chainId, accountId: null }
        if (left > 0n) {
          assert.strictEqual(yield* charging({ ...rest, units: left }, limits), "charged")
        }
        assert.strictEqual(yield* charging({ ...rest, units: 1n }, limits), "over")
        const after = yield* sums(chainId)
        assert.deepInclude(after, { ledger: 400n, given: 400n })
      }),
    60_000
  )

  it.effect("a share given under a higher cap is not charged under a lower one", () =>
    Effect.gen(function* () {
      const chainId = Rows.aChainId()
      const [mine, other] = yield* Effect.all([anAccount, anAccount])
      yield* charging({ chainId, accountId: mine, units: 50n }, capped(1000n))
      const lower = capped(60n)
      const [one, two] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const tags = yield* Effect.all(
        [
          charging(
            { chainId, accountId: mine, units: 6n },
            lower,
            Effect.andThen(Deferred.succeed(one, undefined), Deferred.await(two))
          ),
          charging(
            { chainId, accountId: other, units: 6n },
            lower,
            Effect.andThen(Deferred.succeed(two, undefined), Deferred.await(one))
          )
        ],
        all
      )
      assert.sameMembers(tags, ["charged", "over"])
      assert.strictEqual((yield* sums(chainId)).ledger, 56n)
    })
  )

  it.effect("what had to be paid passes the cap, and counts against what comes after", () =>
    Effect.gen(function* () {
      const chainId = Rows.aChainId()
      const limits = capped(100n)
      const mine = { chainId, accountId: yield* anAccount }
      yield* charging({ ...mine, units: 1n }, limits)
      const unbounded = { accountUnits: null, installationUnits: null }
      assert.strictEqual(
        yield* charging({ chainId, accountId: null, units: 70n }, unbounded),
        "charged"
      )
      assert.strictEqual(yield* charging({ ...mine, units: 30n }, limits), "over")
      assert.strictEqual(yield* charging({ ...mine, units: 29n }, limits), "charged")
      yield* charging({ chainId, accountId: null, units: 70n }, unbounded)
      assert.strictEqual(yield* charging({ ...mine, units: 1n }, limits), "over")
      assert.strictEqual((yield* sums(chainId)).ledger, 170n)
    })
  )
})
