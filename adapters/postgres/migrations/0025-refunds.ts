/** The ledger of refunds: what of which transfer goes back by which proposal. */

export const statements: ReadonlyArray<string> = [
  `create table refund_share (
    proposal_id identifier not null,
    transfer_id identifier not null references transfer (id),
    account_id identifier not null,
    amount_micro bigint not null check (amount_micro > 0),
    state text not null check (state in ('claimed', 'refunded', 'released')),
    claimed_at timestamptz not null,
    primary key (proposal_id, transfer_id),
    foreign key (account_id, proposal_id) references proposal (account_id, id)
  )`,
  `create index refund_share_standing on refund_share (transfer_id, claimed_at, proposal_id)
    where state <> 'released'`,
  `alter table transfer drop constraint transfer_resolution_check`,
  `alter table transfer add constraint transfer_resolution_check
    check (resolution in ('accepted', 'attached', 'ignored', 'refunded'))`
]
