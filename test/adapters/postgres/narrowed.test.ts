/** What narrows a list down, or names one row of it, costs the same however much else the account and others have. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Usdc from "../../../core/money/usdc.ts"
import type * as Page from "../../../core/operation/page.ts"
import { PaymentRequests } from "../../../core/payments/request-store.ts"
import { Transfers } from "../../../core/payments/transfer-store.ts"
import { Recipients } from "../../../core/recipients/recipient-store.ts"
import type { Wallet } from "../../../core/wallets/wallet.ts"
import { Wallets } from "../../../core/wallets/wallet-store.ts"
import { account, copies, many, most, often, page, stores } from "../../support/many-rows.ts"
import * as Numbered from "../../support/numbered-ids.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"

layer(stores)("what is narrowed down", (it) => {
  it.effect(
    "one wallet of 5,000 is found by a tag, by a search, by its kind and as a customer's",
    () =>
      Effect.gen(function* () {
        const vault = yield* Stored.vault({ metadata: { city: "Oslo" } })
        const { accountId } = vault
        const rare = yield* Stored.wallet(accountId, {
          name: "Front till",
          metadata: { floor: "ground" }
        })
        yield* copies("wallet", vault.id, {
          id: Numbered.inSql("copy"),
          account_id: account,
          name: "'Customer ' || n",
          address: "'0x' || md5('a' || n) || left(md5('b' || n), 8)",
          external_id: "'customer-' || n",
          metadata: `case when n <= ${many} then '{"tier": "gold"}'::jsonb else of.metadata end`,
          created_at: "of.created_at + n * interval '1 minute'"
        })
        const wallets = yield* Wallets
        const told = Effect.fnUntraced(function* (filter: Parameters<typeof wallets.list>[1]) {
          const { blocks, found } = yield* often(wallets.list(accountId, filter, page))
          assert.isAtMost(blocks, most, JSON.stringify(filter))
          return found.rows.map(({ id }) => id)
        })
        // What strangers have by the thousand is rare here.
        assert.deepStrictEqual(yield* told({ metadataKey: "city" }), [vault.id])
        assert.deepStrictEqual(yield* told({ metadataKey: "city", metadataValue: "Oslo" }), [
          vault.id
        ])
        assert.deepStrictEqual(yield* told({ metadataKey: "floor" }), [rare.id])
        assert.deepStrictEqual(yield* told({ kind: "standard" }), [rare.id])
        assert.deepStrictEqual(yield* told({ search: "nobody at all" }), [])
        assert.deepStrictEqual(yield* told({ search: "ont TILL" }), [rare.id])
        assert.deepStrictEqual(yield* told({ search: rare.address.slice(5, 25) }), [rare.id])
        assert.deepStrictEqual(yield* told({ search: "customer-4321", metadataKey: "tier" }), [
          Numbered.idOf("copy", 4321)
        ])
        const namespace = vault.customer?.namespace ?? ""
        for (const n of [4321, 5]) {
          const found = yield* told({ customer: { externalId: `customer-${n}`, namespace } })
          assert.deepStrictEqual(found, [Numbered.idOf("copy", n)])
        }
        assert.deepStrictEqual(yield* told({ customer: { externalId: "nobody", namespace } }), [])
        assert.lengthOf(yield* told({ search: "customer" }), page.limit)
        assert.lengthOf(yield* told({ metadataKey: "tier", metadataValue: "gold" }), page.limit)

        const customer = { externalId: "customer-77", namespace: vault.customer?.namespace ?? "" }
        const his = yield* often(wallets.vaultOf(accountId, customer))
        assert.strictEqual(his.found?.id, Numbered.idOf("copy", 77))
        assert.isAtMost(his.blocks, 20)
      })
  )

  it.effect("of 5,000 wallets in which a search finds every fourth, all pages are right", () =>
    Effect.gen(function* () {
      const vault = yield* Stored.vault()
      yield* copies("wallet", vault.id, {
        id: Numbered.inSql("fourth"),
        account_id: account,
        name: "case n % 4 when 0 then 'Kiosk ' else 'Stand ' end || n",
        address: "'0x' || md5('c' || n) || left(md5('d' || n), 8)",
        external_id: "'fourth-' || n",
        created_at: "of.created_at + n * interval '1 minute'"
      })
      const { list } = yield* Wallets
      const found: Array<string> = []
      let after: Page.Position | undefined
      do {
        const request = { limit: 100, ...(after === undefined ? {} : { after }) }
        const read: Page.Page<Wallet> = yield* list(vault.accountId, { search: "kiosk" }, request)
        found.push(...read.rows.map(({ id }) => id))
        after = read.next
      } while (after !== undefined)
      const all = Array.from({ length: many / 4 }, (_, at) =>
        Numbered.idOf("fourth", many - 4 * at)
      )
      assert.deepStrictEqual(found, all)
    })
  )

  it.effect("one recipient of 5,000 is found by a search", () =>
    Effect.gen(function* () {
      const { id: accountId } = yield* Stored.account()
      const one = yield* Stored.recipient(accountId, { label: "Baker's shop" })
      yield* copies("recipient", one.id, {
        id: Numbered.inSql("recipient"),
        account_id: account,
        label: "'Supplier ' || n",
        address: "'0x' || md5('e' || n) || left(md5('f' || n), 8)",
        created_at: "of.created_at + n * interval '1 minute'"
      })
      const { list } = yield* Recipients
      for (const search of ["baker", "nobody at all", "supplier", "supplier 4321"]) {
        const { blocks, found } = yield* often(list(accountId, page, { search }))
        assert.isAtMost(blocks, most, search)
        if (search === "baker") assert.deepStrictEqual(found.rows, [one])
      }
    })
  )

  it.effect("one payment request of 5,000 is found by its id, its pid and its amount", () =>
    Effect.gen(function* () {
      const vault = yield* Stored.vault()
      const { accountId } = vault
      const dear = yield* Stored.paymentRequest(vault, { amountMicro: 5_000_000_000n })
      yield* copies("payment_request", dear.id, {
        id: Numbered.inSql("request"),
        pid: "'pr_copy' || n",
        account_id: account,
        amount_micro: "1000000 + n",
        created_at: "of.created_at + n * interval '1 minute'"
      })
      const { find, list } = yield* PaymentRequests
      for (const name of [dear.id, dear.pid]) {
        const { blocks, found } = yield* often(find(accountId, name))
        assert.deepStrictEqual(found, dear)
        assert.isAtMost(blocks, 20)
      }
      const told = Effect.fnUntraced(function* (filter: Parameters<typeof list>[1]) {
        const { blocks, found } = yield* often(list(accountId, filter, page))
        assert.isAtMost(blocks, most, Object.values(filter).join(" "))
        return found.rows.map(({ id }) => id)
      })
      assert.deepStrictEqual(yield* told({ minMicro: Usdc.make(2_000_000n) }), [dear.id])
      assert.deepStrictEqual(
        yield* told({ minMicro: Usdc.make(1_000_010n), maxMicro: Usdc.make(1_000_011n) }),
        [Numbered.idOf("request", 11), Numbered.idOf("request", 10)]
      )
      assert.lengthOf(yield* told({ minMicro: Usdc.make(1_001_000n) }), page.limit)
      assert.deepStrictEqual(
        yield* told({ minMicro: Usdc.make(1_001_000n), status: "cancelled" }),
        []
      )
    })
  )

  it.effect("one payment request of 5,000 is found by its reference, customer and vault", () =>
    Effect.gen(function* () {
      const vault = yield* Stored.vault()
      const { accountId } = vault
      const ada = { externalId: "ada", namespace: "shop" }
      const other = yield* Stored.vault({ accountId, customer: ada })
      const usual = yield* Stored.paymentRequest(vault)
      const rare = yield* Stored.paymentRequest(other, {
        externalReference: "order-rare",
        status: "expired",
        createdAt: Rows.at(-60)
      })
      yield* copies("payment_request", usual.id, {
        id: Numbered.inSql("asked"),
        pid: "'pr_asked' || n",
        account_id: account,
        external_reference: "'order-' || n",
        created_at: "of.created_at + n * interval '1 minute'"
      })
      const { list } = yield* PaymentRequests
      const told = Effect.fnUntraced(function* (filter: Parameters<typeof list>[1]) {
        const { blocks, found } = yield* often(list(accountId, filter, page))
        assert.isAtMost(blocks, most, JSON.stringify(filter))
        return found.rows.map(({ id }) => id)
      })
      for (const filter of [
        { externalReference: "order-rare" },
        { customer: ada },
        { vaultId: other.id },
        { status: "expired" as const },
        { customer: ada, externalReference: "order-rare", vaultId: other.id }
      ]) {
        assert.deepStrictEqual(yield* told(filter), [rare.id])
      }
      assert.deepStrictEqual(yield* told({ externalReference: "order-7" }), [
        Numbered.idOf("asked", 7)
      ])
      assert.deepStrictEqual(yield* told({ customer: { ...ada, namespace: "club" } }), [])
    })
  )

  it.effect(
    "one deposit of 5,000 is found by customer, vault, transaction, status and amount",
    () =>
      Effect.gen(function* () {
        const vault = yield* Stored.vault()
        const { accountId } = vault
        const customer = { externalId: "ada", namespace: "shop" }
        const other = yield* Stored.vault({ accountId, customer })
        const { deposits, record } = yield* Transfers
        const usual = Rows.aTransfer(vault)
        const rare = Rows.aTransfer(other, {
          amountMicro: 7_000_000_000n,
          resolution: "ignored",
          seenAt: Rows.at(-60)
        })
        yield* record(usual)
        yield* record(rare)
        yield* copies("transfer", usual.id, {
          id: Numbered.inSql("deposit"),
          account_id: account,
          tx_hash: "'\\x02'::bytea || sha256(n::text::bytea)",
          amount_micro: "1000000 + n",
          seen_at: "of.seen_at + n * interval '1 minute'"
        })
        const told = Effect.fnUntraced(function* (filter: Parameters<typeof deposits>[1]) {
          const { blocks, found } = yield* often(deposits(accountId, filter, page))
          assert.isAtMost(blocks, most, Object.keys(filter).join(" "))
          return found.rows.map(({ id }) => id)
        })
        for (const filter of [
          { customer },
          { customer, status: "resolved" as const },
          { vaultId: other.id },
          { txHashes: [rare.txHash] },
          { status: "resolved" as const },
          { minMicro: Usdc.make(6_000_000_000n) },
          { minMicro: Usdc.make(6_000_000_000n), status: "resolved" as const }
        ]) {
          assert.deepStrictEqual(yield* told(filter), [rare.id])
        }
        assert.deepStrictEqual(yield* told({ customer, status: "open" }), [])
        assert.lengthOf(yield* told({}), page.limit)
        const usualCustomer = vault.customer
        assert.isNotNull(usualCustomer)
        const many = usualCustomer === null ? {} : { customer: usualCustomer }
        assert.lengthOf(yield* told(many), page.limit)
      })
  )

  it.effect("what a payment is matched against is found beside 5,000 requests of its vault", () =>
    Effect.gen(function* () {
      const vault = yield* Stored.vault()
      const usual = yield* Stored.paymentRequest(vault)
      const [amountMicro, other] = [Usdc.make(7_000_000n), Usdc.make(8_000_000n)]
      const rare = yield* Stored.paymentRequest(vault, { amountMicro, createdAt: Rows.at(-60) })
      yield* copies("payment_request", usual.id, {
        id: Numbered.inSql("near"),
        pid: "'pr_near' || n",
        account_id: account,
        vault_id: `case when n <= ${many} then of.vault_id else ${Numbered.inSql("vault")} end`,
        status: "case when n % 2 = 0 then 'expired' else 'paid' end",
        paid_at: "case when n % 2 = 1 then of.created_at + n * interval '1 minute' end",
        expires_at: "of.expires_at + n * interval '1 minute'",
        created_at: "of.created_at + n * interval '1 minute'"
      })
      const { endedNear, lockPayableNear, paidLike } = yield* PaymentRequests
      const max = 5
      const told = Effect.fnUntraced(function* <E, R>(
        work: Effect.Effect<ReadonlyArray<{ readonly pid: string }>, E, R>
      ) {
        const { blocks, found } = yield* often(work)
        assert.isAtMost(blocks, most)
        return found.map(({ pid }) => pid)
      })
      const near = (amountMicro: Usdc.Usdc) => ({ vaultId: vault.id, amountMicro, max })
      const newest = [4992, 4994, 4996, 4998, 5000].map((n) => `pr_near${n}`)
      assert.deepStrictEqual(yield* told(endedNear(near(usual.amountMicro))), newest)
      assert.deepStrictEqual(yield* told(endedNear(near(other))), newest)
      assert.deepStrictEqual(yield* told(lockPayableNear(near(amountMicro))), [rare.pid, usual.pid])
      const like = {
        vaultId: vault.id,
        since: Rows.at(0),
        payerAddress: Rows.aTransfer(vault).payerAddress
      }
      assert.deepStrictEqual(yield* told(paidLike({ ...like, amountMicro: usual.amountMicro })), [
        "pr_near4997",
        "pr_near4999"
      ])
      assert.deepStrictEqual(yield* told(paidLike({ ...like, amountMicro: other })), [])
    })
  )
})
