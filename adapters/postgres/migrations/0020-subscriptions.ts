/**
 * What agents' accounts have paid for: when their plan ends, which payments it came from, and whom to
 * write to. A payment is one purchase for ever; the key it bought is sealed for a while and then gone.
 */

export const statements: ReadonlyArray<string> = [
  `alter table account add column contact_email text check (contact_email <> ''),
    add column subscription_expires_at timestamptz`,
  `alter table account add constraint account_subscribed_agents
    check (kind = 'agent' or (contact_email is null and subscription_expires_at is null))`,

  `create table purchase (
    chain_id text not null,
    tx_hash text not null check (tx_hash = lower(tx_hash)),
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
  `create index purchase_page on purchase (account_id, paid_at desc, settlement_id desc)`,
  `create index purchase_sealed on purchase (erase_at) where sealed_key is not null`,
  `create trigger purchase_stands
    before update of chain_id, tx_hash, settlement_id, account_id, purpose, plan, amount_micro, payer,
      paid_at, expires_at, key_id on purchase
    for each statement execute function refuse_rewrite()`,

  `create table claim_resend (
    account_id identifier primary key references account (id),
    asked_at timestamptz[] not null
  )`
]
