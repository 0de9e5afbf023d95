/** A database with the tables that submissions had before is migrated, and the relayer starts at the chain's count. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { migrate } from "../../../adapters/postgres/migrate.ts"
import * as Accounts from "../../../adapters/postgres/migrations/0001-accounts.ts"
import * as Wallets from "../../../adapters/postgres/migrations/0002-wallets.ts"
import * as Payments from "../../../adapters/postgres/migrations/0003-payments.ts"
import * as Webhooks from "../../../adapters/postgres/migrations/0004-webhooks.ts"
import * as Sending from "../../../adapters/postgres/migrations/0005-sending.ts"
import * as Submissions from "../../../adapters/postgres/submissions.ts"
import { keyOf } from "../../../core/proposals/step.ts"
import { SubmissionStore } from "../../../core/submissions/submission-store.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"

const before = {
  "0001-accounts": Accounts,
  "0002-wallets": Wallets,
  "0003-payments": Payments,
  "0004-webhooks": Webhooks,
  "0005-sending": Sending
}

const carrier = {
  txHash: `0x${"ab".repeat(32)}`,
  raw: "0x02",
  maxFeePerGas: "3",
  maxPriorityFeePerGas: "1",
  at: "2026-01-01T00:00:00.000Z"
}

/** A send that was handed over under the relayer's nonce 7. */
const rows = (hash: string): ReadonlyArray<string> => [
  `insert into account values ('a', 'Shop', 'agent', 'personal', false, now())`,
  `insert into wallet (id, account_id, name, address, chain_id, is_default, metadata, kind,
    derivation_index, created_at) values ('w', 'a', 'Main', '0x1', 'local', true, '{}', 'standard', 0, now())`,
  `insert into proposal (id, account_id, kind, status, terms, intent_hash, policy_revision, summary,
    proposed_by, tx_hashes, created_at, updated_at, expires_at)
    values ('p', 'a', 'send', 'executing', '{}', '${hash}', 0, 'Send', 'k', '{}', now(), now(), now())`,
  `insert into execution (proposal_id, account_id, wallet_id, derivation_index, chain_id, from_address,
    to_address, amount_micro, step, "authorization", relayer_nonce, carriers, next_look_at, created_at,
    updated_at) values ('p', 'a', 'w', 0, 'local', '0x1', '0x2', 5, 'broadcast',
    '{"chainId":"local","amountMicro":"5"}', 7, '${JSON.stringify([carrier])}', now(), now(), now())`,
  `insert into relayer_nonce (chain_id, next) values ('local', 8)`
]

const empty = Layer.unwrap(
  Effect.map(FreshDatabase.url("empty"), (address) => FreshDatabase.engineAt(address, 2))
)

it.effect(
  "nonces from before are nobody's, and the relayer of today starts at the chain's count",
  () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`create table migration (name text primary key, applied_at timestamptz not null default now())`
      for (const [name, { statements }] of Object.entries(before)) {
        for (const statement of statements) yield* sql.unsafe(statement)
        yield* sql`insert into migration (name) values (${name})`
      }
      for (const row of rows("0".repeat(64))) yield* sql.unsafe(row)
      yield* migrate
      yield* Effect.gen(function* () {
        const { find, holdsNonce, takeRelayerNonce } = yield* SubmissionStore
        assert.isUndefined(yield* find(keyOf("p")))
        assert.isFalse(yield* holdsNonce("local", "0xrelayer", 0, 100))
        assert.strictEqual(yield* takeRelayerNonce("local", "0xrelayer", 7), 7)
      }).pipe(Effect.provide(Submissions.layer))
    }).pipe(Effect.provide(empty))
)
