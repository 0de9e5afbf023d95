/**
 * Settlements of x402 payments: one row for an authorization of a holder, bound to what it pays for. What
 * was signed and what for is never rewritten: the database itself refuses it.
 */

export const statements: ReadonlyArray<string> = [
  `create table settlement (
    id identifier primary key,
    subject json not null check (json_typeof(subject) = 'object'),
    account_id identifier references account (id),
    request_id identifier,
    chain_id text not null,
    token text not null check (token = lower(token)),
    from_address text not null check (from_address = lower(from_address)),
    to_address text not null check (to_address = lower(to_address)),
    amount_micro bigint not null check (amount_micro > 0),
    nonce text not null check (nonce = lower(nonce)),
    valid_after bigint check (valid_after >= 0),
    valid_before bigint not null check (valid_before > 0),
    signature text not null,
    payload json not null check (json_typeof(payload) = 'object'),
    step text not null check (step in ('signed', 'wrapped', 'broadcast', 'settled')),
    outcome text check (outcome in ('paid', 'failed')),
    reason text,
    tx_hash text,
    transfer_id identifier references transfer (id),
    relayer text,
    relayer_nonce bigint check (relayer_nonce >= 0),
    carriers jsonb not null check (jsonb_typeof(carriers) = 'array'),
    next_look_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    lease text unique,
    lease_ends_at timestamptz,
    constraint settlement_once unique (chain_id, token, from_address, nonce),
    constraint settlement_relayer_nonce_once unique (chain_id, relayer, relayer_nonce),
    foreign key (account_id, request_id) references payment_request (account_id, id),
    check (request_id is null or account_id is not null),
    check ((step = 'settled') = (next_look_at is null)),
    check (step <> 'settled' or outcome is not null),
    check (outcome is distinct from 'paid' or (step = 'settled' and tx_hash is not null)),
    check (
      step not in ('wrapped', 'broadcast')
      or (relayer_nonce is not null and jsonb_array_length(carriers) > 0)
    ),
    check ((relayer is null) = (relayer_nonce is null)),
    check ((lease is null) = (lease_ends_at is null))
  )`,
  `create index settlement_due on settlement (next_look_at, id) where step <> 'settled'`,
  `create index settlement_free on settlement (greatest(next_look_at, lease_ends_at))
    where step <> 'settled'`,
  `create index settlement_of_request on settlement (request_id, created_at, id)
    where request_id is not null and outcome is distinct from 'failed'`,
  `create trigger settlement_terms_stand
    before update of id, subject, account_id, request_id, chain_id, token, from_address, to_address,
      amount_micro, nonce, valid_after, valid_before, signature, payload, created_at on settlement
    for each statement execute function refuse_rewrite()`
]
