/** The vaults of a customer, of which there is one on each chain at most: whatever is a customer's, its vaults have. */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import type { Customer } from "../../core/wallets/wallet.ts"

/** More than there are chains. */
const maxVaults = 100

/**
 * Their ids, in the order of the key of customers: whoever asks for it gets that key. Where many accounts call a customer
 * alike, the database would rather look at all wallets.
 */
export const vaultsOf = (
  sql: SqlClient,
  accountId: string,
  { externalId, namespace }: Customer
): Fragment => sql`(
  select id from wallet
  where account_id = ${accountId} and namespace = ${namespace} and external_id = ${externalId}
  order by chain_id limit ${maxVaults})`
