/** The database itself keeps accounts apart and history as it was, whatever a program asks of it. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as KeyMaterial from "../../../adapters/postgres/key-material.ts"
import * as Stores from "../../../adapters/postgres/stores.ts"
import { Audit } from "../../../core/audit/audit-store.ts"
import { Humans, Sessions } from "../../../core/humans/human-store.ts"
import { Provisioning } from "../../../core/payments/provisioning-store.ts"
import { PaymentRequests } from "../../../core/payments/request-store.ts"
import { Transfers } from "../../../core/payments/transfer-store.ts"
import { Quotes } from "../../../core/quotes/quote-store.ts"
import { Deliveries } from "../../../core/webhooks/delivery-store.ts"
import { isRefused } from "../../support/constraint-errors.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import * as HumanRows from "../../support/human-rows.ts"
import * as QuoteRows from "../../support/quote-rows.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"

const stores = Layer.orDie(Layer.provideMerge(Stores.layer, FreshDatabase.engine))

layer(stores)("tenants", (it) => {
  it.effect("a request cannot stand on another account's vault", () =>
    Effect.gen(function* () {
      const vault = yield* Stored.vault()
      const { id: accountId } = yield* Stored.account()
      const crossed = Rows.aPaymentRequest(vault, { accountId })
      yield* isRefused((yield* PaymentRequests).open(crossed))
    })
  )

  it.effect("a passkey is its own account's human's, and a session its own passkey's", () =>
    Effect.gen(function* () {
      const [mine, other] = [yield* HumanRows.planted(), yield* HumanRows.planted()]
      const { accountId } = other.human
      const humans = yield* Humans
      yield* isRefused(humans.addPasskey(HumanRows.aPasskey({ ...mine.human, accountId })))
      const { open } = yield* Sessions
      for (const over of [{ accountId }, { humanId: other.human.id }]) {
        yield* isRefused(open(HumanRows.aSession(mine.passkey, over), Rows.aDigest()))
      }
      const sql = yield* SqlClient.SqlClient
      yield* isRefused(Effect.orDie(sql`update passkey set public_key = 'forged'`))
      yield* isRefused(Effect.orDie(sql`update human set name = 'Mallory'`))
      yield* isRefused(Effect.orDie(sql`update enrolment set account_id = ${accountId}`))
    })
  )

  it.effect("a transfer cannot be credited to another account's request", () =>
    Effect.gen(function* () {
      const transfers = yield* Transfers
      const [mine, other] = [yield* Stored.vault(), yield* Stored.vault()]
      const request = yield* Stored.paymentRequest(other)
      yield* isRefused(transfers.record(Rows.aTransfer(mine, { requestId: request.id })))
      yield* isRefused(transfers.record(Rows.aTransfer(mine, { accountId: other.accountId })))
      const transfer = Rows.aTransfer(mine)
      yield* transfers.record(transfer)
      yield* isRefused(
        transfers.assign(transfer.id, {
          requestId: request.id,
          method: "direct",
          settlementIssue: "none",
          candidatePids: [],
          resolution: "attached"
        })
      )
      assert.deepStrictEqual(yield* transfers.find(mine.accountId, transfer.id), transfer)
    })
  )

  it.effect("an event cannot be delivered to another account's endpoint", () =>
    Effect.gen(function* () {
      const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
      const event = yield* Stored.event(mine.id)
      const endpoint = yield* Stored.endpoint(other.id)
      const { enqueue } = yield* Deliveries
      yield* isRefused(enqueue([Rows.aDelivery(event, endpoint)]))
      yield* isRefused(enqueue([Rows.aDelivery(event, endpoint, { accountId: mine.id })]))
    })
  )

  it.effect("a quote cannot be of another account's wallet, or for its proposal", () =>
    Effect.gen(function* () {
      const quotes = yield* Quotes
      const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
      const [own, foreign] = [yield* Stored.wallet(mine.id), yield* Stored.wallet(other.id)]
      const { id: proposalId } = yield* Stored.proposal({ accountId: other.id })
      for (const over of [
        { fromWalletId: foreign.id },
        { toWalletId: foreign.id },
        { proposalId },
        { accountId: Rows.anId() }
      ]) {
        yield* isRefused(quotes.add(QuoteRows.aQuote(mine.id, own.id, over)))
      }
      yield* quotes.add(QuoteRows.aQuote(mine.id, own.id))
    })
  )

  it.effect("a job cannot hand out another account's vault", () =>
    Effect.gen(function* () {
      const provisioning = yield* Provisioning
      const job = Rows.aJob((yield* Stored.account()).id)
      const item = Rows.anItem(0)
      yield* provisioning.queue(job, [item])
      const foreign = yield* Stored.vault()
      const done = { ...item, status: "succeeded" as const, walletId: foreign.id }
      yield* isRefused(provisioning.progress({ ...job, succeeded: 1 }, [done]))
      assert.deepStrictEqual(yield* provisioning.find(job.accountId, job.id), job)
    })
  )

  it.effect("no amount is zero or less, and no status is made up", () =>
    Effect.gen(function* () {
      const requests = yield* PaymentRequests
      const vault = yield* Stored.vault()
      for (const amountMicro of [0n, -1n]) {
        yield* isRefused(requests.open(Rows.aPaymentRequest(vault, { amountMicro })))
        yield* isRefused((yield* Transfers).record(Rows.aTransfer(vault, { amountMicro })))
      }
      const madeUp = { status: "settled" } as unknown as { status: "paid" }
      yield* isRefused(requests.open(Rows.aPaymentRequest(vault, madeUp)))
    })
  )

  it.effect("the audit log cannot be changed, thinned or emptied", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const account = yield* Stored.account()
      const entry = Rows.anEntry(account.id)
      yield* (yield* Audit).append([entry])
      yield* isRefused(Effect.orDie(sql`update audit_entry set action = 'nothing'`))
      yield* isRefused(Effect.orDie(sql`delete from audit_entry where id = ${entry.id}`))
      yield* isRefused(Effect.orDie(sql`truncate audit_entry cascade`))
      assert.deepStrictEqual((yield* (yield* Audit).list(account.id, { limit: 5 })).rows, [
        { ...entry, sequence: null }
      ])
    })
  )

  it.effect("of many that keep key material under one name, the first one's stands", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* KeyMaterial.find("seed"))
      const kept = yield* Effect.forEach(
        Array.from({ length: 8 }, (_, index) => `sealed-${index}`),
        (sealed) => KeyMaterial.keep("seed", sealed),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(kept.map(({ sealed }) => sealed)).size, 1)
      assert.deepStrictEqual(yield* KeyMaterial.find("seed"), kept[0])
    })
  )
})
