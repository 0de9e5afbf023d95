/** What every store of payment requests must do. */
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Exit, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import * as Usdc from "../../core/money/usdc.ts"
import type * as Page from "../../core/operation/page.ts"
import { type Filter, PaymentRequests } from "../../core/payments/request-store.ts"
import type { Status } from "../../core/payments/status.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import type { Wallets } from "../../core/wallets/wallet-store.ts"
import * as PageWalk from "../support/page-walk.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

export const suite = (
  name: string,
  stores: Layer.Layer<PaymentRequests | Wallets | Accounts | Atomically>
) =>
  layer(stores)(`${name}: payment requests`, (it) => {
    it.effect("a request is read back as it was, by id and by public id, by its account only", () =>
      Effect.gen(function* () {
        const requests = yield* PaymentRequests
        const vault = yield* Stored.vault()
        const stranger = yield* Stored.account()
        const bare = yield* Stored.paymentRequest(vault, {
          description: null,
          externalReference: null,
          metadata: {},
          customer: null
        })
        const full = yield* Stored.paymentRequest(vault, {
          amountMicro: 9_007_199_254_740_993n,
          metadata: { nested: { list: [1, 2.5, "three", null, false] } },
          product: { slug: "mug", name: "Mug ✓", externalSkuId: "sku-1" },
          checkoutSessionId: Rows.anId(),
          successUrl: "https://merchant.example/thanks?a=1",
          cancelUrl: "https://merchant.example/cart",
          expiresAt: Rows.at(3600.123)
        })
        for (const request of [bare, full]) {
          assert.deepStrictEqual(yield* requests.find(vault.accountId, request.id), request)
          assert.deepStrictEqual(yield* requests.find(vault.accountId, request.pid), request)
          assert.deepStrictEqual(yield* requests.findPublic(request.pid), request)
          assert.isUndefined(yield* requests.find(stranger.id, request.id))
          assert.isUndefined(yield* requests.find(stranger.id, request.pid))
        }
        assert.isUndefined(yield* requests.find(vault.accountId, "not-an-id"))
        assert.isUndefined(yield* requests.findPublic(bare.id))
      })
    )

    it.effect("no two requests share a public id", () =>
      Effect.gen(function* () {
        const requests = yield* PaymentRequests
        const vault = yield* Stored.vault()
        const first = yield* Stored.paymentRequest(vault)
        const twin = Rows.aPaymentRequest(yield* Stored.vault(), { pid: first.pid })
        assert.isTrue(Exit.isFailure(yield* Effect.exit(requests.open(twin))))
        assert.deepStrictEqual(yield* requests.findPublic(first.pid), first)
      })
    )

    it.effect("requests are listed by account, vault and status, newest first", () =>
      Effect.gen(function* () {
        const requests = yield* PaymentRequests
        const vault = yield* Stored.vault()
        const second = yield* Stored.vault({ accountId: vault.accountId })
        yield* Stored.paymentRequest(yield* Stored.vault())
        const statuses: ReadonlyArray<Status> = ["open", "paid", "open", "expired", "open"]
        const rows = yield* Effect.forEach(statuses, (status, index) =>
          Stored.paymentRequest(index === 4 ? second : vault, {
            status,
            createdAt: Rows.at(index < 3 ? 1 : 2)
          })
        )
        const read = (filter: { vaultId?: string; status?: Status }) =>
          Effect.map(
            PageWalk.readAll(2, (page) => requests.list(vault.accountId, filter, page)),
            PageWalk.ids
          )
        const order = PageWalk.newestFirst
        assert.deepStrictEqual(yield* read({}), order(rows))
        assert.deepStrictEqual(yield* read({ vaultId: vault.id }), order(rows.slice(0, 4)))
        assert.deepStrictEqual(
          yield* read({ status: "open" }),
          order(rows.filter((row) => row.status === "open"))
        )
        assert.deepStrictEqual(
          yield* read({ vaultId: second.id, status: "open" }),
          order(rows.slice(4))
        )
        assert.deepStrictEqual(yield* read({ status: "cancelled" }), [])
      })
    )

    it.effect("requests are listed by reference, customer, amount and time, bounds included", () =>
      Effect.gen(function* () {
        const requests = yield* PaymentRequests
        const ada = { externalId: "ada", namespace: "shop" }
        const vault = yield* Stored.vault({ customer: ada })
        const { accountId } = vault
        const others = yield* Stored.vault({ accountId, customer: { ...ada, namespace: "other" } })
        const nobodys = yield* Stored.vault({ accountId, customer: null })
        const order = { externalReference: "order-1" }
        const rows = yield* Effect.forEach(
          [
            [vault, { ...order, amountMicro: Usdc.make(5n) }],
            [others, { ...order, amountMicro: Usdc.make(6n) }],
            [vault, { externalReference: "order-10", amountMicro: Usdc.make(7n) }],
            [nobodys, { externalReference: null, amountMicro: Usdc.make(6n) }]
          ] as const,
          ([on, over], index) =>
            Stored.paymentRequest(on, { createdAt: Rows.at(index + 1), ...over })
        )
        const read = (filter: Filter, period: Pick<Page.Request, "since" | "until"> = {}) =>
          Effect.map(
            PageWalk.readAll(1, (page) =>
              requests.list(vault.accountId, filter, { ...page, ...period })
            ),
            PageWalk.ids
          )
        const ids = (...places: ReadonlyArray<number>) =>
          PageWalk.ids(places.flatMap((place) => rows[place] ?? []))
        assert.deepStrictEqual(yield* read(order), ids(1, 0))
        assert.deepStrictEqual(yield* read({ customer: ada }), ids(2, 0))
        assert.deepStrictEqual(yield* read({ ...order, customer: ada }), ids(0))
        assert.deepStrictEqual(yield* read({ customer: ada, vaultId: others.id }), [])
        assert.deepStrictEqual(yield* read({ customer: ada, minMicro: Usdc.make(6n) }), ids(2))
        const elsewhere = yield* Stored.vault({ customer: ada })
        yield* Stored.paymentRequest(elsewhere)
        assert.deepStrictEqual(yield* read({ customer: ada }), ids(2, 0))
        const [six, seven] = [Usdc.make(6n), Usdc.make(7n)]
        assert.deepStrictEqual(yield* read({ minMicro: six, maxMicro: six }), ids(3, 1))
        assert.deepStrictEqual(yield* read({ minMicro: seven }), ids(2))
        assert.deepStrictEqual(yield* read({}, { since: Rows.at(2), until: Rows.at(4) }), ids(2, 1))
        assert.deepStrictEqual(yield* read(order, { since: Rows.at(2) }), ids(1))
        assert.deepStrictEqual(yield* read({ maxMicro: six }, { until: Rows.at(2) }), ids(0))
      })
    )

    it.effect("a locked request is written back whole", () =>
      Effect.gen(function* () {
        const requests = yield* PaymentRequests
        const request = yield* Stored.paymentRequest(yield* Stored.vault())
        const paid = {
          ...request,
          receivedMicro: Usdc.make(12_000_000n),
          status: "paid",
          settlementIssue: "overpaid",
          updatedAt: Rows.at(7),
          expiresAt: Rows.at(9999),
          paidAt: Rows.at(6),
          txHash: Rows.aTxHash(),
          method: "checkout",
          payerAddress: Rows.anAddressKey()
        } as const
        yield* (yield* Atomically).run(
          Effect.gen(function* () {
            assert.deepStrictEqual(yield* requests.lock(request.id), request)
            yield* requests.settle(paid)
          })
        )
        assert.deepStrictEqual(yield* requests.find(request.accountId, request.id), paid)
        assert.isUndefined(yield* (yield* Atomically).run(requests.lock(Rows.anId())))
      })
    )

    it.effect("several requests are locked together, and written back each as it is", () =>
      Effect.gen(function* () {
        const requests = yield* PaymentRequests
        const [vault, other] = [yield* Stored.vault(), yield* Stored.vault()]
        const first = yield* Stored.paymentRequest(vault)
        const second = yield* Stored.paymentRequest(other, { status: "partially_paid" })
        const untouched = yield* Stored.paymentRequest(vault)
        const expired = [
          { ...first, status: "expired", updatedAt: Rows.at(7) },
          { ...second, status: "expired", settlementIssue: "underpaid", updatedAt: Rows.at(8) }
        ] as const
        yield* (yield* Atomically).run(
          Effect.gen(function* () {
            const locked = yield* requests.lockFree([second.id, Rows.anId(), first.id])
            assert.sameDeepMembers([...locked], [first, second])
            yield* requests.settleAll(expired)
          })
        )
        for (const each of [...expired, untouched]) {
          assert.deepStrictEqual(yield* requests.find(each.accountId, each.id), each)
        }
        const unknown = { ...first, id: Rows.anId() }
        const exit = yield* Effect.exit((yield* Atomically).run(requests.settleAll([unknown])))
        assert.strictEqual(exit._tag, "Failure")
      })
    )

    it.effect("those who lock one request take turns, so no credit is lost", () =>
      Effect.gen(function* () {
        const requests = yield* PaymentRequests
        const atomically = yield* Atomically
        const request = yield* Stored.paymentRequest(yield* Stored.vault())
        const credit = atomically.run(
          Effect.gen(function* () {
            const locked = yield* requests.lock(request.id)
            assert.isDefined(locked)
            yield* Effect.yieldNow
            if (locked === undefined) return
            yield* requests.settle({
              ...locked,
              receivedMicro: Usdc.make(locked.receivedMicro + 1n)
            })
          })
        )
        yield* Effect.all(
          Array.from({ length: 16 }, () => credit),
          { concurrency: "unbounded", discard: true }
        )
        assert.strictEqual(
          (yield* requests.find(request.accountId, request.id))?.receivedMicro,
          16n
        )
      })
    )

    it.effect(
      "of a vault those that take money and those that ended are read apart, oldest first",
      () =>
        Effect.gen(function* () {
          const requests = yield* PaymentRequests
          const vault = yield* Stored.vault()
          yield* Stored.paymentRequest(yield* Stored.vault({ accountId: vault.accountId }))
          const statuses: ReadonlyArray<Status> = [
            "cancelled",
            "paid",
            "expired",
            "partially_paid",
            "processing",
            "open"
          ]
          const rows = yield* Effect.forEach(statuses, (status, index) =>
            Stored.paymentRequest(vault, { status, createdAt: Rows.at(20 - index) })
          )
          const near = { vaultId: vault.id, amountMicro: Usdc.make(10_000_000n), max: 9 }
          const payable = yield* (yield* Atomically).run(requests.lockPayableNear(near))
          const ended = [rows[2], rows[0]].flatMap((row) => row ?? [])
          assert.deepStrictEqual(payable, rows.slice(3).toReversed())
          assert.deepStrictEqual(yield* requests.endedNear(near), ended)
        })
    )

    it.effect("of many no more are read than asked for, but always those of the amount", () =>
      Effect.gen(function* () {
        const requests = yield* PaymentRequests
        const vault = yield* Stored.vault()
        const planted = (status: Status) =>
          Effect.forEach(Array(12).fill(0), (_, index) =>
            Stored.paymentRequest(vault, {
              status,
              amountMicro: index === 2 ? 7_000_000n : index === 4 ? 9_000_000n : 1_000_000n,
              receivedMicro: index === 4 ? 2_000_000n : 0n,
              createdAt: Rows.at(index),
              // Whoever expires last is nearest, whenever it was made.
              expiresAt: Rows.at(5000 - index)
            })
          )
        const near = { vaultId: vault.id, amountMicro: Usdc.make(7_000_000n), max: 2 }
        const nearest = (rows: ReadonlyArray<{ readonly id: string }>) =>
          PageWalk.ids([0, 1, 2, 4].flatMap((index) => rows[index] ?? []))
        const open = yield* planted("open")
        const expired = yield* planted("expired")
        const locked = yield* (yield* Atomically).run(requests.lockPayableNear(near))
        assert.deepStrictEqual(PageWalk.ids(locked), nearest(open))
        assert.deepStrictEqual(PageWalk.ids(yield* requests.endedNear(near)), nearest(expired))
        const alike = yield* requests.endedNear({
          ...near,
          amountMicro: Usdc.make(1_000_000n),
          max: 3
        })
        assert.deepStrictEqual(PageWalk.ids(alike), PageWalk.ids(expired.slice(0, 4)))
      })
    )

    it.effect("a request is overdue when its own chain's final blocks have passed its expiry", () =>
      Effect.gen(function* () {
        const requests = yield* PaymentRequests
        const [chainId, slow] = [Rows.aChainId(), Rows.aChainId()]
        const vault = yield* Stored.vault({ chainId })
        const slowVault = yield* Stored.vault({ accountId: vault.accountId, chainId: slow })
        const expiresAt = Rows.at(100)
        const open = yield* Stored.paymentRequest(vault, { expiresAt })
        const partial = yield* Stored.paymentRequest(vault, { expiresAt, status: "partially_paid" })
        for (const status of ["processing", "paid", "expired", "cancelled"] as const) {
          yield* Stored.paymentRequest(vault, { expiresAt, status })
        }
        yield* Stored.paymentRequest(vault, { expiresAt: Rows.at(300) })
        yield* Stored.paymentRequest(slowVault, { expiresAt })
        const upTo = (seconds: number, limit = 10) =>
          requests.overdue(
            [
              { chainId, finalTime: Rows.at(seconds) },
              { chainId: slow, finalTime: Rows.at(50) }
            ],
            limit
          )
        // Blocks may share a timestamp: the one after a block stamped at the expiry may be in time too.
        assert.deepStrictEqual(yield* upTo(100), [])
        assert.sameMembers([...(yield* upTo(100.001))], [open.id, partial.id])
        assert.strictEqual((yield* upTo(101, 1)).length, 1)
        assert.deepStrictEqual(yield* requests.overdue([], 10), [])
      })
    )

    it.effect("times keep their milliseconds", () =>
      Effect.gen(function* () {
        const requests = yield* PaymentRequests
        const request = yield* Stored.paymentRequest(yield* Stored.vault(), {
          createdAt: Rows.at(1.001),
          updatedAt: Rows.at(1.999)
        })
        const read = yield* requests.findPublic(request.pid)
        assert.strictEqual(
          read === undefined ? 0 : DateTime.toEpochMillis(read.createdAt),
          DateTime.toEpochMillis(Rows.at(0)) + 1001
        )
      })
    )

    it.effect("requests are found by the references that a payment names, on their own vault", () =>
      Effect.gen(function* () {
        const requests = yield* PaymentRequests
        const vault = yield* Stored.vault()
        const reference = () => Rows.anAddressKey()
        const [open, paid] = [
          yield* Stored.paymentRequest(vault, { reference: reference() }),
          yield* Stored.paymentRequest(vault, {
            reference: reference(),
            status: "paid",
            createdAt: Rows.at(1)
          })
        ]
        yield* Stored.paymentRequest(vault)
        const elsewhere = yield* Stored.paymentRequest(yield* Stored.vault(), {
          reference: reference()
        })
        const named = [paid, elsewhere, open].flatMap(({ reference }) => reference ?? [])
        const found = yield* requests.lockReferenced(vault.id, [...named, reference(), ...named])
        assert.deepStrictEqual(found, [open, paid])
        assert.deepStrictEqual(yield* requests.lockReferenced(vault.id, []), [])
        assert.deepStrictEqual(yield* requests.lockReferenced(vault.id, [reference()]), [])
      })
    )
  })
