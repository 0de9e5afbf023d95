/** What narrows down a list of what happens costs the same however much of it there is. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Accounts } from "../../../core/accounts/account-store.ts"
import { Audit } from "../../../core/audit/audit-store.ts"
import { Approvals } from "../../../core/cosigners/cosigner-store.ts"
import { GovernanceRequests } from "../../../core/governance/governance-store.ts"
import * as Usd from "../../../core/money/usd.ts"
import type * as Page from "../../../core/operation/page.ts"
import { Proposals } from "../../../core/proposals/proposal-store.ts"
import { Deliveries, Events } from "../../../core/webhooks/delivery-store.ts"
import { account, copies, many, most, often, page, stores } from "../../support/many-rows.ts"
import * as Numbered from "../../support/numbered-ids.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"

layer(stores)("what happened, narrowed down", (it) => {
  it.effect("one proposal of 5,000 is found by recipient, amount, status and kind", () =>
    Effect.gen(function* () {
      const { id: accountId } = yield* Stored.account()
      const [landlord, baker] = [
        yield* Stored.recipient(accountId),
        yield* Stored.recipient(accountId)
      ]
      const usual = yield* Stored.proposal({
        accountId,
        recipientId: landlord.id,
        status: "completed"
      })
      const rare = yield* Stored.proposal({
        accountId,
        recipientId: baker.id,
        amountMicro: Usd.make(7_000_000_000n),
        status: "failed",
        kind: "refund",
        createdAt: Rows.at(-60)
      })
      yield* copies("proposal", usual.id, {
        id: Numbered.inSql("proposal"),
        account_id: account,
        amount_micro: "1000000 + n",
        created_at: "of.created_at + n * interval '1 minute'"
      })
      const { list, waitingOn } = yield* Proposals
      const told = Effect.fnUntraced(function* (filter: Parameters<typeof list>[1]) {
        const { blocks, found } = yield* often(list(accountId, filter, page))
        assert.isAtMost(blocks, most, Object.keys(filter).join(" "))
        return found.rows.map(({ id }) => id)
      })
      for (const filter of [
        { recipientId: baker.id },
        { minMicro: Usd.make(6_000_000_000n) },
        { minMicro: Usd.make(2_000_000n), recipientId: baker.id },
        { status: "failed" as const },
        { kind: "refund" },
        { recipientId: baker.id, status: "failed" as const, kind: "refund" }
      ]) {
        assert.deepStrictEqual(yield* told(filter), [rare.id])
      }
      assert.deepStrictEqual(
        yield* told({ minMicro: Usd.make(1_000_010n), maxMicro: Usd.make(1_000_011n) }),
        [Numbered.idOf("proposal", 11), Numbered.idOf("proposal", 10)]
      )
      assert.lengthOf(yield* told({ recipientId: landlord.id }), page.limit)
      assert.lengthOf(yield* told({ minMicro: Usd.make(1_001_000n) }), page.limit)
      assert.deepStrictEqual(yield* told({ recipientId: baker.id, status: "completed" }), [])
      const waiting = yield* often(waitingOn(accountId, landlord.id))
      assert.deepStrictEqual(waiting.found, [])
      assert.isAtMost(waiting.blocks, 20)
    })
  )

  it.effect("one event of 5,000 is found by customer, request and type", () =>
    Effect.gen(function* () {
      const ada = { externalId: "ada", namespace: "shop" }
      const often5 = { externalId: "regular", namespace: "shop" }
      // Its id comes before the others', though its rows stand behind theirs: a bitmap looks cheaper than an index then.
      const id = `00000000${Rows.anId().slice(8)}`
      const vault = yield* Stored.vault({ id, customer: often5 })
      const { accountId } = vault
      const theirs = yield* Stored.paymentRequest(yield* Stored.vault({ accountId, customer: ada }))
      const usual = yield* Stored.paymentRequest(vault)
      const { vaultId } = usual
      const event = yield* Stored.event(accountId, { pid: usual.pid, vaultId, version: 1 })
      const rare = yield* Stored.event(accountId, {
        pid: theirs.pid,
        vaultId: theirs.vaultId,
        version: 1,
        type: "payment_request.expired",
        createdAt: Rows.at(-60)
      })
      yield* copies("wallet", vault.id, {
        id: Numbered.inSql("vault"),
        account_id: account,
        address: "'0xvault' || n",
        external_id: "'customer-' || n"
      })
      yield* copies("payment_request", usual.id, {
        id: Numbered.inSql("told"),
        vault_id: `case when n <= 1000 then ${Numbered.inSql("vault")} else of.vault_id end`,
        pid: "'pr_told' || n",
        account_id: account,
        created_at: "of.created_at + n * interval '1 minute'"
      })
      yield* copies("webhook_event", event.id, {
        id: "'event-' || n",
        pid: "'pr_told' || n",
        vault_id: `case when n <= 1000 then ${Numbered.inSql("vault")} else of.vault_id end`,
        account_id: account,
        created_at: "of.created_at + n * interval '1 minute'"
      })
      const { list } = yield* Events
      const told = Effect.fnUntraced(function* (filter: Parameters<typeof list>[1]) {
        const { blocks, found } = yield* often(list(accountId, filter, page))
        assert.isAtMost(blocks, most, JSON.stringify(filter))
        return found.rows.map(({ id }) => id)
      })
      for (const filter of [
        { customer: ada },
        { pid: theirs.pid },
        { type: "payment_request.expired" as const },
        { customer: ada, type: "payment_request.expired" as const }
      ]) {
        assert.deepStrictEqual(yield* told(filter), [rare.id])
      }
      assert.deepStrictEqual(yield* told({ customer: { ...ada, externalId: "customer-7" } }), [
        "event-7"
      ])
      assert.lengthOf(yield* told({ customer: often5 }), page.limit)
      assert.lengthOf(yield* told({}), page.limit)
      assert.deepStrictEqual(yield* told({ customer: ada, type: "payment_request.paid" }), [])
    })
  )

  it.effect("events of a customer are listed beside 4,000 of a type that it has none of", () =>
    Effect.gen(function* () {
      const customer = { externalId: "ada", namespace: "shop" }
      const vault = yield* Stored.vault({ customer })
      const { accountId } = vault
      const other = yield* Stored.paymentRequest(
        yield* Stored.vault({ accountId, customer: { externalId: "other", namespace: "shop" } })
      )
      const theirs = yield* Stored.paymentRequest(vault)
      const { vaultId } = other
      const event = yield* Stored.event(accountId, { pid: other.pid, vaultId, version: 1 })
      yield* copies("payment_request", theirs.id, {
        id: Numbered.inSql("mixed"),
        vault_id: `case when n % 5 = 0 then of.vault_id else '${other.vaultId}' end`,
        pid: "'pr_mixed' || n",
        account_id: account,
        created_at: "of.created_at + n * interval '1 minute'"
      })
      yield* copies("webhook_event", event.id, {
        id: "'mixed-' || n",
        pid: "'pr_mixed' || n",
        vault_id: `case when n % 5 = 0 then '${theirs.vaultId}' else of.vault_id end`,
        type: "case when n % 5 = 0 then 'payment_request.paid' else 'payment_request.expired' end",
        account_id: account,
        created_at: "of.created_at + n * interval '1 minute'"
      })
      const { list } = yield* Events
      const told = (request: Page.Request) => list(accountId, { customer }, request)
      const first = yield* often(told(page))
      assert.deepStrictEqual(
        first.found.rows.map(({ id }) => id),
        ["mixed-5000", "mixed-4995", "mixed-4990", "mixed-4985", "mixed-4980"]
      )
      assert.isAtMost(first.blocks, most)
      const after = first.found.next
      assert.isDefined(after)
      const second = yield* told({ limit: 200, after })
      assert.deepStrictEqual(
        second.rows.map(({ id }) => id),
        Array.from({ length: 200 }, (_, at) => `mixed-${4975 - 5 * at}`)
      )
      const last = second.next
      assert.isDefined(last)
      const rest = yield* told({ limit: 900, after: last })
      assert.isUndefined(rest.next)
      assert.deepStrictEqual(
        rest.rows.map(({ id }) => id),
        Array.from({ length: 795 }, (_, at) => `mixed-${3975 - 5 * at}`)
      )
    })
  )

  it.effect("one audit entry of 5,000 is found by actor and subject", () =>
    Effect.gen(function* () {
      const { id: accountId } = yield* Stored.account()
      const { append, list } = yield* Audit
      const till = { actor: "till", actorType: "key" } as const
      const usual = Rows.anEntry(accountId, till)
      const own = Rows.anEntry(accountId, { createdAt: Rows.at(-50) })
      const rare = Rows.anEntry(accountId, {
        actor: "human:ada",
        actorType: "person",
        subjectId: "thing",
        createdAt: Rows.at(-60)
      })
      yield* append([usual, own, rare])
      yield* copies("audit_entry", usual.id, {
        id: "gen_random_uuid()",
        account_id: `case when n <= ${many} then of.account_id else gen_random_uuid() end`,
        actor: "case n % 2 when 0 then '\\x0074696c6c'::bytea else '\\x14' end",
        subject: "'\\x00'::bytea || convert_to('subject-' || n, 'UTF8')",
        created_at: "of.created_at + n * interval '1 minute'"
      })
      const told = Effect.fnUntraced(function* (filter: Parameters<typeof list>[2]) {
        const { blocks, found } = yield* often(list(accountId, page, filter))
        assert.isAtMost(blocks, most, JSON.stringify(filter))
        return found.rows.map(({ id }) => id)
      })
      for (const filter of [
        { actor: "human:ada" },
        { subjectId: "thing" },
        { actor: "human:ada", subjectId: "thing" }
      ]) {
        assert.deepStrictEqual(yield* told(filter), [rare.id])
      }
      assert.lengthOf(yield* told({ actor: "till" }), page.limit)
      assert.lengthOf(yield* told({ actor: "system" }), page.limit)
      assert.deepStrictEqual(yield* told({ actor: "nobody" }), [])
      assert.deepStrictEqual(yield* told({ actor: "till", subjectId: "thing" }), [])
    })
  )

  it.effect("one delivery of 5,000 is found by endpoint, event, type and status", () =>
    Effect.gen(function* () {
      const { id: accountId } = yield* Stored.account()
      const [endpoint, other] = [
        yield* Stored.endpoint(accountId),
        yield* Stored.endpoint(accountId)
      ]
      const event = yield* Stored.event(accountId, { type: "webhook.test", pid: null })
      const { enqueue, list } = yield* Deliveries
      const usual = Rows.aDelivery(yield* Stored.event(accountId), endpoint)
      const rare = Rows.aDelivery(event, other, { createdAt: Rows.at(-60) })
      yield* enqueue([usual, rare])
      yield* copies("delivery", usual.id, {
        id: Numbered.inSql("sent"),
        account_id: account,
        status: "'delivered'",
        event_id: "'sent-event-' || n",
        sequence: "n",
        next_attempt_at: "null",
        created_at: "of.created_at + n * interval '1 minute'"
      })
      const told = Effect.fnUntraced(function* (filter: Parameters<typeof list>[1]) {
        const { blocks, found } = yield* often(list(accountId, filter, page))
        assert.isAtMost(blocks, most, JSON.stringify(filter))
        return found.rows.map(({ id }) => id)
      })
      for (const filter of [
        { endpointId: other.id },
        { eventId: event.id },
        { eventType: "webhook.test" as const },
        { endpointId: other.id, status: "pending" as const }
      ]) {
        assert.deepStrictEqual(yield* told(filter), [rare.id])
      }
      assert.deepStrictEqual(yield* told({ status: "pending" }), [usual.id, rare.id])
      assert.deepStrictEqual(yield* told({ status: "failed" }), [])
      assert.lengthOf(yield* told({ status: "delivered" }), page.limit)
      assert.lengthOf(yield* told({ endpointId: endpoint.id }), page.limit)
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
          id: Numbered.inSql("delivery"),
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
        [Numbered.idOf("delivery", 1)]
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
        id: Numbered.inSql("approval"),
        account_id: account,
        proposal_id: Numbered.inSql("proposal"),
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
        Array.from({ length: page.limit }, (_, at) => Numbered.idOf("approval", many - at))
      )
      assert.isAtMost(blocks, most)
      const next = yield* awaiting(member?.id ?? "", approval.createdAt, {
        ...page,
        ...(found.next === undefined ? {} : { after: found.next })
      })
      assert.strictEqual(next.rows[0]?.id, Numbered.idOf("approval", many - page.limit))
    })
  )

  it.effect("the agents of one wallet are found beside 5,000 of others", () =>
    Effect.gen(function* () {
      const [wallet, other] = [Rows.anAddress(), Rows.anAddress()].map((address) => ({
        chainId: "base",
        address
      }))
      assert(wallet !== undefined && other !== undefined)
      const kind = "agent"
      const rare = yield* Stored.account({
        kind,
        fundingWallet: wallet,
        createdAt: Rows.at(-60)
      })
      const usual = yield* Stored.account({ kind, fundingWallet: other })
      yield* copies("account", usual.id, {
        id: Numbered.inSql("agent"),
        funding_address: "'0xagent' || n",
        created_at: "of.created_at + n * interval '1 second'"
      })
      const accounts = yield* Accounts
      const { blocks, found } = yield* often(accounts.fundedBy(wallet, page))
      assert.deepStrictEqual(
        found.rows.map(({ id }) => id),
        [rare.id]
      )
      assert.isAtMost(blocks, 20)
    })
  )

  it.effect("a key's open requests are found beside 5,000 of other keys", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id: accountId } = yield* Stored.account()
      yield* sql`
        insert into governance_request (id, account_id, action, payload, payload_hash, summary,
          requested_by, status, created_at, expires_at)
        select ${sql.literal(Numbered.inSql("asked"))}, ${accountId}::uuid, 'approve_recipient', '{}', repeat('0', 64), 'A change.',
          case n when 7 then 'rare' else 'usual' end, 'pending', now(), now() + interval '1 day'
        from generate_series(1, ${many}::integer) n`
      yield* sql`vacuum analyze governance_request`
      const { blocks, found } = yield* often(
        (yield* GovernanceRequests).pendingBy(accountId, ["rare"])
      )
      assert.deepStrictEqual(found, [Numbered.idOf("asked", 7)])
      assert.isAtMost(blocks, 20)
    })
  )

  it.effect("nodes of a tree of 5,000 are looked up one by one", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id: accountId } = yield* Stored.account()
      yield* sql`
        insert into audit_node (account_id, "first", hashes)
        select ${accountId}::uuid, n, sha256(n::text::bytea) from generate_series(0, ${2 * many}::integer) n`
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
