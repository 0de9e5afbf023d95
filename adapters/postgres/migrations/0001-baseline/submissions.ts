/**
 * What is submitted to chains, whatever for. What is to happen and what for is never rewritten, and a relayer's
 * sequence number is held once.
 */

export const statements: ReadonlyArray<string> = [
  `create table submission (
    id identifier primary key,
    key text not null unique,
    purpose jsonb not null check (jsonb_typeof(purpose) = 'object' and purpose->>'name' <> ''),
    account_id uuid generated always as ((purpose->>'accountId')::uuid) stored references account (id),
    proposal_id uuid generated always as ((purpose->>'proposalId')::uuid) stored,
    request_id uuid generated always as ((purpose->>'requestId')::uuid) stored,
    chain_id text not null,
    terms jsonb not null check (jsonb_typeof(terms) = 'object'),
    wallet_id uuid generated always as ((terms->'wallet'->>'id')::uuid) stored,
    status text not null check (
      status in ('prepared', 'signed', 'submitted', 'seen', 'final', 'failed')
    ),
    reason text,
    tx_ids text[] not null,
    relayer text,
    relayer_sequence bigint check (relayer_sequence >= 0),
    journal jsonb not null check (jsonb_typeof(journal) = 'object'),
    transfer_id identifier references transfer (id),
    is_emptied boolean not null default false,
    next_look_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    lease text,
    lease_ends_at timestamptz,
    constraint submission_sequence_once unique (chain_id, relayer, relayer_sequence),
    foreign key (account_id, proposal_id) references proposal (account_id, id),
    foreign key (request_id, account_id) references payment_request (id, account_id),
    foreign key (account_id, wallet_id) references wallet (account_id, id),
    check (account_id is not null or (proposal_id is null and request_id is null and wallet_id is null)),
    check ((terms->'amount'->>'units')::numeric > 0
      or (terms->>'act' in ('permit', 'call') and (terms->'amount'->>'units')::numeric = 0)),
    check (jsonb_typeof(terms->'call') = case terms->>'act' when 'call' then 'object' else 'null' end),
    check (next_look_at is not null or status in ('final', 'failed')),
    check (status in ('prepared', 'signed', 'failed') or cardinality(tx_ids) > 0),
    check ((relayer is null) = (relayer_sequence is null)),
    check ((lease is null) = (lease_ends_at is null))
  ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02)`,
  `comment on table submission is
    'One act on one chain each: what is to happen (terms), what for (purpose), how far it is.'`,
  `comment on column submission.terms is 'amount.units are smallest units of amount.token, a decimal string.'`,
  `comment on column submission.is_emptied is
    'Whether it is long closed and the signed bytes of its transactions are gone from the journal.'`,
  // No index but that of what is due holds or asks what a step changes: a row that is written again stays where it is.
  `create index submission_to_empty on submission (created_at)
    where next_look_at is null and not is_emptied`,
  // No index holds the lease, so that claiming and renewing touch none.
  `create index submission_due on submission (next_look_at, id) where next_look_at is not null`,
  `create index submission_of_proposal on submission (proposal_id, created_at, id)
    where proposal_id is not null`,
  `create index submission_of_sender on submission (chain_id, (terms ->> 'from'))`,
  // What is under way of one who has sent much before.
  `create index submission_under_way on submission (chain_id, (terms ->> 'from'))
    where next_look_at is not null`,
  `create index submission_of_request on submission (request_id, created_at, id)
    where request_id is not null`,
  `create trigger submission_terms_stand
    before update of id, key, purpose, chain_id, terms, created_at on submission
    for each statement execute function refuse_rewrite()`,

  `create table relayer_sequence (
    chain_id text not null,
    relayer text not null,
    next bigint not null check (next > 0),
    primary key (chain_id, relayer)
  ) with (fillfactor = 50)`,
  `comment on table relayer_sequence is 'The next sequence number of each relayer on each chain.'`,

  `create table used_nonce (
    chain_id text not null,
    sender text not null check (sender = address_key(chain_id, sender)),
    nonce bigint not null check (nonce >= 0),
    tx_id text not null check (tx_id <> ''),
    block_number bigint not null check (block_number >= 0),
    block_hash text not null check (block_hash <> ''),
    called text check (called = address_key(chain_id, called)),
    data text not null check (data like '0x%'),
    value numeric(78, 0) not null check (value >= 0),
    is_success boolean not null,
    primary key (chain_id, sender, nonce)
  )`,
  `comment on table used_nonce is
    'Final transactions of wallets that no submission has: what the chain told of calls that the records forgot.'`,
  `comment on column used_nonce.value is 'In the smallest unit of the coin of the chain.'`
]
