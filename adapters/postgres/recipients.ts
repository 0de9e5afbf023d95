/**
 * The store of recipients on SQL. A unique index over those not revoked lets an address stand once for an
 * account and chain, whoever adds it at the same time.
 */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Address from "../../core/chains/address.ts"
import { changing, type Recipient } from "../../core/recipients/recipient.ts"
import { Recipients } from "../../core/recipients/recipient-store.ts"
import * as Answer from "./answer.ts"
import { gathered, ownedBy } from "./gathered.ts"
import * as Narrow from "./narrow.ts"
import * as OneOf from "./one-of.ts"
import * as Rows from "./rows.ts"
import * as Search from "./search.ts"
import { bool, type Row, table, text, timestamp, uuid } from "./table.ts"

const recipient = table<Recipient>("recipient", {
  id: uuid,
  accountId: uuid,
  label: text,
  address: text,
  chainId: text,
  status: text,
  cooldownEndsAt: timestamp,
  isOwn: bool,
  requiredMemo: text,
  createdAt: timestamp
})

export const layer = Layer.effect(
  Recipients,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const recipients = Rows.rows(sql, recipient)
    const byId = gathered<Recipient>(
      sql,
      ({ id }) => id,
      (ids) => recipients.all(sql`id ${OneOf.uuids(sql, ids)}`)
    )
    const byProposal = gathered<readonly [proposalId: string, payee: Recipient]>(
      sql,
      ([proposalId]) => proposalId,
      (ids) =>
        Answer.all(
          sql<Row & { readonly proposal_id: string }>`
            select recipient.*, proposal.id as proposal_id from proposal join recipient
              on recipient.account_id = proposal.account_id and recipient.id = proposal.recipient_id
            where proposal.id ${OneOf.uuids(sql, ids)}`,
          (row) => [row.proposal_id, recipient.read(row)] as const
        )
    )
    return {
      find: (accountId, id) => ownedBy(accountId, byId(id)),

      payeeOf: (accountId, proposalId) =>
        ownedBy(
          accountId,
          Effect.map(byProposal(proposalId), (found) => found?.[1])
        ),

      hold: (accountId, id) => recipients.first({ accountId, id }, Rows.forShare),

      lock: (accountId, id) => recipients.first({ accountId, id }, Rows.forUpdate),

      standing: (accountId, chainId, address) =>
        recipients.first(sql`account_id = ${accountId} and chain_id = ${chainId}
          and address_key(chain_id, address) = ${Address.keyOf(chainId, address)}
          and status <> 'revoked'`),

      list: (accountId, request, { search } = {}) => {
        if (search === undefined) return recipients.page({ accountId }, request)
        const of = sql`account_id = ${accountId}`
        const indexed = sql`search_terms(account_id, label || chr(10) || address)`
        const terms = Search.terms(sql, accountId, search)
        const found = Search.byTerms(sql, accountId, indexed, terms)
        const conditions = [Search.containing(sql, ["label", "address"], search)]
        return Narrow.page(sql, { table: recipient, of, found, conditions }, request)
      },

      add: (added) =>
        recipients.insertNew(
          added,
          sql`(account_id, chain_id, address_key(chain_id, address)) where status <> 'revoked'`
        ),

      revise: (revised) => recipients.save(revised, changing)
    }
  })
)
