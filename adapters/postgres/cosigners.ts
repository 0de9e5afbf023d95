/**
 * The store of co-signers on SQL. Unique indexes let two accounts have one open invite and one membership;
 * whoever changes members or rules does it alone, under a lock that those who consult them share.
 */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Cosigners } from "../../core/cosigners/cosigner-store.ts"
import type { Invite } from "../../core/cosigners/invite.ts"
import type { Membership } from "../../core/cosigners/membership.ts"
import type { Revision, Rule } from "../../core/cosigners/rules.ts"
import * as AdvisoryLock from "./advisory-lock.ts"
import * as Answer from "./answer.ts"
import * as Column from "./column.ts"
import * as Paging from "./paging.ts"

interface InviteRow {
  readonly id: string
  readonly owner_account_id: string
  readonly cosigner_account_id: string
  readonly nickname: string | null
  readonly status: Invite["status"]
  readonly created_at: Date
  readonly expires_at: Date
}

const readInvite = (row: InviteRow): Invite => ({
  id: row.id,
  ownerAccountId: row.owner_account_id,
  cosignerAccountId: row.cosigner_account_id,
  nickname: row.nickname,
  status: row.status,
  createdAt: Column.instant(row.created_at),
  expiresAt: Column.instant(row.expires_at)
})

interface MembershipRow {
  readonly id: string
  readonly owner_account_id: string
  readonly cosigner_account_id: string
  readonly nickname: string | null
  readonly invite_id: string
  readonly created_at: Date
  readonly removed_at: Date | null
}

const readMembership = (row: MembershipRow): Membership => ({
  id: row.id,
  ownerAccountId: row.owner_account_id,
  cosignerAccountId: row.cosigner_account_id,
  nickname: row.nickname,
  inviteId: row.invite_id,
  createdAt: Column.instant(row.created_at),
  removedAt: Column.instantOrNull(row.removed_at)
})

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
  minAmountMicro: BigInt(written.minAmountMicro),
  maxAmountMicro: written.maxAmountMicro === null ? null : BigInt(written.maxAmountMicro),
  requiredApprovals: written.requiredApprovals
})

interface RevisionRow {
  readonly account_id: string
  readonly number: number
  readonly rules: ReadonlyArray<WrittenRule>
  readonly created_at: Date
}

const readRevision = (row: RevisionRow): Revision => ({
  accountId: row.account_id,
  number: row.number,
  rules: row.rules.map(readRule),
  createdAt: Column.instant(row.created_at)
})

/** Those who consult share it; it is given back with the transaction. */
const share = (sql: SqlClient.SqlClient, ownerAccountId: string) =>
  Answer.done(
    sql`select pg_advisory_xact_lock_shared(${AdvisoryLock.council(sql, ownerAccountId)})`
  )

const takeAlone = (sql: SqlClient.SqlClient, ownerAccountId: string) =>
  Answer.done(sql`select pg_advisory_xact_lock(${AdvisoryLock.council(sql, ownerAccountId)})`)

const inviting = (sql: SqlClient.SqlClient) => ({
  invite: (invite: Invite) => {
    const { cosignerAccountId, ownerAccountId } = invite
    const expire = Answer.done(sql`
      update cosigner_invite set status = 'expired'
      where owner_account_id = ${ownerAccountId} and cosigner_account_id = ${cosignerAccountId}
        and status = 'pending' and expires_at <= ${Column.date(invite.createdAt)}`)
    const add = Answer.any(sql`
      insert into cosigner_invite (id, owner_account_id, cosigner_account_id, nickname, status,
        created_at, expires_at)
      select ${invite.id}, ${ownerAccountId}, ${cosignerAccountId}, ${invite.nickname},
        ${invite.status}, ${Column.date(invite.createdAt)}, ${Column.date(invite.expiresAt)}
      where not exists (
        select from cosigner_membership
        where owner_account_id = ${ownerAccountId} and cosigner_account_id = ${cosignerAccountId}
          and removed_at is null
      )
      on conflict (owner_account_id, cosigner_account_id) where status = 'pending' do nothing
      returning id`)
    // Nobody joins between the look at the memberships and the invite.
    return Effect.orDie(
      sql.withTransaction(Effect.andThen(Effect.andThen(share(sql, ownerAccountId), expire), add))
    )
  },

  // The lock of a writer that leaves the key alone: a membership that refers to it does not wait for it.
  lockInvite: (inviteId: string) =>
    Answer.first(
      sql<InviteRow>`select * from cosigner_invite where id = ${inviteId} for no key update`,
      readInvite
    ),

  answerInvite: (invite: Invite) =>
    Answer.written(sql`
      update cosigner_invite set status = ${invite.status}
      where id = ${invite.id} and owner_account_id = ${invite.ownerAccountId}
        and cosigner_account_id = ${invite.cosignerAccountId} and status = 'pending'
      returning id`)
})

const changing = (sql: SqlClient.SqlClient) => {
  const alone = (ownerAccountId: string, change: Effect.Effect<boolean>) =>
    Effect.orDie(sql.withTransaction(Effect.andThen(takeAlone(sql, ownerAccountId), change)))

  return {
    join: (membership: Membership) =>
      alone(
        membership.ownerAccountId,
        Answer.any(sql`
          insert into cosigner_membership (id, owner_account_id, cosigner_account_id, nickname,
            invite_id, created_at, removed_at)
          values (${membership.id}, ${membership.ownerAccountId}, ${membership.cosignerAccountId},
            ${membership.nickname}, ${membership.inviteId}, ${Column.date(membership.createdAt)},
            ${Column.dateOrNull(membership.removedAt)})
          on conflict (owner_account_id, cosigner_account_id) where removed_at is null do nothing
          returning id`)
      ),

    leave: (ownerAccountId: string, membershipId: string, at: Membership["createdAt"]) =>
      alone(
        ownerAccountId,
        Answer.any(sql`
          update cosigner_membership set removed_at = ${Column.date(at)}
          where owner_account_id = ${ownerAccountId} and id = ${membershipId}
            and removed_at is null
          returning id`)
      ),

    revise: (revision: Revision) =>
      alone(
        revision.accountId,
        Answer.any(sql`
          insert into cosigner_rules (account_id, number, rules, created_at)
          values (${revision.accountId}, ${revision.number},
            ${Column.json(revision.rules.map(writeRule))}, ${Column.date(revision.createdAt)})
          on conflict (account_id, number) do nothing
          returning number`)
      )
  }
}

export const layer = Layer.effect(
  Cosigners,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const rules = (accountId: string) =>
      Answer.first(
        sql<RevisionRow>`select * from cosigner_rules
          where account_id = ${accountId} order by number desc limit 1`,
        readRevision
      )
    return {
      ...inviting(sql),
      ...changing(sql),

      incoming: (cosignerAccountId, now, request) => {
        const conditions = [
          sql`cosigner_account_id = ${cosignerAccountId}`,
          sql`status = 'pending'`,
          sql`expires_at > ${Column.date(now)}`
        ]
        return Paging.page(
          sql<InviteRow>`select * from cosigner_invite ${Paging.tail(sql, conditions, request)}`,
          request,
          readInvite
        )
      },

      members: (ownerAccountId, request) => {
        const conditions = [sql`owner_account_id = ${ownerAccountId}`, sql`removed_at is null`]
        return Paging.page(
          sql<MembershipRow>`select * from cosigner_membership
            ${Paging.tail(sql, conditions, request)}`,
          request,
          readMembership
        )
      },

      cosigns: (cosignerAccountId, ownerAccountId) =>
        Answer.any(sql`
          select id from cosigner_membership
          where owner_account_id = ${ownerAccountId}
            and cosigner_account_id = ${cosignerAccountId} and removed_at is null`),

      rules,
      // Statement by statement: the read must see what was committed while the lock was waited for.
      consult: (ownerAccountId) =>
        Effect.andThen(share(sql, ownerAccountId), rules(ownerAccountId)),
      convene: (ownerAccountId) =>
        Effect.andThen(takeAlone(sql, ownerAccountId), rules(ownerAccountId))
    }
  })
)
