/** Second payments of a paid request, and money from wallets of the vault's own account. */

export const statements: ReadonlyArray<string> = [
  "alter table transfer drop constraint transfer_settlement_issue_check",
  `alter table transfer add constraint transfer_settlement_issue_check
    check (settlement_issue in ('none', 'underpaid', 'overpaid', 'late', 'ambiguous', 'duplicate'))`,
  "alter table transfer drop constraint transfer_resolution_check",
  `alter table transfer add constraint transfer_resolution_check
    check (resolution in ('accepted', 'attached', 'ignored', 'refunded', 'own_transfer'))`,
  `create index payment_request_paid on payment_request (vault_id, amount_micro, paid_at desc)
    where status = 'paid'`,
  `create index payment_request_payer
    on payment_request (vault_id, amount_micro, payer_address, paid_at desc) where status = 'paid'`,
  `create index transfer_repeat on transfer (vault_id, final_at, id)
    where settlement_issue = 'duplicate' and state = 'final'`
]
