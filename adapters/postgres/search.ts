/**
 * A search in the columns of a list: part of any of them, where the case of A to Z does not matter. Other letters are
 * told apart by their case, in every database alike.
 */
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"

export const containing = (
  sql: SqlClient,
  columns: ReadonlyArray<string>,
  search: string
): Fragment =>
  sql.or(
    columns.map(
      (column) =>
        sql`position(lower(${search}::text collate "C") in lower(${sql(column)} collate "C")) > 0`
    )
  )

/** So many letters of a search are looked up in an index; what is shorter than a term stands in none. */
const lengthOfTerm = 3
const maxLookedUp = 16

/** The terms of a search, in an index over `search_terms`; none of a search that is too short. */
export const terms = (
  sql: SqlClient,
  accountId: string,
  search: string | undefined
): ReadonlyArray<Fragment> => {
  const letters = [...(search ?? "")].slice(0, maxLookedUp)
  return letters.length < lengthOfTerm ? [] : [sql`search_terms(${accountId}, ${letters.join("")})`]
}

/**
 * What an index over terms finds of an account. The account is compared in words that no index serves: where most
 * accounts have few rows, the database would rather look at all of one that has very many.
 */
export const byTerms = (
  sql: SqlClient,
  accountId: string,
  indexed: Fragment,
  terms: ReadonlyArray<Fragment>
): Fragment | undefined =>
  terms.length === 0
    ? undefined
    : sql`${indexed} @> (${sql.join(" || ", false)(terms)}) and account_id || '' = ${accountId}`
