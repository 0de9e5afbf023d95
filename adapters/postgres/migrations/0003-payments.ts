/**
 * Payment requests, the transfers that pay them, the watchers' cursors and bulk provisioning. A transfer
 * exists once, and no row can refer to a row of another account.
 */

export const statements: ReadonlyArray<string> = [
  `create table payment_request (
    id identifier primary key,
    pid identifier not null unique,
    account_id identifier not null,
    vault_id identifier not null,
    chain_id text not null,
    pay_to_address text not null,
    amount_micro bigint not null check (amount_micro > 0),
    received_micro bigint not null check (received_micro >= 0),
    status text not null check (
      status in ('open', 'processing', 'partially_paid', 'paid', 'expired', 'cancelled')
    ),
    settlement_issue text not null check (
      settlement_issue in ('none', 'underpaid', 'overpaid', 'late', 'ambiguous')
    ),
    description text,
    external_reference text,
    metadata json not null check (json_typeof(metadata) = 'object'),
    customer_external_id text,
    customer_namespace text,
    product json,
    checkout_session_id text unique,
    success_url text,
    cancel_url text,
    expires_at timestamptz not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    paid_at timestamptz,
    tx_hash text,
    method text check (method in ('direct', 'checkout', 'x402')),
    payer_address text,
    unique (account_id, id),
    foreign key (account_id, vault_id) references wallet (account_id, id),
    check ((customer_external_id is null) = (customer_namespace is null))
  )`,
  `create index payment_request_page on payment_request (account_id, created_at desc, id desc)`,
  `create index payment_request_unpaid on payment_request (vault_id, created_at, id)
    where status <> 'paid'`,
  `create index payment_request_expiring on payment_request (chain_id, expires_at)
    where status in ('open', 'partially_paid')`,

  `create table transfer (
    id identifier primary key,
    account_id identifier not null,
    vault_id identifier not null,
    chain_id text not null,
    tx_hash text not null,
    log_index integer not null check (log_index >= 0),
    block_number bigint not null check (block_number >= 0),
    block_hash text not null,
    block_time timestamptz not null,
    payer_address text not null,
    amount_micro bigint not null check (amount_micro > 0),
    state text not null check (state in ('seen', 'final', 'reorged')),
    seen_at timestamptz not null,
    final_at timestamptz,
    request_id identifier,
    method text not null check (method in ('direct', 'checkout', 'x402')),
    settlement_issue text not null check (
      settlement_issue in ('none', 'underpaid', 'overpaid', 'late', 'ambiguous')
    ),
    candidate_pids text[] not null,
    resolution text check (resolution in ('accepted', 'attached', 'ignored')),
    constraint transfer_once unique (chain_id, tx_hash, log_index),
    foreign key (account_id, vault_id) references wallet (account_id, id),
    foreign key (account_id, request_id) references payment_request (account_id, id),
    check (state <> 'final' or final_at is not null)
  )`,
  `create index transfer_of_request on transfer (request_id, seen_at, id)
    where request_id is not null`,
  `create index transfer_seen on transfer (chain_id, block_number) where state = 'seen'`,
  `create index transfer_standing on transfer (chain_id, block_number) where state <> 'reorged'`,
  `create index transfer_deposits on transfer (account_id, seen_at desc, id desc)
    where request_id is null and state <> 'reorged'`,

  `create table chain_cursor (
    chain_id text primary key,
    tip_hash text not null,
    blocks json not null,
    head bigint not null,
    final_number bigint not null,
    final_time timestamptz not null
  )`,

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
  )`,

  `create table provisioning_item (
    job_id identifier not null,
    position integer not null check (position >= 0),
    account_id identifier not null,
    external_id text not null,
    namespace text not null,
    metadata json not null,
    status text not null check (status in ('pending', 'succeeded', 'failed')),
    wallet_id identifier,
    address text,
    error text,
    primary key (job_id, position),
    foreign key (account_id, job_id) references provisioning_job (account_id, id),
    foreign key (account_id, wallet_id) references wallet (account_id, id)
  )`,
  `create index provisioning_item_pending on provisioning_item (job_id, position)
    where status = 'pending'`
]
