/** Accounts, their keys, what agents bought, and the answers that are kept for repeated calls. */

export const statements: ReadonlyArray<string> = [
  // They sort as their texts do, so that pages keep their order.
  `create domain identifier as uuid`,
  `comment on domain identifier is
    'A UUID of version 7, which begins with its time in milliseconds: a range of ids is a range of time.'`,

  // The identity of an address, as core computes it (core/chains/address.ts).
  `create function address_key(chain_id text, address text) returns text
    language sql immutable parallel safe
    return case when chain_id like '%solana%' then address else lower(address) end`,

  `create function refuse_change() returns trigger language plpgsql as $$
    begin
      raise exception '% only grows', tg_table_name using errcode = 'restrict_violation';
    end
  $$`,
  `create function refuse_rewrite() returns trigger language plpgsql as $$
    begin
      raise exception 'what a % says is never changed', tg_table_name
        using errcode = 'restrict_violation';
    end
  $$`,

  `create table account (
    id identifier primary key,
    name text not null,
    kind text not null check (kind in ('developer', 'agent')),
    tier text not null check (tier in ('personal', 'startup')),
    livemode boolean not null,
    funding_chain_id text,
    funding_address text,
    contact_email text check (contact_email <> ''),
    subscription_expires_at timestamptz,
    paused_at timestamptz,
    paused_by text,
    created_at timestamptz not null,
    constraint account_funding_wallet_whole
      check ((funding_chain_id is null) = (funding_address is null)),
    constraint account_subscribed_agents
      check (kind = 'agent' or (contact_email is null and subscription_expires_at is null))
  ) with (fillfactor = 80)`,
  `comment on table account is 'Owners of keys, wallets and everything else.'`,
  `create index account_page on account (created_at, id)`,
  `create index account_funding_wallet
    on account (address_key(funding_chain_id, funding_address), created_at)
    where funding_address is not null`,

  `create table account_settings (
    account_id identifier primary key references account (id),
    merchant_name text check (merchant_name <> ''),
    logo_url text check (length(logo_url) <= 32768),
    brand_color text check (brand_color ~ '^#[0-9a-f]{6}$'),
    second_person_signs boolean not null,
    email_notices text[] not null,
    email_delivery text not null check (email_delivery in ('immediate', 'daily'))
  )`,
  `comment on table account_settings is
    'What owners have set; apart from the account, which is read with every call and holds no pictures.'`,

  `create table api_key (
    id identifier primary key,
    account_id identifier not null references account (id),
    digest text not null unique,
    kind text not null check (kind in ('developer', 'agent')),
    prefix text not null,
    last_four text not null,
    scopes text[] not null,
    label text,
    made_by identifier references api_key (id),
    ip_ranges text[] check (cardinality(ip_ranges) > 0),
    wallet_ids text[] check (cardinality(wallet_ids) > 0),
    recipient_ids text[] check (cardinality(recipient_ids) > 0),
    daily_cap_micro bigint check (daily_cap_micro > 0),
    created_at timestamptz not null,
    last_used_at timestamptz,
    last_refused_at timestamptz,
    expires_at timestamptz,
    revoked_at timestamptz
  ) with (fillfactor = 80)`,
  `comment on table api_key is 'API keys by the digest of their secret; the secret is not kept.'`,
  `comment on column api_key.daily_cap_micro is 'Millionths of a USD that may be sent a day.'`,
  `create index api_key_page on api_key (account_id, created_at, id)`,
  `create index api_key_made_by on api_key (made_by, id) where made_by is not null`,
  // What is over takes no place among them, however much of it there is.
  `create index api_key_in_force on api_key (account_id, coalesce(expires_at, 'infinity'))
    where revoked_at is null`,
  // Fires only for statements that name one of these columns, so noting a use costs nothing.
  `create trigger api_key_caveats_stand
    before update of made_by, ip_ranges, wallet_ids, recipient_ids, daily_cap_micro on api_key
    for each statement execute function refuse_rewrite()`,

  // Whoever revokes, by hand too: replicas that found a key a moment ago hear that it may have changed.
  `create function tell_of_keys() returns trigger language plpgsql as $$
    begin
      perform pg_notify('bursar_wakeups', 'database keys');
      return null;
    end
  $$`,
  `create trigger api_key_changed
    after update of revoked_at, expires_at, scopes, ip_ranges or delete on api_key
    for each statement execute function tell_of_keys()`,

  `create table purchase (
    chain_id text not null,
    tx_hash text not null check (tx_hash = address_key(chain_id, tx_hash)),
    settlement_id identifier not null unique,
    account_id identifier not null references account (id),
    purpose text not null check (purpose in ('onboarding', 'renewal')),
    plan text not null check (plan in ('personal', 'startup')),
    amount_micro bigint not null check (amount_micro > 0),
    payer text not null,
    paid_at timestamptz not null,
    expires_at timestamptz not null check (expires_at > paid_at),
    key_id identifier,
    sealed_key text,
    erase_at timestamptz,
    primary key (chain_id, tx_hash),
    check ((purpose = 'onboarding') = (key_id is not null)),
    check ((sealed_key is null) = (erase_at is null)),
    check (sealed_key is null or key_id is not null)
  )`,
  `comment on table purchase is
    'What agents paid for; a payment is one purchase for ever, and the key it bought is sealed for a while.'`,
  `comment on column purchase.amount_micro is 'Millionths of a USDC.'`,
  `create index purchase_page on purchase (account_id, paid_at, settlement_id)`,
  `create index purchase_sealed on purchase (erase_at) where sealed_key is not null`,
  `create index purchase_sealed_of on purchase (key_id) where sealed_key is not null`,
  `create trigger purchase_stands
    before update of chain_id, tx_hash, settlement_id, account_id, purpose, plan, amount_micro, payer,
      paid_at, expires_at, key_id on purchase
    for each statement execute function refuse_rewrite()`,

  `create table claim_resend (
    account_id identifier primary key references account (id),
    asked_at timestamptz[] not null
  )`,
  `comment on table claim_resend is 'When an account asked for its claim link again, of late.'`,

  // So full that a page is swept of reservations, which their answers have replaced, before it is left: PostgreSQL does
  // that to a page that is looked at with less than a tenth free. At 90 every page was left just before.
  `create table idempotency_key (
    of_call uuid primary key,
    account_id uuid not null,
    operation text not null,
    fingerprint bytea not null,
    called_by bytea,
    lease_owner text not null,
    reserved_at timestamptz not null,
    lease_ends_at timestamptz not null,
    answer bytea,
    is_put_away boolean not null default false,
    sealed_secrets text,
    secrets_erase_at timestamptz,
    check (answer is not null or (sealed_secrets is null and secrets_erase_at is null)),
    check (sealed_secrets is null or secrets_erase_at is not null)
  ) with (fillfactor = 95, autovacuum_vacuum_scale_factor = 0.02)`,
  `comment on table idempotency_key is
    'Calls by their keys, with their answers. Unique for ever, so it is deleted from by age and not partitioned.'`,
  `comment on column idempotency_key.of_call is
    'The first half of the SHA-256 of its account, its operation and its key, which together take four times as much.'`,
  `comment on column idempotency_key.called_by is
    'As adapters/postgres/terse.ts has it; the fingerprint is the digest itself.'`,
  `comment on column idempotency_key.answer is 'JSON, packed (adapters/postgres/packed.ts).'`,
  `comment on column idempotency_key.is_put_away is
    'Old, and kept for ever: of an answer that told of a proposal no more than which; it is told anew from that.'`,
  `create index idempotency_key_secrets on idempotency_key (secrets_erase_at)
    where sealed_secrets is not null`,
  `create index idempotency_key_sealed_by on idempotency_key (called_by)
    where sealed_secrets is not null`,
  // Of nothing that a call changes once it is reserved, so that neither its answer nor a renewed lease touches an index.
  `create index idempotency_key_by_age on idempotency_key (operation, reserved_at)
    where not is_put_away`,

  `create table key_material (
    name text primary key,
    sealed text not null,
    version integer not null check (version > 0)
  )`,
  `comment on table key_material is
    'The sealed keys of the installation; what opens them is never in the database.'`,

  `create table outbound_email (
    id identifier primary key,
    account_id identifier not null references account (id),
    purpose text not null check (
      purpose in ('claim_link', 'invitation', 'notice', 'digest')
    ),
    recipient text not null,
    subject text not null,
    sealed_text text,
    status text not null check (status in ('queued', 'sent', 'failed', 'superseded')),
    attempts integer not null check (attempts >= 0),
    last_error text,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    ended_at timestamptz,
    check ((status = 'queued') = (sealed_text is not null)),
    check ((status = 'queued') = (ended_at is null))
  )`,
  `comment on table outbound_email is 'Outgoing email; the text is erased when it ends.'`,
  `create index outbound_email_page on outbound_email (created_at, id)`,
  `create index outbound_email_by_status on outbound_email (status, created_at, id)`,
  `create index outbound_email_queued on outbound_email (account_id, purpose) where status = 'queued'`,
  `create trigger outbound_email_is_fixed
    before update of id, account_id, purpose, recipient, subject, created_at, expires_at
      on outbound_email
    for each statement execute function refuse_rewrite()`
]
