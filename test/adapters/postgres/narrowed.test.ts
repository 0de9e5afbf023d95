/** What narrows a list down, or names one row of it, costs the same however much else the account and others have. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Stores from "../../../adapters/postgres/stores.ts"
import { Audit } from "../../../core/audit/audit-store.ts"
import { Approvals } from "../../../core/cosigners/cosigner-store.ts"
import { GovernanceRequests } from "../../../core/governance/governance-store.ts"
import * as Usdc from "../../../core/money/usdc.ts"
import type * as Page from "../../../core/operation/page.ts"
import { PaymentRequests } from "../../../core/payments/request-store.ts"
import { Transfers } from "../../../core/payments/transfer-store.ts"
import { Recipients } from "../../../core/recipients/recipient-store.ts"
import type { Wallet } from "../../../core/wallets/wallet.ts"
import { Wallets } from "../../../core/wallets/wallet-store.ts"
import { Deliveries } from "../../../core/webhooks/delivery-store.ts"
import { blocksOf } from "../../support/block-counter.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"

// One connection, whose blocks are counted.
const engine = Layer.unwrap(
  Effect.map(FreshDatabase.url(), (url) => FreshDatabase.engineAt(url, 1))
)
const stores = Layer.orDie(Layer.provideMerge(Stores.layer, engine))

const many = 5000
const others = 2000
const page = { limit: 5 }

/** Most that a call may read: fewer than the rows of the account have pages. */
const most = 120

/** Copies of a row of the account, and as many of strangers that have one row each. */
const copies = Effect.fnUntraced(function* (
  table: string,
  id: string,
  but: Readonly<Record<string, string>>,
  strangers = others
) {
  const sql = yield* SqlClient.SqlClient
  const columns = yield* sql<{ readonly name: string }>`
    select column_name as name from information_schema.columns where table_name = ${table}
      and is_generated = 'NEVER' and is_identity = 'NO' order by ordinal_position`
  const names = columns.map(({ name }) => `"${name}"`).join(", ")
  const values = columns.map(({ name }) => but[name] ?? `of."${name}"`).join(", ")
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`set local session_replication_role = replica`
      yield* sql`set local statement_timeout = 0`
      // Made anew from what there is, which is faster.
      const slow = yield* sql<{ readonly name: string; readonly definition: string }>`
        select indexname as name, indexdef as definition from pg_indexes
        where tablename = ${table} and indexdef like '%USING gin%'`
      for (const { name } of slow) yield* sql.unsafe(`drop index ${name}`)
      yield* sql.unsafe(`insert into ${table} (${names}) select ${values}
        from ${table} of, generate_series(1, ${many + strangers}) n where of.id = '${id}'`)
      for (const { definition } of slow) yield* sql.unsafe(definition)
    })
  )
  yield* sql`set statement_timeout = 0`
  yield* sql.unsafe(`vacuum analyze ${table}`)
  yield* sql`set statement_timeout = '15s'`
})

const account = `case when n <= ${many} then of.account_id else 'stranger-' || n end`

/** Often enough for the database to choose the plan that it would keep. */
const often = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.andThen(Effect.replicateEffect(work, 6), blocksOf(work))

layer(stores)("what is narrowed down", (it) => {
  it.effect("one wallet of 5,000 is found by a tag, by a search and as a customer's", () =>
    Effect.gen(function* () {
      const vault = yield* Stored.vault({ metadata: { city: "Oslo" } })
      const { accountId } = vault
      const rare = yield* Stored.wallet(accountId, {
        name: "Front till",
        metadata: { floor: "ground" }
      })
      yield* copies("wallet", vault.id, {
        id: "'copy-' || n",
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
      assert.deepStrictEqual(yield* told({ search: "nobody at all" }), [])
      assert.deepStrictEqual(yield* told({ search: "ont TILL" }), [rare.id])
      assert.deepStrictEqual(yield* told({ search: rare.address.slice(5, 25) }), [rare.id])
      assert.deepStrictEqual(yield* told({ search: "customer-4321", metadataKey: "tier" }), [
        "copy-4321"
      ])
      const namespace = vault.customer?.namespace ?? ""
      for (const externalId of ["customer-4321", "customer-5"]) {
        const found = yield* told({ customer: { externalId, namespace } })
        assert.deepStrictEqual(found, [externalId.replace("customer", "copy")])
      }
      assert.deepStrictEqual(yield* told({ customer: { externalId: "nobody", namespace } }), [])
      assert.lengthOf(yield* told({ search: "customer" }), page.limit)
      assert.lengthOf(yield* told({ metadataKey: "tier", metadataValue: "gold" }), page.limit)

      const customer = { externalId: "customer-77", namespace: vault.customer?.namespace ?? "" }
      const his = yield* often(wallets.vaultOf(accountId, customer))
      assert.strictEqual(his.found?.id, "copy-77")
      assert.isAtMost(his.blocks, 20)
    })
  )

  it.effect("of 5,000 wallets in which a search finds every fourth, all pages are right", () =>
    Effect.gen(function* () {
      const vault = yield* Stored.vault()
      yield* copies("wallet", vault.id, {
        id: "'fourth-' || lpad(n::text, 6, '0')",
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
      const all = Array.from(
        { length: many / 4 },
        (_, at) => `fourth-${String(many - 4 * at).padStart(6, "0")}`
      )
      assert.deepStrictEqual(found, all)
    })
  )

  it.effect("one recipient of 5,000 is found by a search", () =>
    Effect.gen(function* () {
      const { id: accountId } = yield* Stored.account()
      const one = yield* Stored.recipient(accountId, { label: "Baker's shop" })
      yield* copies("recipient", one.id, {
        id: "'recipient-' || n",
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
        id: "'request-' || n",
        pid: "'pr_copy' || n",
        account_id: account,
        amount_micro: "1000000 + n",
        checkout_session_id: "null",
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
        ["request-11", "request-10"]
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
      const other = yield* Stored.vault({ accountId })
      const usual = yield* Stored.paymentRequest(vault)
      const ada = { externalId: "ada", namespace: "shop" }
      const rare = yield* Stored.paymentRequest(other, {
        externalReference: "order-rare",
        customer: ada,
        status: "expired",
        createdAt: Rows.at(-60)
      })
      yield* copies("payment_request", usual.id, {
        id: "'asked-' || n",
        pid: "'pr_asked' || n",
        account_id: account,
        external_reference: "'order-' || n",
        customer_external_id: "'customer-' || n",
        customer_namespace: "'shop'",
        checkout_session_id: "null",
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
      assert.deepStrictEqual(yield* told({ externalReference: "order-7" }), ["asked-7"])
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
          id: "'deposit-' || n",
          account_id: account,
          tx_hash: "'0x' || md5('t' || n) || md5('u' || n)",
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
          { minMicro: Usdc.make(6_000_000_000n) }
        ]) {
          assert.deepStrictEqual(yield* told(filter), [rare.id])
        }
        assert.deepStrictEqual(yield* told({ customer, status: "open" }), [])
        const usualCustomer = vault.customer
        assert.isNotNull(usualCustomer)
        const many = usualCustomer === null ? {} : { customer: usualCustomer }
        assert.lengthOf(yield* told(many), page.limit)
      })
  )

  it.effect("deliveries of a number are found, which all other accounts have too", () =>
    Effect.gen(function* () {
      const endpoint = yield* Stored.endpoint((yield* Stored.account()).id)
      const { accountId } = endpoint
      const delivery = Rows.aDelivery(yield* Stored.event(accountId), endpoint)
      const { enqueue, list } = yield* Deliveries
      yield* enqueue([delivery])
      yield* copies(
        "delivery",
        delivery.id,
        {
          id: "'delivery-' || n",
          account_id: account,
          status: "'delivered'",
          sequence: `case when n <= ${many} then n else 1 end`,
          next_attempt_at: "null",
          created_at: "of.created_at + n * interval '1 minute'"
        },
        20_000
      )
      const { blocks, found } = yield* often(list(accountId, { sequence: 1 }, page))
      assert.deepStrictEqual(
        found.rows.map(({ id }) => id),
        ["delivery-1"]
      )
      assert.isAtMost(blocks, most)
    })
  )

  it.effect("5,000 approvals that wait for one co-signer are shown by the page", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const approval = yield* Stored.approval()
      yield* Stored.member(approval.accountId)
      yield* copies("cosigner_approval", approval.id, {
        id: "'approval-' || lpad(n::text, 6, '0')",
        account_id: account,
        proposal_id: "'proposal-' || n",
        created_at: "of.created_at + n * interval '1 second'",
        expires_at: "of.created_at + interval '1 year'"
      })
      const [member] = yield* sql<{ readonly id: string }>`
        select cosigner_account_id as id from cosigner_membership
        where owner_account_id = ${approval.accountId}`
      const { awaiting } = yield* Approvals
      const { blocks, found } = yield* often(awaiting(member?.id ?? "", approval.createdAt, page))
      assert.deepStrictEqual(
        found.rows.map(({ id }) => id),
        Array.from(
          { length: page.limit },
          (_, at) => `approval-${String(many - at).padStart(6, "0")}`
        )
      )
      assert.isAtMost(blocks, most)
      const next = yield* awaiting(member?.id ?? "", approval.createdAt, {
        ...page,
        ...(found.next === undefined ? {} : { after: found.next })
      })
      assert.strictEqual(next.rows[0]?.id, `approval-${String(many - page.limit).padStart(6, "0")}`)
    })
  )

  it.effect("a key's open requests are found beside 5,000 of other keys", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id: accountId } = yield* Stored.account()
      yield* sql`
        insert into governance_request (id, account_id, action, payload, payload_hash, summary,
          requested_by, status, created_at, expires_at)
        select 'asked-' || n, ${accountId}, 'approve_recipient', '{}', repeat('0', 64), 'A change.',
          case n when 7 then 'rare' else 'usual' end, 'pending', now(), now() + interval '1 day'
        from generate_series(1, ${many}::integer) n`
      yield* sql`vacuum analyze governance_request`
      const { blocks, found } = yield* often(
        (yield* GovernanceRequests).pendingBy(accountId, ["rare"])
      )
      assert.deepStrictEqual(found, ["asked-7"])
      assert.isAtMost(blocks, 20)
    })
  )

  it.effect("nodes of a tree of 5,000 are looked up one by one", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id: accountId } = yield* Stored.account()
      yield* sql`
        insert into audit_node (account_id, level, "index", hash)
        select ${accountId}, 0, n, sha256(n::text::bytea) from generate_series(0, ${many}::integer) n`
      yield* sql`vacuum analyze audit_node`
      const wanted = [5, 70, 800, 4000].map((index) => ({ level: 0, index }))
      const { blocks, found } = yield* often((yield* Audit).nodes(accountId, wanted))
      assert.deepStrictEqual(
        found.map(({ index }) => index),
        [5, 70, 800, 4000]
      )
      assert.isAtMost(blocks, 20)
    })
  )
})
