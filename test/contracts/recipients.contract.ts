/** What every store of recipients must do: an address stands once for an account and chain while not revoked. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import type { Proposals } from "../../core/proposals/proposal-store.ts"
import { Recipients } from "../../core/recipients/recipient-store.ts"
import * as Value from "../support/chain-values.ts"
import * as PageWalk from "../support/page-walk.ts"
import * as Rows from "../support/rows.ts"
import * as SendingRows from "../support/sending-rows.ts"
import * as Stored from "../support/stored-rows.ts"

type Stores = Recipients | Accounts | Atomically | Proposals

export const suite = (name: string, stores: Layer.Layer<Stores>) => {
  readingSuite(name, stores)
  standingSuite(name, stores)
}

const readingSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: recipients`, (it) => {
    it.effect("a recipient is read back as it was, by its account only", () =>
      Effect.gen(function* () {
        const recipients = yield* Recipients
        const { run } = yield* Atomically
        const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
        const rows = [
          SendingRows.aRecipient(mine.id, { cooldownEndsAt: Rows.at(86_400.123) }),
          SendingRows.aRecipient(mine.id, { status: "approved", isOwn: true, label: "Till ✓" }),
          SendingRows.aRecipient(mine.id, { status: "revoked" })
        ]
        for (const row of rows) {
          assert.isTrue(yield* recipients.add(row))
          assert.deepStrictEqual(yield* recipients.find(mine.id, row.id), row)
          assert.deepStrictEqual(yield* run(recipients.lock(mine.id, row.id)), row)
          assert.isUndefined(yield* recipients.find(other.id, row.id))
          assert.isUndefined(yield* run(recipients.lock(other.id, row.id)))
          assert.isUndefined(yield* recipients.standing(other.id, row.chainId, row.address))
        }
        assert.isUndefined(yield* recipients.find(mine.id, "not-an-id"))
        assert.deepStrictEqual(yield* recipients.list(other.id, { limit: 5 }), { rows: [] })
      })
    )

    it.effect("whom a proposal pays is found by its account only, as it stands now", () =>
      Effect.gen(function* () {
        const recipients = yield* Recipients
        const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
        const [row, unpaid] = [SendingRows.aRecipient(mine.id), SendingRows.aRecipient(mine.id)]
        for (const each of [row, unpaid]) yield* recipients.add(each)
        const { id } = yield* Stored.proposal({ accountId: mine.id, recipientId: row.id })
        const { id: ofNobody } = yield* Stored.proposal({ accountId: mine.id, recipientId: null })
        assert.deepStrictEqual(yield* recipients.payeeOf(mine.id, id), row)
        assert.isUndefined(yield* recipients.payeeOf(other.id, id))
        assert.isUndefined(yield* recipients.payeeOf(mine.id, ofNobody))
        assert.isUndefined(yield* recipients.payeeOf(mine.id, "no proposal"))
        const together = [id, ofNobody, id].map((each) => recipients.payeeOf(mine.id, each))
        const found = yield* Effect.all(together, { concurrency: "unbounded" })
        assert.deepStrictEqual(found, [row, undefined, row])
      })
    )

    it.effect("recipients are listed newest first in a stable order, the revoked ones too", () =>
      Effect.gen(function* () {
        const recipients = yield* Recipients
        const { id: accountId } = yield* Stored.account()
        const rows = yield* Effect.forEach([3, 1, 2, 2, 2, 5], (n) =>
          Stored.recipient(accountId, {
            createdAt: Rows.at(n),
            status: n === 5 ? "revoked" : "pending"
          })
        )
        const read = yield* PageWalk.readAll(2, (request) => recipients.list(accountId, request))
        assert.deepStrictEqual(PageWalk.ids(read), PageWalk.newestFirst(rows))
        const period = { limit: 9, since: Rows.at(1), until: Rows.at(2) }
        for (const filter of [{}, { search: rows[1]?.label ?? "" }]) {
          const during = yield* recipients.list(accountId, period, filter)
          assert.deepStrictEqual(PageWalk.ids(during.rows), PageWalk.idsAt(rows, 1))
        }
      })
    )

    it.effect("a search finds part of a label or an address, whatever the case of A to Z", () =>
      Effect.gen(function* () {
        const recipients = yield* Recipients
        const { id: accountId } = yield* Stored.account()
        const [freight, cafe] = [
          yield* Stored.recipient(accountId, { label: "Atlas Freight 50%_" }),
          yield* Stored.recipient(accountId, { label: "Café Ümlaut" })
        ]
        const found = (search: string) =>
          Effect.map(recipients.list(accountId, { limit: 5 }, { search }), ({ rows }) =>
            PageWalk.ids(rows)
          )
        assert.deepStrictEqual(yield* found("s fREI"), [freight.id])
        assert.deepStrictEqual(yield* found("50%_"), [freight.id])
        assert.deepStrictEqual(yield* found("%"), [freight.id])
        assert.deepStrictEqual(yield* found("Ümlaut"), [cafe.id])
        assert.deepStrictEqual(yield* found("ümlaut"), [])
        assert.deepStrictEqual(yield* found(cafe.address.slice(4, -4).toUpperCase()), [cafe.id])
        assert.deepStrictEqual(yield* found("nobody"), [])
      })
    )

    it.effect("a locked recipient is written back, but pays to the same address for ever", () =>
      Effect.gen(function* () {
        const recipients = yield* Recipients
        const row = yield* Stored.recipient((yield* Stored.account()).id)
        const changed = {
          ...row,
          label: "New landlord",
          status: "approved",
          cooldownEndsAt: Rows.at(7),
          isOwn: true
        } as const
        const elsewhere = { address: Rows.anAddress(), chainId: Rows.aChainId() }
        yield* recipients.revise({ ...changed, ...elsewhere, createdAt: Rows.at(9) })
        assert.deepStrictEqual(yield* recipients.find(row.accountId, row.id), changed)
        const other = yield* Stored.account()
        for (const foreign of [
          { ...row, accountId: other.id },
          { ...row, id: Rows.anId() }
        ]) {
          assert.isTrue(Exit.isFailure(yield* Effect.exit(recipients.revise(foreign))))
        }
        assert.deepStrictEqual(yield* recipients.find(row.accountId, row.id), changed)
      })
    )

    it.effect("those who lock one recipient take turns, so no change is lost", () =>
      Effect.gen(function* () {
        const recipients = yield* Recipients
        const { run } = yield* Atomically
        const row = yield* Stored.recipient((yield* Stored.account()).id, { label: "" })
        const lengthen = Effect.gen(function* () {
          const locked = yield* recipients.lock(row.accountId, row.id)
          yield* Effect.yieldNow
          if (locked !== undefined) {
            yield* recipients.revise({ ...locked, label: `${locked.label}x` })
          }
        })
        yield* Effect.all(
          Array.from({ length: 16 }, () => run(lengthen)),
          { concurrency: "unbounded", discard: true }
        )
        assert.strictEqual((yield* recipients.find(row.accountId, row.id))?.label, "x".repeat(16))
      })
    )
  })

const standingSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: recipients, standing`, (it) => {
    it.effect(
      "an address stands once for an account and chain, whatever case it is written in",
      () =>
        Effect.gen(function* () {
          const recipients = yield* Recipients
          const first = yield* Stored.recipient((yield* Stored.account()).id)
          const { accountId, address, chainId } = first
          for (const written of [
            address,
            Value.lower(address),
            Value.address(`0x${address.slice(2).toUpperCase()}`)
          ]) {
            const twin = SendingRows.aRecipient(accountId, { address: written })
            assert.isFalse(yield* recipients.add(twin))
            assert.isUndefined(yield* recipients.find(accountId, twin.id))
            assert.deepStrictEqual(yield* recipients.standing(accountId, chainId, written), first)
          }
          yield* recipients.revise({ ...first, status: "approved" })
          assert.isFalse(yield* recipients.add(SendingRows.aRecipient(accountId, { address })))
        })
    )

    it.effect("two Solana addresses that differ in case alone are two recipients", () =>
      Effect.gen(function* () {
        const recipients = yield* Recipients
        const account = yield* Stored.account()
        const rows = Rows.aCasePair().map((address) =>
          SendingRows.aRecipient(account.id, { chainId: "solana", address })
        )
        for (const row of rows) assert.isTrue(yield* recipients.add(row))
        for (const row of rows) {
          const found = yield* recipients.standing(account.id, "solana", row.address)
          assert.deepStrictEqual(found, row)
        }
      })
    )

    it.effect("another account or chain may have the same address", () =>
      Effect.gen(function* () {
        const recipients = yield* Recipients
        const { accountId, address } = yield* Stored.recipient((yield* Stored.account()).id)
        const chainId = Rows.aChainId()
        const other = yield* Stored.account()
        const elsewhere = SendingRows.aRecipient(accountId, { address, chainId })
        assert.isTrue(yield* recipients.add(elsewhere))
        assert.isTrue(yield* recipients.add(SendingRows.aRecipient(other.id, { address })))
        assert.deepStrictEqual(yield* recipients.standing(accountId, chainId, address), elsewhere)
      })
    )

    it.effect("a revoked address stands no more and may be added anew, as another recipient", () =>
      Effect.gen(function* () {
        const recipients = yield* Recipients
        const first = yield* Stored.recipient((yield* Stored.account()).id, { status: "approved" })
        const { accountId, address, chainId } = first
        const revoked = { ...first, status: "revoked" } as const
        yield* recipients.revise(revoked)
        assert.isUndefined(yield* recipients.standing(accountId, chainId, address))
        const second = SendingRows.aRecipient(accountId, { address: Value.lower(address) })
        assert.isTrue(yield* recipients.add(second))
        assert.deepStrictEqual(yield* recipients.standing(accountId, chainId, address), second)
        assert.deepStrictEqual(yield* recipients.find(accountId, first.id), revoked)
        const back = yield* Effect.exit(recipients.revise(first))
        assert.isTrue(Exit.isFailure(back), "two of one address would stand")
        assert.deepStrictEqual(yield* recipients.find(accountId, first.id), revoked)
      })
    )

    it.effect("of many that add one address at the same time, one adds it", () =>
      Effect.gen(function* () {
        const recipients = yield* Recipients
        const { run } = yield* Atomically
        const { id: accountId } = yield* Stored.account()
        const address = Rows.anAddress()
        const rows = Array.from({ length: 32 }, (_, index) =>
          SendingRows.aRecipient(accountId, {
            address: index % 2 === 0 ? address : Value.lower(address)
          })
        )
        const added = yield* Effect.forEach(rows, (row) => run(recipients.add(row)), {
          concurrency: "unbounded"
        })
        assert.strictEqual(added.filter(Boolean).length, 1)
        const standing = yield* recipients.standing(accountId, "base", address)
        assert.isDefined(standing)
        assert.deepStrictEqual(standing, rows[added.indexOf(true)])
        const listed = yield* recipients.list(accountId, { limit: 5 })
        assert.deepStrictEqual(PageWalk.ids(listed.rows), PageWalk.idsAt(rows, added.indexOf(true)))
      })
    )

    it.effect("an addition that is rolled back leaves the address free", () =>
      Effect.gen(function* () {
        const recipients = yield* Recipients
        const { run } = yield* Atomically
        const row = SendingRows.aRecipient((yield* Stored.account()).id)
        yield* Effect.flip(run(Effect.andThen(recipients.add(row), Effect.fail("no"))))
        assert.isUndefined(yield* recipients.standing(row.accountId, row.chainId, row.address))
        assert.isTrue(yield* recipients.add(row))
      })
    )
  })
