/**
 * By what the requests of a vault are found that a transfer may be for: the longest-lived of each status,
 * and those that ask for its amount or lack it, however many others there are.
 */

export const statements: ReadonlyArray<string> = [
  `create index payment_request_of_vault on payment_request (vault_id, status, expires_at, id)
    where status <> 'paid'`,
  `create index payment_request_amount
    on payment_request (vault_id, amount_micro, status, expires_at, id) where status <> 'paid'`,
  `create index payment_request_remaining
    on payment_request (vault_id, (amount_micro - received_micro), status, expires_at, id)
    where status <> 'paid' and received_micro > 0`,
  "drop index payment_request_unpaid"
]
