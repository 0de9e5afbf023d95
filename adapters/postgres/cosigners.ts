/**
 * The store of co-signers on SQL. Unique indexes let two accounts have one open invite and one membership;
 * whoever changes members or rules does it alone, under a lock that those who count votes share.
 */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Cosigners } from "../../core/cosigners/cosigner-store.ts"
import type { Invite, Membership } from "../../core/cosigners/invite.ts"
import type { Revision, Rule } from "../../core/cosigners/rules.ts"
import * as Usd from "../../core/money/usd.ts"
import type * as Page from "../../core/operation/page.ts"
import * as AdvisoryLock from "./advisory-lock.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import * as Defect from "./defect.ts"
import * as Rows from "./rows.ts"
import { integer, json, table, text, timestamp, uuid } from "./table.ts"

const inviteTable = table<Invite>(
  "cosigner_invite",
  {
    id: uuid,
    ownerAccountId: uuid,
    cosignerAccountId: uuid,
    nickname: text,
    status: text,
    createdAt: timestamp,
    expiresAt: timestamp
  },
  ["ownerAccountId", "cosignerAccountId", "id"]
)

const membershipTable = table<Membership>(
  "cosigner_membership",
  {
    id: uuid,
    ownerAccountId: uuid,
    cosignerAccountId: uuid,
    nickname: text,
    inviteId: uuid,
    createdAt: timestamp,
    removedAt: timestamp
  },
  ["ownerAccountId", "id"]
)

/** Inside JSON an amount is a decimal string: a JSON number would lose its last digits. */
interface WrittenRule extends Omit<Rule, "minAmountMicro" | "maxAmountMicro"> {
  readonly minAmountMicro: string
  readonly maxAmountMicro: string | null
}

const writeRule = (rule: Rule): WrittenRule => ({
  action: rule.action,
  minAmountMicro: String(rule.minAmountMicro),
  maxAmountMicro: rule.maxAmountMicro === null ? null : String(rule.maxAmountMicro),
  requiredApprovals: rule.requiredApprovals
})

const readRule = (written: WrittenRule): Rule => ({
  action: written.action,
  minAmountMicro: Usd.make(BigInt(written.minAmountMicro)),
  maxAmountMicro: written.maxAmountMicro === null ? null : Usd.make(BigInt(written.maxAmountMicro)),
  requiredApprovals: written.requiredApprovals
})

const revisionTable = table<Revision>(
  "cosigner_rules",
  {
    accountId: uuid,
    number: integer,
    rules: json(
      (rules: ReadonlyArray<Rule>) => rules.map(writeRule),
      (written: ReadonlyArray<WrittenRule>): ReadonlyArray<Rule> => written.map(readRule)
    ),
    createdAt: timestamp
  },
  ["accountId", "number"]
)

/** Those who count votes share it; it is given back with the transaction. */
const share = (sql: SqlClient.SqlClient, ownerAccountId: string) =>
  Answer.done(
    sql`select pg_advisory_xact_lock_shared(${AdvisoryLock.cosigners(sql, ownerAccountId)})`
  )

const takeAlone = (sql: SqlClient.SqlClient, ownerAccountId: string) =>
  Answer.done(sql`select pg_advisory_xact_lock(${AdvisoryLock.cosigners(sql, ownerAccountId)})`)

const inviting = (sql: SqlClient.SqlClient) => {
  const invites = Rows.rows(sql, inviteTable)
  return {
    invite: (invite: Invite) => {
      const { cosignerAccountId, ownerAccountId } = invite
      const expire = invites.updateAll(
        sql`owner_account_id = ${ownerAccountId} and cosigner_account_id = ${cosignerAccountId}
          and status = 'pending' and expires_at <= ${Column.date(invite.createdAt)}`,
        { status: "expired" }
      )
      const add = Answer.any(sql`
        ${inviteTable.insertAll([invite])}
        where not exists (
          select from cosigner_membership
          where owner_account_id = ${ownerAccountId} and cosigner_account_id = ${cosignerAccountId}
            and removed_at is null
        )
        on conflict (owner_account_id, cosigner_account_id) where status = 'pending' do nothing
        returning id`)
      // Nobody joins between the look at the memberships and the invite.
      return Defect.orDie(
        sql.withTransaction(Effect.andThen(Effect.andThen(share(sql, ownerAccountId), expire), add))
      )
    },

    lockInvite: (id: string) => invites.first({ id }, Rows.forUpdate),

    answerInvite: (invite: Invite) => invites.save(invite, ["status"], sql`status = 'pending'`),

    incoming: (cosignerAccountId: string, now: Invite["createdAt"], request: Page.Request) =>
      invites.page(
        sql`cosigner_account_id = ${cosignerAccountId} and status = 'pending'
          and expires_at > ${Column.date(now)}`,
        request
      ),

    outgoing: (ownerAccountId: string, now: Invite["createdAt"], request: Page.Request) =>
      invites.page(
        sql`owner_account_id = ${ownerAccountId} and status = 'pending'
          and expires_at > ${Column.date(now)}`,
        request
      )
  }
}

export const layer = Layer.effect(
  Cosigners,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const memberships = Rows.rows(sql, membershipTable)
    const revisions = Rows.rows(sql, revisionTable)
    const alone = (ownerAccountId: string, change: Effect.Effect<boolean>) =>
      Defect.orDie(sql.withTransaction(Effect.andThen(takeAlone(sql, ownerAccountId), change)))
    const rules = (accountId: string) =>
      revisions.first({ accountId }, sql` order by number desc limit 1`)
    return {
      ...inviting(sql),

      join: (membership) =>
        alone(
          membership.ownerAccountId,
          memberships.insertNew(
            membership,
            sql`(owner_account_id, cosigner_account_id) where removed_at is null`
          )
        ),

      leave: (ownerAccountId, id, removedAt) =>
        alone(
          ownerAccountId,
          memberships.updateIf({ ownerAccountId, id, removedAt: null }, { removedAt })
        ),

      members: (ownerAccountId, request) =>
        memberships.page({ ownerAccountId, removedAt: null }, request),

      cosigns: (cosignerAccountId, ownerAccountId) =>
        memberships.any({ ownerAccountId, cosignerAccountId, removedAt: null }),

      revise: (revision) =>
        alone(revision.accountId, revisions.insertNew(revision, sql`(account_id, number)`)),

      rules,
      // Statement by statement: the read must see what was committed while the lock was waited for.
      lockShared: (ownerAccountId) =>
        Effect.andThen(share(sql, ownerAccountId), rules(ownerAccountId)),
      lock: (ownerAccountId) =>
        Effect.andThen(takeAlone(sql, ownerAccountId), rules(ownerAccountId))
    }
  })
)
