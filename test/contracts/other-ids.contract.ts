/**
 * What every store must do with an id in another form than its own: nothing has it, as nothing has an id that was
 * never given. Callers send such ids every day, and a database that cannot read one says so in words of its own.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { Accounts, Keys } from "../../core/accounts/account-store.ts"
import { Audit } from "../../core/audit/audit-store.ts"
import { GovernanceRequests } from "../../core/governance/governance-store.ts"
import { Humans } from "../../core/humans/human-store.ts"
import { OutboundEmails } from "../../core/mail/email-store.ts"
import { Provisioning } from "../../core/payments/provisioning-store.ts"
import { Refunds } from "../../core/payments/refund-ledger.ts"
import { PaymentRequests } from "../../core/payments/request-store.ts"
import { Transfers } from "../../core/payments/transfer-store.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { Proposals } from "../../core/proposals/proposal-store.ts"
import { Quotes } from "../../core/quotes/quote-store.ts"
import { Recipients } from "../../core/recipients/recipient-store.ts"
import type { AnyStore } from "../../core/treasury/stores.ts"
import { Wallets } from "../../core/wallets/wallet-store.ts"
import { Deliveries, Events } from "../../core/webhooks/delivery-store.ts"
import { WebhookEndpoints } from "../../core/webhooks/endpoint-store.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

/** As callers send them: another form, nearly the right one, none at all, and what SQL or JSON would read. */
const others = [
  "no id at all",
  "",
  "pr_rZiIvNTDDK67bsLztTOkFK",
  "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3",
  "{0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d}",
  "0198c7a05b7e7c3a9d526f0f5a1c2b3d",
  "'; drop table wallet; --",
  "null",
  "Größe ✓"
]

/** Every look that takes an id from a caller. */
const looks = (accountId: string, id: string) =>
  Effect.gen(function* () {
    const [requests, transfers, deliveries] = [
      yield* PaymentRequests,
      yield* Transfers,
      yield* Deliveries
    ]
    const endpoints = yield* WebhookEndpoints
    const keys = yield* Keys
    return {
      account: yield* (yield* Accounts).find(id),
      key: yield* keys.find(accountId, id),
      wallet: yield* (yield* Wallets).find(accountId, id),
      recipient: yield* (yield* Recipients).find(accountId, id),
      request: yield* requests.find(accountId, id),
      transfer: yield* transfers.find(accountId, id),
      job: yield* (yield* Provisioning).find(accountId, id),
      endpoint: yield* endpoints.find(accountId, id),
      delivery: yield* deliveries.find(accountId, id),
      event: yield* (yield* Events).find(accountId, id),
      proposal: yield* (yield* Proposals).find(accountId, id),
      payee: yield* (yield* Recipients).payeeOf(accountId, id),
      quote: yield* (yield* Quotes).find(accountId, id),
      governance: yield* (yield* GovernanceRequests).find(accountId, id),
      human: yield* (yield* Humans).find(accountId, id),
      entry: yield* (yield* Audit).find(accountId, id),
      email: yield* (yield* OutboundEmails).find(id)
    }
  })

export const suite = (name: string, stores: Layer.Layer<AnyStore>) =>
  layer(stores)(`${name}: ids in other forms`, (it) => {
    it.effect("nothing has one", () =>
      Effect.gen(function* () {
        const { accountId } = yield* Stored.vault()
        for (const id of others) {
          const found = Object.entries(yield* looks(accountId, id))
          const held = found.flatMap(([what, value]) => (value === undefined ? [] : [what]))
          assert.deepStrictEqual(held, [], id)
        }
      })
    )

    it.effect("no list has rows of one, and nothing is changed, ended or locked by it", () =>
      Effect.gen(function* () {
        const { accountId } = yield* Stored.vault()
        const page = { limit: 5 }
        const endpoints = yield* WebhookEndpoints
        const { run } = yield* Atomically
        for (const id of others) {
          const lists = [
            yield* (yield* PaymentRequests).list(accountId, { vaultId: id }, page),
            yield* (yield* Transfers).deposits(accountId, { vaultId: id }, page),
            yield* (yield* Deliveries).list(accountId, { endpointId: id }, page),
            yield* (yield* Deliveries).list(accountId, { eventId: id }, page),
            yield* (yield* Deliveries).list(accountId, { endpointId: id, sequence: 1 }, page),
            yield* (yield* Proposals).list(accountId, { recipientId: id }, page)
          ]
          assert.isTrue(lists.every(({ rows }) => rows.length === 0))
          assert.deepStrictEqual(yield* (yield* Refunds).ofTransfers([id]), [])
          assert.deepStrictEqual(yield* run((yield* Keys).takeBranch(accountId, id)), [])
          assert.isFalse(yield* endpoints.remove(accountId, id, Rows.at(1)))
          assert.isUndefined(yield* run(endpoints.hold(accountId, id)))
          assert.isUndefined(yield* run((yield* Proposals).lock(id)))
        }
      })
    )

    it.effect("a page that is asked for from behind one goes on by its time", () =>
      Effect.gen(function* () {
        const { accountId } = yield* Stored.vault({ createdAt: Rows.at(1) })
        for (const id of others) {
          const request = { limit: 5, after: { createdAt: Rows.at(2), id } }
          assert.lengthOf((yield* (yield* Wallets).list(accountId, {}, request)).rows, 1)
        }
      })
    )
  })
