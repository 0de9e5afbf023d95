/**
 * Recipients, revisions of limits, proposals, the ledger of caps, and executions. What was proposed and
 * what limits were is never rewritten: the database itself refuses it.
 */

export const statements: ReadonlyArray<string> = [
  `create table recipient (
    id identifier primary key,
    account_id identifier not null references account (id),
    label text not null,
    address text not null check (address <> ''),
    chain_id text not null,
    status text not null check (status in ('pending', 'approved', 'revoked')),
    cooldown_ends_at timestamptz not null,
    is_own boolean not null,
    created_at timestamptz not null,
    unique (account_id, id)
  )`,
  `create unique index recipient_standing on recipient (account_id, chain_id, lower(address))
    where status <> 'revoked'`,
  `create index recipient_page on recipient (account_id, created_at desc, id desc)`,

  `create table policy_revision (
    account_id identifier not null references account (id),
    number integer not null check (number >= 0),
    tier text not null,
    per_transfer_micro bigint not null check (per_transfer_micro >= 0),
    daily_micro bigint not null check (daily_micro >= 0),
    monthly_micro bigint not null check (monthly_micro >= 0),
    hard_cap_micro bigint not null check (hard_cap_micro >= 0),
    created_at timestamptz not null,
    primary key (account_id, number)
  )`,
  `create trigger policy_revision_only_grows before update or delete or truncate on policy_revision
    for each statement execute function refuse_change()`,

  `create table proposal (
    id identifier primary key,
    account_id identifier not null references account (id),
    kind text not null check (
      kind in ('send', 'rename_account', 'create_account', 'add_recipient', 'approve_recipient')
    ),
    status text not null check (
      status in (
        'pending_confirm', 'requires_action', 'executing', 'completed', 'failed', 'rejected',
        'cancelled', 'expired', 'superseded'
      )
    ),
    sub_status text check (
      sub_status in ('queued', 'signing', 'broadcast', 'confirming', 'unknown')
    ),
    status_reason text,
    terms json not null check (json_typeof(terms) = 'object'),
    intent_hash text not null check (intent_hash ~ '^[0-9a-f]{64}$'),
    policy_revision integer not null check (policy_revision >= 0),
    summary text not null,
    recipient_id identifier,
    proposed_by text not null,
    tx_hashes text[] not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    confirmed_at timestamptz,
    expires_at timestamptz not null,
    unique (account_id, id),
    foreign key (account_id, recipient_id) references recipient (account_id, id)
  )`,
  `create index proposal_page on proposal (account_id, created_at desc, id desc)`,
  `create index proposal_expiring on proposal (expires_at, id)
    where status in ('pending_confirm', 'requires_action')`,
  `create index proposal_waiting_on on proposal (account_id, recipient_id, created_at, id)
    where status in ('pending_confirm', 'requires_action')`,
  `create function refuse_rewrite() returns trigger language plpgsql as $$
    begin
      raise exception 'what a % says is never changed', tg_table_name
        using errcode = 'restrict_violation';
    end
  $$`,
  // Fires only for statements that name one of these columns, so a move costs nothing.
  `create trigger proposal_terms_stand
    before update of id, account_id, kind, terms, intent_hash, recipient_id, proposed_by on proposal
    for each statement execute function refuse_rewrite()`,

  `create table spend_reservation (
    proposal_id identifier primary key,
    account_id identifier not null,
    amount_micro bigint not null check (amount_micro > 0),
    day text not null check (day ~ '^\\d{4}-\\d{2}-\\d{2}$'),
    month text not null check (month = left(day, 7)),
    state text not null check (state in ('reserved', 'consumed', 'released')),
    reserved_at timestamptz not null,
    foreign key (account_id, proposal_id) references proposal (account_id, id)
  )`,
  // The sum of a window is read from the index alone; its day lies in its month.
  `create index spend_reservation_window on spend_reservation (account_id, month, day)
    include (amount_micro) where state <> 'released'`,

  `create table execution (
    proposal_id identifier primary key,
    account_id identifier not null,
    wallet_id identifier not null,
    derivation_index integer not null check (derivation_index >= 0),
    chain_id text not null,
    from_address text not null,
    to_address text not null,
    amount_micro bigint not null check (amount_micro > 0),
    step text not null check (step in ('queued', 'signed', 'wrapped', 'broadcast', 'settled')),
    "authorization" jsonb check (jsonb_typeof("authorization") = 'object'),
    relayer_nonce bigint check (relayer_nonce >= 0),
    carriers jsonb not null check (jsonb_typeof(carriers) = 'array'),
    next_look_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    lease text unique,
    lease_ends_at timestamptz,
    foreign key (account_id, proposal_id) references proposal (account_id, id),
    foreign key (account_id, wallet_id) references wallet (account_id, id),
    constraint execution_relayer_nonce_once unique (chain_id, relayer_nonce),
    check ((step = 'settled') = (next_look_at is null)),
    check (step in ('queued', 'settled') or "authorization" is not null),
    check (
      step not in ('wrapped', 'broadcast')
      or (relayer_nonce is not null and jsonb_array_length(carriers) > 0)
    ),
    check ((lease is null) = (lease_ends_at is null))
  )`,
  `create index execution_due on execution (next_look_at, proposal_id) where step <> 'settled'`,
  `create index execution_free on execution (greatest(next_look_at, lease_ends_at))
    where step <> 'settled'`,
  `create trigger execution_order_stands
    before update of proposal_id, account_id, wallet_id, derivation_index, chain_id, from_address,
      to_address, amount_micro on execution
    for each statement execute function refuse_rewrite()`,

  `create table relayer_nonce (
    chain_id text primary key,
    next bigint not null check (next > 0)
  )`
]
