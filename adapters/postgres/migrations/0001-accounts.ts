/**
 * Accounts, their keys, their audit log and their idempotency keys, and the installation's own sealed
 * keys. The audit log can only grow: the database itself refuses to change or delete an entry.
 */

export const statements: ReadonlyArray<string> = [
  // Ids sort by their bytes, whatever language the database speaks, so that pages keep their order.
  `create domain identifier as text collate "C" check (value <> '')`,

  `create table account (
    id identifier primary key,
    name text not null,
    kind text not null check (kind in ('developer', 'agent')),
    tier text not null check (tier in ('personal', 'startup')),
    livemode boolean not null,
    created_at timestamptz not null
  )`,

  `create table api_key (
    id identifier primary key,
    account_id identifier not null references account (id),
    digest text not null unique,
    kind text not null check (kind in ('developer', 'agent')),
    prefix text not null,
    last_four text not null,
    scopes text[] not null,
    label text,
    created_at timestamptz not null,
    last_used_at timestamptz,
    expires_at timestamptz,
    revoked_at timestamptz
  )`,
  `create index api_key_page on api_key (account_id, created_at desc, id desc)`,

  `create table audit_entry (
    id identifier primary key,
    account_id identifier not null references account (id),
    action text not null,
    actor text not null,
    subject_type text not null,
    subject_id text not null,
    facts json not null,
    created_at timestamptz not null
  )`,
  `create index audit_entry_page on audit_entry (account_id, created_at desc, id desc)`,
  `create function refuse_change() returns trigger language plpgsql as $$
    begin
      raise exception '% only grows', tg_table_name using errcode = 'restrict_violation';
    end
  $$`,
  `create trigger audit_entry_only_grows before update or delete or truncate on audit_entry
    for each statement execute function refuse_change()`,

  `create table idempotency_key (
    account_id identifier not null references account (id),
    operation text not null,
    key text not null,
    fingerprint text not null,
    holder text not null,
    reserved_at timestamptz not null,
    lease_ends_at timestamptz not null,
    answer text,
    sealed_secrets text,
    secrets_erase_at timestamptz,
    primary key (account_id, operation, key),
    check (answer is not null or (sealed_secrets is null and secrets_erase_at is null)),
    check (sealed_secrets is null or secrets_erase_at is not null)
  )`,
  `create index idempotency_key_secrets on idempotency_key (secrets_erase_at)
    where sealed_secrets is not null`,
  `create index idempotency_key_answered on idempotency_key (reserved_at) where answer is not null`,

  `create table key_material (
    name text primary key,
    sealed text not null,
    version integer not null check (version > 0)
  )`
]
