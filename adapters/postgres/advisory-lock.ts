/** The advisory locks of the database. Each guards one decision that no row of its own can guard. */
import type { SqlClient } from "effect/sql/SqlClient"

/** The first half of every lock, so that other users of the database do not meet ours. */
export const space = 0x627572

export const migrations = 1

/**
 * The lock of an account's co-signers and rules, which many may share or one may have. A single key is of another space
 * than the pairs above, and wide enough for ids never to meet.
 */
export const cosigners = (sql: SqlClient, accountId: string) =>
  sql`hashtextextended(${accountId}, ${space})`

/** Of the ledgers of accounts, which triggers lock as well. */
export const ofLedgers = 0x627573

/**
 * The lock of an account's ledgers. Not that of its row: who confirms holds the row together with others, and two who then
 * took it alone would wait for each other for ever.
 */
export const ledgers = (sql: SqlClient, accountId: string) =>
  sql`hashtextextended(${accountId}, ${ofLedgers})`

/** Of what the shares of a chain's outlay have been given, in a day: only a trigger locks it. */
export const ofOutlay = 0x627574

/** The lock of who adds to what a payer has signed: no row of its own is there before the first. */
export const promises = (sql: SqlClient, chainId: string, payer: string) =>
  sql`hashtextextended(${`${chainId} ${payer} promises`}, ${space})`

/** The lock of who gives a wallet its next transaction: no row of its own says that it has none under way. */
export const walletOrder = (sql: SqlClient, chainId: string, wallet: string) =>
  sql`hashtextextended(${`${chainId} ${wallet}`}, ${space})`
