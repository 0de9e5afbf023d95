/** A list of what is a customer's reads the page, whatever else the account and others have, and however ids stand. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type * as Page from "../../../core/operation/page.ts"
import { PaymentRequests } from "../../../core/payments/request-store.ts"
import { Transfers } from "../../../core/payments/transfer-store.ts"
import { blocksOf } from "../../support/block-counter.ts"
import { account, copies, many, often, page, stores } from "../../support/many-rows.ts"
import * as Numbered from "../../support/numbered-ids.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"

layer(stores)("requests and deposits of a customer", (it) => {
  it.effect("of one who has most of an account's", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const customer = { externalId: "regular", namespace: "shop" }
      // Its vault comes before the others and its account behind them, unlike their rows: all rows look cheaper then.
      const { id: accountId } = yield* Stored.account({ id: `ffffffff${Rows.anId().slice(8)}` })
      const id = `00000000${Rows.anId().slice(8)}`
      const vault = yield* Stored.vault({ id, accountId, customer })
      const asked = yield* Stored.paymentRequest(vault)
      const deposit = Rows.aTransfer(vault)
      const { deposits, record } = yield* Transfers
      yield* record(deposit)
      const single = Numbered.inSql("single")
      yield* copies("wallet", id, {
        id: single,
        account_id: account,
        address: "'0x' || md5('i' || n) || left(md5('j' || n), 8)",
        external_id: "'customer-' || n"
      })
      const vaultId = `case when n between 1001 and ${many} then of.vault_id else ${single} end`
      yield* copies("payment_request", asked.id, {
        id: Numbered.inSql("of-most"),
        vault_id: vaultId,
        pid: "'pr_most' || n",
        account_id: account,
        created_at: "of.created_at + n * interval '1 minute'"
      })
      yield* copies("transfer", deposit.id, {
        id: Numbered.inSql("most"),
        vault_id: vaultId,
        account_id: account,
        tx_hash: "'\\x02'::bytea || sha256(('most' || n)::bytea)",
        // Its oldest five are resolved, and all the newer ones of others.
        seen_at: "of.seen_at + case when n <= 1000 then n + 10000 else n end * interval '1 minute'",
        resolution: "case when n <= 1005 then 'ignored' end"
      })
      /** As its first calls are planned, by what the database knows of these very values, and as all later ones. */
      const told = Effect.fnUntraced(function* <E, R>(
        work: Effect.Effect<Page.Page<{ readonly id: string }>, E, R>
      ) {
        yield* sql`set plan_cache_mode = force_custom_plan`
        const first = yield* blocksOf(work)
        yield* sql`set plan_cache_mode = auto`
        const later = yield* often(work)
        assert.isAtMost(Math.max(first.blocks, later.blocks), 60)
        return later.found.rows.map((row) => row.id)
      })
      const newest = (kind: string) =>
        [5000, 4999, 4998, 4997, 4996].map((n) => Numbered.idOf(kind, n))
      const { list } = yield* PaymentRequests
      assert.deepStrictEqual(yield* told(list(accountId, { customer }, page)), newest("of-most"))
      for (const status of [undefined, "open" as const]) {
        const found = yield* told(deposits(accountId, { customer, status }, page))
        assert.deepStrictEqual(found, newest("most"))
      }
      const resolved = yield* told(deposits(accountId, { customer, status: "resolved" }, page))
      assert.deepStrictEqual(
        resolved,
        [1005, 1004, 1003, 1002, 1001].map((n) => Numbered.idOf("most", n))
      )
    })
  )

  it.effect("of one whom 5,000 others call alike", () =>
    Effect.gen(function* () {
      const customer = { externalId: "1", namespace: "shop" }
      const vault = yield* Stored.vault({ customer })
      const { accountId } = vault
      const asked = yield* Stored.paymentRequest(vault)
      const deposit = Rows.aTransfer(vault)
      const { deposits, record } = yield* Transfers
      yield* record(deposit)
      yield* copies(
        "wallet",
        vault.id,
        {
          id: Numbered.inSql("alike"),
          account_id: account,
          address: "'0x' || md5('g' || n) || left(md5('h' || n), 8)",
          external_id: `case when n <= ${many} then 'customer-' || n else of.external_id end`
        },
        many
      )
      const sql = yield* SqlClient.SqlClient
      /** As its first calls are planned, by what the database knows of these very values, and as all later ones. */
      const planned = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
        yield* sql`set plan_cache_mode = force_custom_plan`
        const first = yield* blocksOf(work)
        yield* sql`set plan_cache_mode = auto`
        assert.isAtMost(first.blocks, 50)
        return yield* often(work)
      })
      const list = (yield* PaymentRequests).list(accountId, { customer }, page)
      const requests = yield* planned(list)
      assert.deepStrictEqual(
        requests.found.rows.map(({ id }) => id),
        [asked.id]
      )
      assert.isAtMost(requests.blocks, 20)
      const found = yield* planned(deposits(accountId, { customer }, page))
      assert.deepStrictEqual(
        found.found.rows.map(({ id }) => id),
        [deposit.id]
      )
      assert.isAtMost(found.blocks, 20)
    })
  )
})
