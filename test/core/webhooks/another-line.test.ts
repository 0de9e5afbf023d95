/**
 * What merchants see of webhooks when the records were replaced by those of a standby that lacked the newest: what they
 * know is told under the same id, and no number that they may have seen is given to anything else.
 */
import { assert, describe, it } from "@effect/vitest"
import { type Context, type DateTime, Effect, Layer } from "effect"
import * as Memory from "../../../adapters/memory/memory.ts"
import { type MemoryStore, Store } from "../../../adapters/memory/store.ts"
import type { Connection } from "../../../adapters/postgres/engine.ts"
import { LeaseClock, ofCaller } from "../../../adapters/postgres/leases.ts"
import * as Stores from "../../../adapters/postgres/stores.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { Accounts } from "../../../core/accounts/account-store.ts"
import * as Announce from "../../../core/payments/announce.ts"
import { PaymentRequests } from "../../../core/payments/request-store.ts"
import { Wallets } from "../../../core/wallets/wallet-store.ts"
import { Deliveries, Events } from "../../../core/webhooks/delivery-store.ts"
import type { WebhookEndpoints } from "../../../core/webhooks/endpoint-store.ts"
import { claimAt, concludeAsDelivered, heldBy, queued } from "../../support/delivery-queue.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import * as FreshEmbedded from "../../support/fresh-embedded-database.ts"
import * as Lines from "../../support/lines.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"

/** More than anybody is sent in the moments that are lost. */
const gap = 1_000_000

type Parts = Accounts | Deliveries | Events | WebhookEndpoints
type Begin = (number: number, at: DateTime.Utc, isKept?: boolean) => Effect.Effect<unknown>

/** The numbers that the deliveries of an endpoint get. */
const numbersOf = Effect.fnUntraced(function* (
  endpoint: Parameters<typeof queued>[0],
  seconds: number,
  count: number
) {
  yield* queued(
    endpoint,
    Array.from({ length: count }, () => seconds)
  )
  const claimed = yield* claimAt(seconds)
  yield* Effect.forEach(claimed, (each) => concludeAsDelivered(each), { discard: true })
  yield* (yield* Deliveries).release(heldBy(claimed))
  return claimed.map(({ delivery }) => delivery.sequence)
})

const numbering = (begin: Begin) =>
  Effect.gen(function* () {
    const account = yield* Stored.account()
    const old = yield* Stored.endpoint(account.id)
    assert.deepStrictEqual(yield* numbersOf(old, 10, 3), [1, 2, 3])
    const { nextVersions } = yield* Events
    const nextVersion = (pid: string, madeAt: DateTime.Utc) =>
      Effect.map(nextVersions([{ accountId: account.id, pid, madeAt }]), ([version]) => version)
    const [known, forgotten] = [Rows.aPid(), Rows.aPid()]
    assert.strictEqual(yield* nextVersion(known, Rows.at(5)), 1)
    yield* begin(2, Rows.at(100))
    assert.deepStrictEqual(yield* numbersOf(old, 200, 2), [gap + 4, gap + 5])
    assert.deepStrictEqual(yield* numbersOf(old, 300, 1), [gap + 6])
    assert.strictEqual(yield* nextVersion(known, Rows.at(5)), gap + 2)
    assert.strictEqual(yield* nextVersion(known, Rows.at(5)), gap + 3)
    // Whatever it had is lost, so what it may have had is passed over.
    assert.strictEqual(yield* nextVersion(forgotten, Rows.at(5)), gap + 1)
    const fresh = yield* Stored.endpoint(account.id, { createdAt: Rows.at(400) })
    assert.deepStrictEqual(yield* numbersOf(fresh, 500, 2), [1, 2])
    assert.strictEqual(yield* nextVersion(Rows.aPid(), Rows.at(400)), 1)
    yield* begin(4, Rows.at(600))
    assert.deepStrictEqual(yield* numbersOf(old, 700, 1), [3 * gap + 7])
    assert.deepStrictEqual(yield* numbersOf(fresh, 800, 1), [2 * gap + 3])
    assert.strictEqual(yield* nextVersion(known, Rows.at(5)), 3 * gap + 4)
  })

const onSql = <E, R>(engine: Layer.Layer<Connection, E, R>) => {
  const clock = Layer.succeed(LeaseClock, ofCaller)
  return Layer.fresh(Layer.provideMerge(Stores.layer, Layer.merge(engine, clock)))
}

const sqlNumbering = <E>(engine: Layer.Layer<Connection, E>) =>
  Effect.gen(function* () {
    const context = yield* Layer.build(onSql(engine))
    const begin: Begin = (number, at, isKept) =>
      Effect.orDie(Effect.provideContext(Lines.beginOnSql(number, at, isKept), context))
    yield* Effect.provideContext(numbering(begin), context as Context.Context<Parts>)
    return { begin, context }
  })

describe("numbers that merchants see", () => {
  it.live("go on above a gap in memory", () =>
    Effect.gen(function* () {
      const context: Context.Context<Parts | MemoryStore> = yield* Layer.build(Memory.layer())
      const begin: Begin = (number, at) =>
        Effect.provideContext(Lines.beginInMemory(number, at), context)
      yield* Effect.provideContext(numbering(begin), context)
    }).pipe(Effect.scoped)
  )

  it.live(
    "go on above a gap on the embedded engine",
    () => Effect.scoped(sqlNumbering(FreshEmbedded.engine)),
    180_000
  )

  it.live(
    "go on above a gap on a server, and nothing is handed out before the line is its own",
    () =>
      Effect.gen(function* () {
        const { begin, context } = yield* sqlNumbering(FreshDatabase.engine)
        yield* Effect.gen(function* () {
          const endpoint = yield* Stored.endpoint((yield* Stored.account()).id)
          yield* begin(5, Rows.at(900), false)
          assert.deepStrictEqual(yield* numbersOf(endpoint, 1000, 1), [])
          yield* begin(5, Rows.at(900))
          assert.lengthOf(yield* claimAt(1001), 1)
        }).pipe(Effect.provideContext(context as Context.Context<Parts>))
      }).pipe(Effect.scoped),
    180_000
  )
})

describe("an event that is told again after its records were lost", () => {
  const vault = Rows.aVault(Rows.anId())
  const request = Rows.aPaymentRequest(vault)

  /** A process over records of its own, in which other ids are drawn. */
  const events = (seed: number) =>
    Effect.gen(function* () {
      yield* (yield* Accounts).open(Rows.anAccount({ id: vault.accountId }))
      yield* (yield* Wallets).add(vault)
      yield* (yield* PaymentRequests).open(request)
      const failure = { reason: "expired", method: "direct" as const }
      return {
        created: yield* Announce.created(request),
        paid: yield* Announce.paid({ ...request, status: "paid" }),
        expired: yield* Effect.map(
          Announce.allExpired([{ ...request, status: "expired" }]),
          ([event]) => event ?? assert.fail("Nothing was told.")
        ),
        failed: yield* Announce.paymentFailed(request, failure, "one payment"),
        other: yield* Announce.paymentFailed(request, failure, "another"),
        again: yield* Announce.paid({ ...request, status: "paid" })
      }
    }).pipe(
      Effect.provide(
        Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain(["local"]) }, seed)
      )
    )

  it.effect("has the id that its receivers know, and no other event has it", () =>
    Effect.gen(function* () {
      const [before, after] = [yield* events(1), yield* events(2)]
      const ids = (told: typeof before) => Object.values(told).map(({ id }) => id)
      assert.deepStrictEqual(ids(before), ids(after))
      assert.strictEqual(new Set(ids(before)).size, 6)
      for (const { body, id } of Object.values(before)) {
        assert.match(id, /^evt_[0-9A-Za-z]{24}$/u)
        assert.strictEqual(JSON.parse(body).id, id)
      }
    })
  )
})
