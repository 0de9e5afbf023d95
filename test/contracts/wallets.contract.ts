/** What every store of wallets must do. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import { type AddressKey, keyOf } from "../../core/chains/address.ts"
import type * as Page from "../../core/operation/page.ts"
import type { Atomically } from "../../core/ports/atomically.ts"
import { type Filter, Wallets } from "../../core/wallets/wallet-store.ts"
import * as Value from "../support/chain-values.ts"
import * as PageWalk from "../support/page-walk.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

const customer = { externalId: "customer-7", namespace: "shop" }

export const suite = (name: string, stores: Layer.Layer<Wallets | Accounts | Atomically>) =>
  layer(stores)(`${name}: wallets`, (it) => {
    it.effect("a wallet is read back as it was, by its account only", () =>
      Effect.gen(function* () {
        const wallets = yield* Wallets
        const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
        const rows = [
          Rows.aWallet(mine.id, { nickname: "till", isDefault: true, metadata: { shop: "7" } }),
          Rows.aVault(mine.id)
        ]
        for (const wallet of rows) {
          assert.isTrue(yield* wallets.add(wallet))
          assert.deepStrictEqual(yield* wallets.find(mine.id, wallet.id), wallet)
          assert.isUndefined(yield* wallets.find(other.id, wallet.id))
        }
        assert.deepStrictEqual(yield* wallets.list(other.id, {}, { limit: 5 }), { rows: [] })
      })
    )

    it.effect(
      "an account's own wallets are counted, its customers' vaults and other accounts' not",
      () =>
        Effect.gen(function* () {
          const wallets = yield* Wallets
          const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
          assert.strictEqual(yield* wallets.countOwn(mine.id), 0)
          for (const wallet of [
            Rows.aWallet(mine.id),
            Rows.aWallet(mine.id, { chainId: "polygon" }),
            Rows.aVault(mine.id),
            Rows.aWallet(other.id)
          ]) {
            yield* wallets.add(wallet)
          }
          assert.strictEqual(yield* wallets.countOwn(mine.id), 2)
        })
    )

    it.effect("wallets are listed newest first in a stable order", () =>
      Effect.gen(function* () {
        const wallets = yield* Wallets
        const account = yield* Stored.account()
        const rows = [3, 1, 2, 2, 2, 5, 4].map((n) =>
          Rows.aWallet(account.id, { createdAt: Rows.at(n) })
        )
        yield* Effect.forEach(rows, wallets.add, { discard: true })
        const read = yield* PageWalk.readAll(3, (request) => wallets.list(account.id, {}, request))
        assert.deepStrictEqual(PageWalk.ids(read), PageWalk.newestFirst(rows))
      })
    )

    it.effect("a search finds part of a name, a nickname, an address or a customer's id", () =>
      Effect.gen(function* () {
        const wallets = yield* Wallets
        const account = yield* Stored.account()
        const [till, vault] = [
          Rows.aWallet(account.id, { name: "Payroll", nickname: "Front till" }),
          Rows.aVault(account.id, { customer: { externalId: "Order-7", namespace: "shop" } })
        ]
        yield* Effect.forEach([till, vault], wallets.add, { discard: true })
        const found = (filter: Filter) =>
          Effect.map(wallets.list(account.id, filter, { limit: 5 }), ({ rows }) =>
            PageWalk.ids(rows)
          )
        assert.deepStrictEqual(yield* found({ search: "AYROL" }), [till.id])
        assert.deepStrictEqual(yield* found({ search: "front t" }), [till.id])
        assert.deepStrictEqual(yield* found({ search: "order-" }), [vault.id])
        assert.deepStrictEqual(yield* found({ search: vault.address.slice(3, 30) }), [vault.id])
        assert.deepStrictEqual(yield* found({ search: "order-", kind: "standard" }), [])
        assert.deepStrictEqual(yield* found({ search: "shop" }), [])
      })
    )

    it.effect("a tag selects the wallets that carry it, with the value when one is named", () =>
      Effect.gen(function* () {
        const wallets = yield* Wallets
        const account = yield* Stored.account()
        const tagged = [{ shop: "7" }, { shop: "8" }, { shop: "7", tier: "gold" }, { closed: "" }]
        const rows = tagged.map((metadata, index) =>
          Rows.aWallet(account.id, { metadata, createdAt: Rows.at(index) })
        )
        yield* Effect.forEach(rows, wallets.add, { discard: true })
        const read = (filter: { metadataKey?: string; metadataValue?: string }) =>
          Effect.map(
            PageWalk.readAll(1, (request) => wallets.list(account.id, filter, request)),
            PageWalk.ids
          )
        const ids = (...places: ReadonlyArray<number>) => PageWalk.idsAt(rows, ...places)
        assert.deepStrictEqual(yield* read({ metadataKey: "shop" }), ids(2, 1, 0))
        assert.deepStrictEqual(yield* read({ metadataKey: "shop", metadataValue: "7" }), ids(2, 0))
        assert.deepStrictEqual(yield* read({ metadataKey: "shop", metadataValue: "9" }), [])
        assert.deepStrictEqual(yield* read({ metadataKey: "shop", metadataValue: "" }), [])
        assert.deepStrictEqual(yield* read({ metadataKey: "closed", metadataValue: "" }), ids(3))
        assert.deepStrictEqual(yield* read({ metadataKey: "toString" }), [])
      })
    )

    it.effect("wallets are listed by kind, page by page, those of one tag too", () =>
      Effect.gen(function* () {
        const wallets = yield* Wallets
        const account = yield* Stored.account()
        const rows = [
          Rows.aWallet(account.id, { createdAt: Rows.at(0) }),
          Rows.aVault(account.id, { customer, createdAt: Rows.at(1), metadata: { shop: "7" } }),
          Rows.aWallet(account.id, { createdAt: Rows.at(2), metadata: { shop: "7" } })
        ]
        yield* Effect.forEach(rows, wallets.add, { discard: true })
        const read = (filter: Filter) =>
          Effect.map(
            PageWalk.readAll(1, (request) => wallets.list(account.id, filter, request)),
            PageWalk.ids
          )
        const ids = (...places: ReadonlyArray<number>) => PageWalk.idsAt(rows, ...places)
        assert.deepStrictEqual(yield* read({ kind: "standard" }), ids(2, 0))
        assert.deepStrictEqual(yield* read({ kind: "collection" }), ids(1))
        assert.deepStrictEqual(yield* read({ kind: "standard", metadataKey: "shop" }), ids(2))
      })
    )

    it.effect("wallets are listed by customer and by time", () =>
      Effect.gen(function* () {
        const wallets = yield* Wallets
        const account = yield* Stored.account()
        const rows = [
          Rows.aVault(account.id, { customer, createdAt: Rows.at(0), metadata: { shop: "7" } }),
          Rows.aVault(account.id, { customer, chainId: "local", createdAt: Rows.at(1) }),
          Rows.aVault(account.id, {
            customer: { ...customer, namespace: "club" },
            createdAt: Rows.at(2)
          }),
          Rows.aWallet(account.id, { createdAt: Rows.at(3) })
        ]
        yield* Effect.forEach(rows, wallets.add, { discard: true })
        yield* wallets.add(Rows.aVault((yield* Stored.account()).id, { customer }))
        const read = (filter: Filter, period: Pick<Page.Request, "since" | "until"> = {}) =>
          Effect.map(
            PageWalk.readAll(1, (request) =>
              wallets.list(account.id, filter, { ...request, ...period })
            ),
            PageWalk.ids
          )
        const ids = (...places: ReadonlyArray<number>) => PageWalk.idsAt(rows, ...places)
        assert.deepStrictEqual(yield* read({ customer }), ids(1, 0))
        assert.deepStrictEqual(yield* read({ customer, metadataKey: "shop" }), ids(0))
        assert.deepStrictEqual(yield* read({ customer, kind: "standard" }), ids())
        assert.deepStrictEqual(yield* read({ customer }, { since: Rows.at(1) }), ids(1))
        const middle = { since: Rows.at(1), until: Rows.at(3) }
        assert.deepStrictEqual(yield* read({}, middle), ids(2, 1))
        assert.deepStrictEqual(yield* read({ search: "customer-7" }, middle), ids(2, 1))
      })
    )

    it.effect("a customer has one vault on a chain, however many ask at once", () =>
      Effect.gen(function* () {
        const wallets = yield* Wallets
        const account = yield* Stored.account()
        const rows = Array.from({ length: 8 }, () => Rows.aVault(account.id, { customer }))
        const added = yield* Effect.forEach(rows, wallets.add, { concurrency: "unbounded" })
        assert.strictEqual(added.filter((won) => won).length, 1)
        const winner = rows[added.indexOf(true)]
        assert.deepStrictEqual(yield* wallets.vaultOf(account.id, customer, "base"), winner)
        const listed = yield* wallets.list(account.id, {}, { limit: 20 })
        assert.deepStrictEqual(listed.rows, winner === undefined ? [] : [winner])
      })
    )

    it.effect("another namespace, chain or account is another vault", () =>
      Effect.gen(function* () {
        const wallets = yield* Wallets
        const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
        const vault = Rows.aVault(mine.id, { customer })
        const others = [
          Rows.aVault(mine.id, { customer: { ...customer, namespace: "club" } }),
          Rows.aVault(mine.id, { customer, chainId: "local", createdAt: Rows.at(-5) }),
          Rows.aVault(other.id, { customer })
        ]
        for (const row of [vault, ...others]) assert.isTrue(yield* wallets.add(row))
        assert.deepStrictEqual(yield* wallets.vaultOf(mine.id, customer, "base"), vault)
        assert.deepStrictEqual(yield* wallets.vaultOf(other.id, customer), others[2])
        assert.deepStrictEqual(yield* wallets.vaultOf(mine.id, customer), others[1])
        assert.isUndefined(yield* wallets.vaultOf(mine.id, customer, "polygon"))
      })
    )

    it.effect(
      "vaults are found by address in lower case, over all accounts, on their chain only",
      () =>
        Effect.gen(function* () {
          const wallets = yield* Wallets
          const chainId = Rows.aChainId()
          const vaults = [yield* Stored.vault({ chainId }), yield* Stored.vault({ chainId })]
          const elsewhere = yield* Stored.vault({ chainId: Rows.aChainId() })
          const standard = Rows.aWallet(elsewhere.accountId, { chainId })
          yield* wallets.add(standard)
          const asked = [...vaults, elsewhere, standard].map((row) => Value.key(row.address))
          const found = yield* wallets.vaultsAt(chainId, [...asked, Rows.anAddressKey()])
          const byId = (a: { id: string }, b: { id: string }) => (a.id < b.id ? -1 : 1)
          assert.deepStrictEqual([...found].sort(byId), [...vaults].sort(byId))
          assert.deepStrictEqual(yield* wallets.vaultsAt(chainId, []), [])
        })
    )

    it.effect("two Solana wallets whose addresses differ in case alone are two wallets", () =>
      Effect.gen(function* () {
        const wallets = yield* Wallets
        const chainId = "solana"
        const [one, other] = Rows.aCasePair()
        const first = yield* Stored.vault({ chainId, address: one })
        const second = yield* Stored.vault({ chainId, address: other })
        for (const vault of [first, second]) {
          assert.deepStrictEqual(
            yield* wallets.vaultsAt(chainId, [keyOf(chainId, vault.address)]),
            [vault]
          )
          assert.strictEqual(yield* wallets.ownerOf(chainId, vault.address), vault.accountId)
        }
        assert.deepStrictEqual(
          yield* wallets.vaultsAt(chainId, [keyOf(chainId, one.toUpperCase())]),
          []
        )
      })
    )

    it.effect("an address is one wallet's on its chain, over all accounts", () =>
      Effect.gen(function* () {
        const wallets = yield* Wallets
        const chainId = "base"
        const { address, key, accountId } = yield* Stored.vault({ chainId })
        const other = yield* Stored.account()
        const taken = [
          Rows.aVault(accountId, { chainId, address, key }),
          Rows.aWallet(other.id, { chainId, address: Value.lower(address), key })
        ]
        for (const twin of taken) {
          assert.isFalse(yield* wallets.add(twin))
          assert.isUndefined(yield* wallets.find(twin.accountId, twin.id))
        }
        const elsewhere = Rows.aVault(accountId, { chainId: "local", address, key })
        assert.isTrue(yield* wallets.add(elsewhere))
      })
    )

    it.effect("a key that is not recoverable stays so", () =>
      Effect.gen(function* () {
        const wallets = yield* Wallets
        const account = yield* Stored.account()
        const wallet = yield* Stored.wallet(account.id, { isRecoverable: false })
        assert.deepStrictEqual(yield* wallets.find(account.id, wallet.id), wallet)
      })
    )

    it.effect("the owner of an address is found on its chain, whatever kind of wallet it is", () =>
      Effect.gen(function* () {
        const wallets = yield* Wallets
        const account = yield* Stored.account()
        for (const kind of ["standard", "collection"] as const) {
          const wallet = yield* Stored.wallet(account.id, { kind })
          const address = Value.key(wallet.address)
          assert.strictEqual(yield* wallets.ownerOf(wallet.chainId, address), account.id)
          assert.isUndefined(yield* wallets.ownerOf("elsewhere", address))
        }
      })
    )

    it.effect("the wallets on a chain are read a page at a time, over all accounts and kinds", () =>
      Effect.gen(function* () {
        const wallets = yield* Wallets
        const chainId = "polygon"
        const [one, other] = [yield* Stored.account(), yield* Stored.account()]
        const made = [
          yield* Stored.wallet(one.id, { chainId }),
          yield* Stored.wallet(other.id, { chainId }),
          yield* Stored.vault({ chainId }),
          yield* Stored.wallet(one.id, { chainId })
        ]
        yield* Stored.wallet(one.id, { chainId: "base" })
        const read: Array<string> = []
        let after: AddressKey | undefined
        for (let page = yield* wallets.listOn(chainId, after, 3); page.length > 0; ) {
          assert.isAtMost(page.length, 3)
          read.push(...page.map(({ id }) => id))
          after = page.map(({ address }) => keyOf(chainId, address)).at(-1)
          page = yield* wallets.listOn(chainId, after, 3)
        }
        assert.strictEqual(new Set(read).size, read.length)
        for (const { id } of made) assert.include(read, id)
      })
    )

    it.effect("a nickname and tags are written back, and nothing else", () =>
      Effect.gen(function* () {
        const wallets = yield* Wallets
        const account = yield* Stored.account()
        const wallet = yield* Stored.wallet(account.id)
        const changed = { ...wallet, nickname: "Payroll", metadata: { team: "ops" } }
        yield* wallets.revise(changed)
        assert.deepStrictEqual(yield* wallets.find(account.id, wallet.id), changed)
      })
    )
  })
