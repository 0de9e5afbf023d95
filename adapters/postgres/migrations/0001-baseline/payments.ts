/** Payment requests, the transfers that pay them, and how far each chain was read. */

export const statements: ReadonlyArray<string> = [
  // An id names one request; that it stands first in the key of both is what looks it up by itself.
  `create table payment_request (
    id identifier not null,
    pid text not null unique,
    account_id identifier not null,
    vault_id identifier not null,
    chain_id text not null,
    pay_to_address bytea not null,
    amount_micro bigint not null check (amount_micro > 0),
    received_micro bigint not null check (received_micro >= 0),
    status text not null check (
      status in ('open', 'processing', 'partially_paid', 'paid', 'expired', 'cancelled')
    ),
    settlement_issue text not null check (
      settlement_issue in ('none', 'underpaid', 'overpaid', 'late', 'ambiguous')
    ),
    external_reference text,
    said bytea not null,
    reference text,
    was_attempted boolean not null default false,
    expires_at timestamptz not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    paid_at timestamptz,
    tx_hash bytea,
    method text check (method in ('direct', 'checkout', 'x402')),
    payer_address bytea,
    primary key (id, account_id),
    foreign key (account_id, vault_id) references wallet (account_id, id)
  ) with (autovacuum_vacuum_scale_factor = 0.02)`,
  `comment on table payment_request is 'Demands for an exact amount on a vault, with an expiry and a link.'`,
  `comment on column payment_request.pay_to_address is
    'As adapters/postgres/terse.ts has it; so are the payer''s address and the hash.'`,
  `comment on column payment_request.said is
    'What is told of it and never looked for: description, metadata, customer, product, session and pages; JSON, packed (adapters/postgres/packed.ts).'`,
  `comment on column payment_request.amount_micro is 'Millionths of a USDC.'`,
  `comment on column payment_request.received_micro is
    'Millionths of a USDC: final money credited to it.'`,
  `comment on column payment_request.reference is
    'The address that a payment names to say it is for this request, on chains that take one.'`,
  `comment on column payment_request.was_attempted is
    'Whether a transfer was ever credited to it or a payment signed for it; if not, there is none to look for.'`,
  `create unique index payment_request_reference on payment_request (reference)
    where reference is not null`,
  `create index payment_request_by_vault
    on payment_request (account_id, vault_id, created_at)`,
  `create index payment_request_by_status
    on payment_request (account_id, status, created_at)`,
  `create index payment_request_by_reference
    on payment_request (account_id, external_reference, created_at)
    where external_reference is not null`,
  // Those of a customer are those of the customer's vaults.
  `create index payment_request_by_amount
    on payment_request (account_id, amount_micro, created_at)`,
  `create index payment_request_expiring on payment_request (chain_id, expires_at)
    where status in ('open', 'partially_paid')`,
  // What a transfer to a vault is matched against: a bounded number, however many the vault has had.
  `create index payment_request_of_vault on payment_request (vault_id, status, expires_at, id)
    where status <> 'paid'`,
  `create index payment_request_amount
    on payment_request (vault_id, amount_micro, status, expires_at, id) where status <> 'paid'`,
  `create index payment_request_remaining
    on payment_request (vault_id, (amount_micro - received_micro), status, expires_at, id)
    where status <> 'paid' and received_micro > 0`,
  `create index payment_request_paid on payment_request (vault_id, amount_micro, paid_at)
    where status = 'paid'`,
  // Eight bytes find the few that a payer has paid of an amount, where what they stand for takes more than fifty.
  `create function payer_key(vault_id uuid, amount_micro bigint, payer_address bytea) returns bigint
    language sql immutable strict parallel safe
    return hashtextextended(
      vault_id::text || amount_micro::text || encode(payer_address, 'hex'), 0)`,
  `create index payment_request_payer
    on payment_request (payer_key(vault_id, amount_micro, payer_address), paid_at)
    where status = 'paid'`,
  // Some customers have most of an account's: by the average of all vaults, all that one has would be read and sorted.
  `alter table payment_request alter column vault_id set (n_distinct = 20)`,

  `create table transfer (
    id identifier primary key,
    account_id identifier not null,
    vault_id identifier not null,
    chain_id text not null,
    tx_hash bytea not null,
    log_index integer not null check (log_index >= 0),
    block_number bigint not null check (block_number >= 0),
    block_hash bytea not null,
    block_time timestamptz not null,
    payer_address bytea not null,
    amount_micro bigint not null check (amount_micro > 0),
    state text not null check (state in ('seen', 'final', 'reorged')),
    seen_at timestamptz not null,
    final_at timestamptz,
    request_id identifier,
    method text not null check (method in ('direct', 'checkout', 'x402')),
    settlement_issue text not null constraint transfer_settlement_issue_check check (
      settlement_issue in ('none', 'underpaid', 'overpaid', 'late', 'ambiguous', 'duplicate')
    ),
    candidate_pids text[] not null,
    resolution text constraint transfer_resolution_check check (
      resolution in ('accepted', 'attached', 'ignored', 'refunded', 'own_transfer')
    ),
    constraint transfer_once unique (tx_hash, chain_id, log_index),
    foreign key (account_id, vault_id) references wallet (account_id, id),
    foreign key (request_id, account_id) references payment_request (id, account_id),
    check (state <> 'final' or final_at is not null)
  )`,
  `comment on table transfer is
    'Transfers of USDC to vaults, one row for each log of a chain: paid to a request, or a deposit.'`,
  `comment on column transfer.tx_hash is
    'As adapters/postgres/terse.ts has it; so are the hash of the block and the payer''s address.'`,
  `comment on column transfer.amount_micro is 'Millionths of a USDC.'`,
  `create index transfer_of_request on transfer (request_id, seen_at)
    where request_id is not null`,
  `create index transfer_seen on transfer (chain_id, block_number) where state = 'seen'`,
  `create index transfer_final on transfer (chain_id, block_number) where state = 'final'`,
  `create index transfer_reorged on transfer (chain_id, block_number) where state = 'reorged'`,
  `create index transfer_deposits_open on transfer (account_id, seen_at, id)
    where (request_id is null or resolution is not null) and state <> 'reorged'
      and resolution is null`,
  `create index transfer_deposits_resolved on transfer (account_id, seen_at, id)
    where (request_id is null or resolution is not null) and state <> 'reorged'
      and resolution is not null`,
  // Of an account or a customer who has thousands of the one kind, few of the other are found; of both, a page of each is read.
  `create index transfer_deposits_open_by_vault on transfer (vault_id, seen_at, id)
    where (request_id is null or resolution is not null) and state <> 'reorged'
      and resolution is null`,
  `create index transfer_deposits_resolved_by_vault on transfer (vault_id, seen_at, id)
    where (request_id is null or resolution is not null) and state <> 'reorged'
      and resolution is not null`,
  `create index transfer_deposits_by_amount
    on transfer (account_id, amount_micro, seen_at, id)
    where (request_id is null or resolution is not null) and state <> 'reorged'`,
  // By amount, so that dust, which costs its sender nothing, is never read.
  `create index transfer_meant_for on transfer (candidate_pids, amount_micro)
    where (request_id is null or resolution is not null) and state <> 'reorged'
      and cardinality(candidate_pids) = 1`,
  `create index transfer_repeat on transfer (vault_id, final_at, id)
    where settlement_issue = 'duplicate' and state = 'final'`,
  `alter table transfer alter column vault_id set (n_distinct = 20)`,

  `create table payment_claim (
    chain_id text not null,
    tx_hash text not null check (tx_hash = address_key(chain_id, tx_hash)),
    payer_address text not null check (payer_address = address_key(chain_id, payer_address)),
    request_id identifier not null,
    account_id identifier not null,
    claimed_at timestamptz not null,
    primary key (chain_id, tx_hash, payer_address),
    foreign key (request_id, account_id) references payment_request (id, account_id)
  )`,
  `comment on table payment_claim is
    'Which request a payer says a transaction was for; the first word on a transaction stands.'`,
  "create index payment_claim_of_request on payment_claim (request_id)",
  "create index payment_claim_age on payment_claim (claimed_at)",

  `create table payment_turned_down (
    account_id identifier not null,
    request_id identifier not null,
    digest text not null check (digest ~ '^[0-9a-f]{64}$'),
    at timestamptz not null,
    primary key (request_id, digest),
    foreign key (request_id, account_id) references payment_request (id, account_id)
  )`,
  `comment on table payment_turned_down is
    'Payments by signature that were not taken, by the digest of what was signed: each is told once.'`,

  `create table chain_cursor (
    chain_id text primary key,
    tip_hash text not null,
    blocks jsonb not null,
    head bigint not null,
    final_number bigint not null,
    final_time timestamptz not null,
    round jsonb
  ) with (fillfactor = 50)`,
  `comment on table chain_cursor is 'The newest blocks of each chain that were applied.'`,

  `create table usdc_implementation (
    chain_id text primary key,
    accepted text not null check (accepted <> ''),
    seen text not null check (seen <> ''),
    seen_at timestamptz not null
  ) with (fillfactor = 50)`,
  `comment on table usdc_implementation is
    'The contract behind the USDC of each chain: the one that wallets may sign for, and the one seen last.'`,

  `comment on column chain_cursor.round is
    'How far the looks are where one look is not at all vaults.'`,

  // Read in the order of ids, a page in each look: rows of that order lie side by side, as vaults are made in it. What
  // fills a page is the room that changes take, so that a row stays where it is.
  `create table settled_balance (
    vault_id identifier not null,
    chain_id text not null,
    address text not null check (address = address_key(chain_id, address)),
    block_number bigint not null check (block_number >= 0),
    held_micro bigint not null check (held_micro >= 0),
    paid_through bigint not null default 0,
    primary key (chain_id, vault_id)
  ) with (fillfactor = 80)`,
  `comment on table settled_balance is
    'Every vault on a chain that tells by address, with what it held at the end of a final block, all of it explained by its transactions.'`,
  `comment on column settled_balance.held_micro is 'Millionths of a USDC.'`,

  `comment on column settled_balance.paid_through is
    'No later block has its last payment: until it is settled there, its transactions are listed, whatever it holds.'`,

  // A copy of what is settled, so that those that are looked at first lie side by side too.
  `create table expecting_vault (
    vault_id identifier primary key,
    chain_id text not null,
    place bigint generated by default as identity,
    address text not null check (address = address_key(chain_id, address)),
    block_number bigint not null,
    held_micro bigint not null,
    expects_until timestamptz not null
  ) with (fillfactor = 80)`,
  `comment on table expecting_vault is
    'Vaults that money is expected on, the one that was asked for last at the end. Whatever is missing here is looked at with all others.'`,
  `comment on column expecting_vault.held_micro is 'Millionths of a USDC.'`,
  "create unique index expecting_vault_place on expecting_vault (chain_id, place)",

  `create table provisioning_job (
    id identifier primary key,
    account_id identifier not null references account (id),
    chain_id text not null,
    status text not null check (
      status in ('queued', 'running', 'completed', 'completed_with_errors', 'failed')
    ),
    total integer not null check (total > 0),
    succeeded integer not null check (succeeded >= 0),
    failed integer not null check (failed >= 0),
    created_at timestamptz not null,
    unique (account_id, id),
    check (succeeded + failed <= total)
  ) with (fillfactor = 80)`,
  `comment on table provisioning_job is
    'Jobs that make vaults for many customers. Deleted by age, once they have ended.'`,
  `create index provisioning_job_ended on provisioning_job (created_at, id)
    where status in ('completed', 'completed_with_errors', 'failed')`,

  `create table provisioning_item (
    job_id identifier not null,
    position integer not null check (position >= 0),
    account_id identifier not null,
    external_id text not null,
    namespace text not null,
    metadata jsonb not null,
    status text not null check (status in ('pending', 'succeeded', 'failed')),
    wallet_id identifier,
    address bytea,
    error text,
    primary key (job_id, position),
    foreign key (account_id, job_id) references provisioning_job (account_id, id),
    foreign key (account_id, wallet_id) references wallet (account_id, id)
  )`,
  `comment on table provisioning_item is 'The customers of a job, in its order.'`,
  `create index provisioning_item_pending on provisioning_item (job_id, position)
    where status = 'pending'`
]
