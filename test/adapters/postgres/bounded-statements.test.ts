/** However much there is, no statement of an operation or a worker writes more than a thousand rows. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Chains from "../../../adapters/memory/chains.ts"
import * as Ids from "../../../adapters/memory/ids.ts"
import * as Stores from "../../../adapters/postgres/stores.ts"
import * as Terse from "../../../adapters/postgres/terse.ts"
import { scriptedChain } from "../../../apps/testing/wiring.ts"
import { Keys } from "../../../core/accounts/account-store.ts"
import { maxRows } from "../../../core/background/chore.ts"
import { revokeKey } from "../../../core/keys/revoke-key.ts"
import { Idempotency } from "../../../core/operation/idempotency-store.ts"
import { maxTransfers } from "../../../core/payments/chain-update.ts"
import { Cursors } from "../../../core/payments/transfer-store.ts"
import { watchOnce } from "../../../core/payments/watch.ts"
import { Spending } from "../../../core/policy/spending-ledger.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { Chains as ChainsPort } from "../../../core/ports/chains.ts"
import * as Settings from "../../../core/treasury/settings.ts"
import { blocksOf } from "../../support/block-counter.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import * as Numbered from "../../support/numbered-ids.ts"
import { counting, maxWritten } from "../../support/row-counter.ts"
import * as Rows from "../../support/rows.ts"
import { identified } from "../../support/signing-policies.ts"
import * as Stored from "../../support/stored-rows.ts"

// One connection, whose blocks are counted.
const engine = Layer.unwrap(
  Effect.map(FreshDatabase.url(), (url) => FreshDatabase.engineAt(url, 1))
)
const treasury = Layer.suspend(() =>
  Layer.mergeAll(
    Layer.provideMerge(Stores.layer, engine),
    Chains.layer(scriptedChain()),
    Ids.layer(1),
    identified,
    Settings.layer({ ...Settings.defaults, siteUrl: "http://treasury.test", livemode: false })
  )
).pipe(Layer.orDie)

layer(treasury)("bounded statements", (it) => {
  it.effect("what is left of a cap is read alike after 100 sends of a month and after 4,000", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const proposal = yield* Stored.proposal()
      const key = Rows.aKey(proposal.accountId)
      yield* (yield* Keys).issue(key, Rows.aDigest())
      const { used, usedByKey } = yield* Spending
      const columns = sql.literal(
        [
          "account_id, kind, status, terms, intent_hash, policy_revision, summary, proposed_by",
          "tx_hashes, created_at, updated_at, takes_passkey, expires_at"
        ].join(", ")
      )
      const send = (from: number, to: number) => sql`
        with proposals as (
          insert into proposal (id, ${columns})
          select ${sql.literal(Numbered.inSql("send"))}, ${columns}
          from proposal, generate_series(${from}::integer, ${to}::integer) as n
          where id = ${proposal.id} returning id
        ), sent as (
          insert into spend_reservation (proposal_id, account_id, amount_micro, day, month,
            daily_micro, monthly_micro, state, reserved_at)
          select id, ${proposal.accountId}::uuid, 2, '2026-11-' || lpad((1 + right(id::text, 2)::integer % 30)::text, 2, '0'),
            '2026-11', 1000000, 1000000, 'consumed', now() from proposals
        )
        insert into key_reservation (proposal_id, key_id, account_id, amount_micro, day, state)
        select id, ${key.id}::uuid, ${proposal.accountId}::uuid, 2, '2026-11-07', 'consumed' from proposals`
      const read = (month: string) =>
        blocksOf(
          Effect.all([
            used(proposal.accountId, { day: `${month}-07`, month }),
            usedByKey(key.id, `${month}-07`)
          ])
        )
      const round = Effect.fnUntraced(function* (from: number, to: number) {
        // As sends are: one row is not written ten thousand times in one transaction.
        for (let at = from; at <= to; at += 250) yield* send(at, Math.min(to, at + 249))
        yield* sql`vacuum analyze`
        return yield* read("2026-11")
      })
      const few = yield* round(1, 100)
      const many = yield* round(101, 4000)
      assert.deepStrictEqual(few.found[0].monthMicro, 200n as never)
      assert.deepStrictEqual(many.found[0].monthMicro, 8000n as never)
      assert.deepStrictEqual(many.found[1], 8000n as never)
      // A row for each day, in pages that were rewritten meanwhile; some of the sends themselves would be more.
      assert.isBelow(few.blocks, 50)
      assert.isBelow(many.blocks, 50)
      assert.deepStrictEqual((yield* read("2026-10")).found[1], 0n as never)
    })
  )

  it.effect(
    "a key from which 1,100 others stem is revoked, with what they left, by the thousand",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const { id: accountId } = yield* Stored.account()
        const keys = yield* Keys
        const root = Rows.aKey(accountId)
        yield* keys.issue(root, Rows.aDigest())
        const count = 1100
        const made = (n: string) => sql.literal(Numbered.inSql("made", n))
        // Wide and deep: every seventh stems from the one before.
        yield* sql`
        insert into api_key (id, account_id, digest, kind, prefix, last_four, scopes, made_by, created_at)
        select ${made("n")}, ${accountId}::uuid, 'digest of ' || n, 'developer', 'svc_hu_',
          'abcd', '{}', case when n % 7 = 0 then ${made("n - 1")} else ${root.id}::uuid end,
          now() from generate_series(1, ${count}::integer) as n`
        yield* sql`
        insert into idempotency_key (of_call, account_id, operation, fingerprint, called_by, lease_owner,
          reserved_at, lease_ends_at, answer, sealed_secrets, secrets_erase_at)
        select gen_random_uuid(), ${accountId}::uuid, 'create_api_key', 'print', '\\x01'::bytea || uuid_send(${root.id}::uuid), 'holder', now(), now(), '{}',
          'sealed', now() from generate_series(1, ${count}::integer) as n`
        yield* counting("idempotency_key")
        yield* counting("api_key")
        yield* counting("audit_entry")
        const { run } = yield* Atomically
        const told = yield* run(
          revokeKey(accountId, root.id, "operator", { includeDescendants: true })
        )
        assert.strictEqual(told.revokedDescendants, count)
        const { statement } = yield* maxWritten
        assert.isAtMost(statement, maxRows)
        const [left] = yield* sql<{ readonly keys: number; readonly secrets: number }>`
        select (select count(*)::integer from api_key
            where account_id = ${accountId} and revoked_at is null) as keys,
          (select count(*)::integer from idempotency_key
            where account_id = ${accountId} and sealed_secrets is not null) as secrets`
        assert.deepStrictEqual(left, { keys: 0, secrets: 0 })
        assert.strictEqual(yield* (yield* Idempotency).eraseSecretsOf(accountId, [root.id]), 0)
      })
  )

  it.effect(
    "after a long outage transfers become final, and are dropped, a hundred to a transaction",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const script = yield* Chains.ChainScript
        const [connected] = (yield* ChainsPort).connected
        if (connected === undefined) return assert.fail("No chain is connected.")
        const chainId = connected.chain.id
        const vault = yield* Stored.vault({ chainId })
        const count = maxRows + 350
        const watch = watchOnce(connected)
        const inState = Effect.fnUntraced(function* (state: string) {
          const [row] = yield* sql<{ readonly rows: number }>`
          select count(*)::integer as rows from transfer where chain_id = ${chainId} and state = ${state}`
          return row?.rows
        })
        /** A block with so many transfers in it, which the watcher has taken. */
        const crowd = Effect.gen(function* () {
          yield* script.mine(1, chainId)
          yield* watch
          const tip = (yield* (yield* Cursors).find(chainId))?.blocks.at(-1)
          yield* sql`
          insert into transfer (id, account_id, vault_id, chain_id, tx_hash, log_index, block_number,
            block_hash, block_time, payer_address, amount_micro, state, seen_at, method,
            settlement_issue, candidate_pids)
          select gen_random_uuid(), ${vault.accountId}::uuid, ${vault.id}::uuid, ${chainId},
            ${Terse.encode(tip?.hash ?? "")}, n, ${tip?.number ?? 0}, ${Terse.encode(tip?.hash ?? "")}, now(), '\\x0201', 1, 'seen',
            now(), 'direct', 'none', '{}' from generate_series(1, ${count}::integer) as n`
          yield* maxWritten
        })
        yield* counting("transfer")
        yield* watch
        yield* crowd
        yield* script.mine(5, chainId)
        yield* watch
        assert.strictEqual(yield* inState("final"), count)
        assert.deepStrictEqual(yield* maxWritten, {
          statement: maxTransfers,
          transaction: maxTransfers
        })
        yield* crowd
        yield* script.reorg(1, { chainId })
        yield* watch
        assert.strictEqual(yield* inState("reorged"), count)
        assert.strictEqual(yield* inState("seen"), 0)
        assert.deepStrictEqual(yield* maxWritten, {
          statement: maxTransfers,
          transaction: maxTransfers
        })
        const cursor = yield* (yield* Cursors).find(chainId)
        assert.strictEqual(cursor?.blocks.at(-1)?.number, cursor?.head)
      })
  )
})
