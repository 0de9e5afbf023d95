/** What every store of webhook events must do. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import type { PaymentRequests } from "../../core/payments/request-store.ts"
import type { Wallets } from "../../core/wallets/wallet-store.ts"
import { type EventFilter, Events } from "../../core/webhooks/delivery-store.ts"
import * as PageWalk from "../support/page-walk.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

type Stores = Events | Accounts | PaymentRequests | Wallets

export const suite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: events`, (it) => {
    it.effect("an event keeps its exact text, and is read by its account only", () =>
      Effect.gen(function* () {
        const events = yield* Events
        const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
        const body = '{"b": 1,  "a":"\\u00e9 é ✓ 😀","big":12345678901234567890,"a":2}\n'
        const event = yield* Stored.event(mine.id, { body })
        const test = yield* Stored.event(mine.id, { type: "webhook.test", pid: null })
        assert.deepStrictEqual(yield* events.find(mine.id, event.id), event)
        assert.deepStrictEqual(yield* events.find(mine.id, test.id), test)
        assert.isUndefined(yield* events.find(other.id, event.id))
        assert.deepStrictEqual(yield* events.list(other.id, {}, { limit: 5 }), { rows: [] })
      })
    )

    it.effect("a notice is kept beside the events, and is in no list of them", () =>
      Effect.gen(function* () {
        const events = yield* Events
        const account = yield* Stored.account()
        const event = yield* Stored.event(account.id)
        const notice = yield* Stored.event(account.id, {
          object: "notice",
          type: "send_failed",
          pid: null,
          createdAt: Rows.at(1)
        })
        assert.deepStrictEqual(yield* events.find(account.id, notice.id), notice)
        const { rows } = yield* events.list(account.id, {}, { limit: 5 })
        assert.deepStrictEqual(rows, [event])
      })
    )

    it.effect("an event is written once", () =>
      Effect.gen(function* () {
        const events = yield* Events
        const account = yield* Stored.account()
        const event = yield* Stored.event(account.id)
        const another = Rows.anEvent(account.id)
        const written = yield* events.append([{ ...event, body: "{}" }, another])
        assert.deepStrictEqual([...written], [another.id])
        assert.deepStrictEqual(yield* events.find(account.id, another.id), another)
        assert.deepStrictEqual(yield* events.find(account.id, event.id), event)
      })
    )

    it.effect("events of one request are numbered from 1 on without a gap, whoever asks", () =>
      Effect.gen(function* () {
        const { nextVersions } = yield* Events
        const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
        const [pid, fresh] = [Rows.aPid(), Rows.aPid()]
        const of = (accountId: string, pid: string) => ({ accountId, pid, madeAt: Rows.at(0) })
        const asked = yield* Effect.all(
          Array.from({ length: 20 }, () => nextVersions([of(mine.id, pid)])),
          { concurrency: "unbounded" }
        )
        const inOrder = asked.flat().toSorted((one, another) => one - another)
        assert.deepStrictEqual(
          inOrder,
          Array.from({ length: 20 }, (_, at) => at + 1)
        )
        const several = [of(mine.id, fresh), of(mine.id, pid), of(other.id, pid)]
        assert.deepStrictEqual(yield* nextVersions(several), [1, 21, 1])
        const event = yield* Stored.event(mine.id, { pid, version: 3 })
        assert.deepStrictEqual(yield* (yield* Events).find(mine.id, event.id), event)
      })
    )

    it.effect("the events of a customer's requests are read alone, newest first", () =>
      Effect.gen(function* () {
        const events = yield* Events
        const ada = { externalId: "ada", namespace: "shop" }
        const vault = yield* Stored.vault({ customer: ada })
        const { accountId } = vault
        const bobs = yield* Stored.vault({ accountId, customer: { ...ada, externalId: "bob" } })
        const nobodys = yield* Stored.vault({ accountId, customer: null })
        const [one, two, bob, nobody] = [
          yield* Stored.paymentRequest(vault),
          yield* Stored.paymentRequest(vault),
          yield* Stored.paymentRequest(bobs),
          yield* Stored.paymentRequest(nobodys)
        ]
        const rows = yield* Effect.forEach(
          [one, two, bob, nobody, one],
          ({ pid, vaultId }, index) =>
            Stored.event(accountId, {
              pid,
              vaultId,
              version: index + 1,
              type: index === 4 ? "payment_request.paid" : "payment_request.created",
              createdAt: Rows.at(index < 3 ? 1 : 2)
            })
        )
        yield* Stored.event(accountId, { type: "webhook.test", pid: null, version: null })
        const stranger = yield* Stored.vault({ customer: ada })
        const theirs = yield* Stored.paymentRequest(stranger)
        yield* Stored.event(stranger.accountId, { pid: theirs.pid, vaultId: theirs.vaultId })
        const read = (filter: EventFilter) =>
          Effect.map(
            PageWalk.readAll(2, (request) => events.list(accountId, filter, request)),
            PageWalk.ids
          )
        const those = (...places: ReadonlyArray<number>) =>
          PageWalk.newestFirst(rows.filter((_, place) => places.includes(place)))
        assert.deepStrictEqual(yield* read({ customer: ada }), those(0, 1, 4))
        assert.deepStrictEqual(yield* read({ customer: ada, pid: one.pid }), those(0, 4))
        assert.deepStrictEqual(
          yield* read({ customer: ada, type: "payment_request.paid" }),
          those(4)
        )
        assert.deepStrictEqual(yield* read({ customer: { ...ada, namespace: "club" } }), [])
        assert.deepStrictEqual(yield* read({ customer: ada, pid: bob.pid }), [])
      })
    )

    it.effect(
      "events are listed by type and request, newest first; ids sort by their code units",
      () =>
        Effect.gen(function* () {
          const events = yield* Events
          const account = yield* Stored.account()
          const pid = Rows.aPid()
          const rows = yield* Effect.forEach(["Z", "a", "A", "z", "0", "B"], (letter, index) =>
            Stored.event(account.id, {
              // One instant: upper case before lower case, whatever language a database speaks.
              id: `evt_${letter}${Rows.anEventId().slice(5)}`,
              type: index % 2 === 0 ? "payment_request.created" : "payment_request.paid",
              ...(index < 4 ? { pid } : {})
            })
          )
          const read = (filter: EventFilter) =>
            Effect.map(
              PageWalk.readAll(2, (request) => events.list(account.id, filter, request)),
              PageWalk.ids
            )
          const order = PageWalk.newestFirst
          assert.deepStrictEqual(yield* read({}), order(rows))
          assert.deepStrictEqual(yield* read({ pid }), order(rows.slice(0, 4)))
          assert.deepStrictEqual(
            yield* read({ type: "payment_request.paid", pid }),
            order(rows.filter((_, index) => index % 2 === 1 && index < 4))
          )
          assert.deepStrictEqual(yield* read({ type: "payment_request.expired" }), [])
        })
    )
  })
