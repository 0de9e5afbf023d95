/**
 * Brings a database to the schema this version needs: numbered migrations, forward only, each applied
 * once, all of them in one transaction under an advisory lock, so any number of processes may start at once.
 * Kinds of proposals that are new in this version are added in the same transaction.
 */
import { Data, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { SqlError } from "effect/sql/SqlError"
import { kinds } from "../../core/treasury/kinds.ts"
import * as AdvisoryLock from "./advisory-lock.ts"
import * as Accounts from "./migrations/0001-accounts.ts"
import * as Wallets from "./migrations/0002-wallets.ts"
import * as Payments from "./migrations/0003-payments.ts"
import * as Webhooks from "./migrations/0004-webhooks.ts"
import * as Sending from "./migrations/0005-sending.ts"
import * as AuditTrees from "./migrations/0006-audit-trees.ts"
import * as Challenges from "./migrations/0007-challenges.ts"
import * as Approvals from "./migrations/0008-approvals.ts"
import * as Relayers from "./migrations/0009-relayers.ts"
import * as Governing from "./migrations/0010-governing.ts"
import * as Pauses from "./migrations/0011-pauses.ts"
import * as Deposits from "./migrations/0012-deposits.ts"
import * as Humans from "./migrations/0013-humans.ts"
import * as PasskeySignatures from "./migrations/0014-passkey-signatures.ts"
import * as KeyCaveats from "./migrations/0015-key-caveats.ts"
import * as SignedCalls from "./migrations/0016-signed-calls.ts"
import * as Settlements from "./migrations/0017-settlements.ts"
import * as PaymentRejection from "./migrations/0018-turned-down.ts"
import * as Letters from "./migrations/0019-letters.ts"
import * as Subscriptions from "./migrations/0020-subscriptions.ts"
import * as PaymentClaims from "./migrations/0021-payment-claims.ts"
import * as EndpointCare from "./migrations/0023-endpoint-care.ts"
import * as Sequences from "./migrations/0024-sequences.ts"
import * as Refunds from "./migrations/0025-refunds.ts"
import * as Figures from "./migrations/0026-figures.ts"
import * as VaultLookups from "./migrations/0029-vault-lookups.ts"
import * as Batches from "./migrations/0030-batches.ts"
import * as Callers from "./migrations/0032-callers.ts"
import * as ApprovalsOfNothing from "./migrations/0033-approvals-of-nothing.ts"
import * as WaitingRefunds from "./migrations/0034-waiting-refunds.ts"
import * as SecondPayments from "./migrations/0035-second-payments.ts"
import * as AddressKeys from "./migrations/0040-address-keys.ts"
import * as Submissions from "./migrations/0041-submissions.ts"
import * as WalletKeys from "./migrations/0043-wallet-keys.ts"
import * as Identity from "./migrations/0044-identity.ts"
import * as ProposalKinds from "./migrations/0045-proposal-kinds.ts"

/** The schema as it was changed over time; a released migration is never edited. */
const migrations: ReadonlyArray<{
  readonly name: string
  readonly statements: ReadonlyArray<string>
}> = [
  { name: "0001-accounts", statements: Accounts.statements },
  { name: "0002-wallets", statements: Wallets.statements },
  { name: "0003-payments", statements: Payments.statements },
  { name: "0004-webhooks", statements: Webhooks.statements },
  { name: "0005-sending", statements: Sending.statements },
  { name: "0006-audit-trees", statements: AuditTrees.statements },
  { name: "0007-challenges", statements: Challenges.statements },
  { name: "0008-approvals", statements: Approvals.statements },
  { name: "0009-relayers", statements: Relayers.statements },
  { name: "0010-governing", statements: Governing.statements },
  { name: "0011-pauses", statements: Pauses.statements },
  { name: "0012-deposits", statements: Deposits.statements },
  { name: "0013-humans", statements: Humans.statements },
  { name: "0014-passkey-signatures", statements: PasskeySignatures.statements },
  { name: "0015-key-caveats", statements: KeyCaveats.statements },
  { name: "0016-signed-calls", statements: SignedCalls.statements },
  { name: "0017-settlements", statements: Settlements.statements },
  { name: "0018-turned-down", statements: PaymentRejection.statements },
  { name: "0019-letters", statements: Letters.statements },
  { name: "0020-subscriptions", statements: Subscriptions.statements },
  { name: "0021-payment-claims", statements: PaymentClaims.statements },
  { name: "0023-endpoint-care", statements: EndpointCare.statements },
  { name: "0024-sequences", statements: Sequences.statements },
  { name: "0025-refunds", statements: Refunds.statements },
  { name: "0026-figures", statements: Figures.statements },
  { name: "0029-vault-lookups", statements: VaultLookups.statements },
  { name: "0030-batches", statements: Batches.statements },
  { name: "0032-callers", statements: Callers.statements },
  { name: "0033-approvals-of-nothing", statements: ApprovalsOfNothing.statements },
  { name: "0034-waiting-refunds", statements: WaitingRefunds.statements },
  { name: "0035-second-payments", statements: SecondPayments.statements },
  { name: "0040-address-keys", statements: AddressKeys.statements },
  { name: "0041-submissions", statements: Submissions.statements },
  { name: "0043-wallet-keys", statements: WalletKeys.statements },
  { name: "0044-identity", statements: Identity.statements },
  { name: "0045-proposal-kinds", statements: ProposalKinds.statements }
]

/** The database has been migrated by a later version of this program, which alone understands it. */
export class DatabaseIsNewer extends Data.TaggedError("DatabaseIsNewer")<{
  readonly unknown: ReadonlyArray<string>
}> {
  override get message() {
    return `The database has migrations that this version does not know (${this.unknown.join(", ")}); start the newer version.`
  }
}

/** Applies what is missing; gives back the names of what it applied. */
export const migrate: Effect.Effect<
  ReadonlyArray<string>,
  SqlError | DatabaseIsNewer,
  SqlClient.SqlClient
> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      // Waiting for another process, or rewriting a large table, may take longer than any request.
      yield* sql`set local statement_timeout = 0`
      yield* sql`set local lock_timeout = 0`
      yield* sql`select pg_advisory_xact_lock(${AdvisoryLock.space}, ${AdvisoryLock.migrations})`
      yield* sql`create table if not exists migration (
        name text primary key,
        applied_at timestamptz not null default now()
      )`
      const rows = yield* sql<{ name: string }>`select name from migration order by name`
      const applied = new Set(rows.map(({ name }) => name))
      const unknown = [...applied].filter((name) => !migrations.some((each) => each.name === name))
      if (unknown.length > 0) return yield* new DatabaseIsNewer({ unknown })
      const missing = migrations.filter(({ name }) => !applied.has(name))
      for (const { name, statements } of missing) {
        yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
        yield* sql`insert into migration (name) values (${name})`
      }
      // What a proposal may be of, beside the kinds that earlier versions have added.
      yield* sql`insert into proposal_kind (name)
        select unnest(${Object.keys(kinds)}::text[]) on conflict (name) do nothing`
      return missing.map(({ name }) => name)
    })
  )
})

/** Migrates when it is built. */
export const layer = Layer.effectDiscard(migrate)
