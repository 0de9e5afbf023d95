/**
 * What bounds a key beside its scopes, the ledger of what keys with a daily cap have sent, and who
 * confirmed a proposal: both the key that made it and the one that confirmed it bind what it does.
 */

export const statements: ReadonlyArray<string> = [
  `alter table api_key
    add made_by identifier references api_key (id),
    add ip_ranges text[] check (cardinality(ip_ranges) > 0),
    add wallet_ids text[] check (cardinality(wallet_ids) > 0),
    add recipient_ids text[] check (cardinality(recipient_ids) > 0),
    add daily_cap_micro bigint check (daily_cap_micro > 0),
    add last_refused_at timestamptz`,
  // Fires only for statements that name one of these columns, so noting a use costs nothing.
  `create trigger api_key_caveats_stand
    before update of made_by, ip_ranges, wallet_ids, recipient_ids, daily_cap_micro on api_key
    for each statement execute function refuse_rewrite()`,

  "alter table proposal add confirmed_by text",

  `create table key_reservation (
    proposal_id identifier not null,
    key_id identifier not null references api_key (id),
    account_id identifier not null,
    amount_micro bigint not null check (amount_micro > 0),
    day text not null check (day ~ '^\\d{4}-\\d{2}-\\d{2}$'),
    state text not null check (state in ('reserved', 'consumed', 'released')),
    primary key (proposal_id, key_id),
    foreign key (account_id, proposal_id) references proposal (account_id, id)
  )`,
  `create index key_reservation_day on key_reservation (key_id, day)
    include (amount_micro) where state <> 'released'`
]
