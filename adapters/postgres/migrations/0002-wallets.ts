/**
 * Wallets. A derivation index belongs to one wallet for ever, and a customer has one vault on a chain,
 * both by unique keys.
 */

export const statements: ReadonlyArray<string> = [
  // An unhardened child key has an index below 2^31.
  `create sequence derivation_index as integer minvalue 0 start with 0 no cycle`,

  `create table wallet (
    id identifier primary key,
    account_id identifier not null references account (id),
    name text not null,
    nickname text,
    address text not null,
    chain_id text not null,
    is_default boolean not null,
    metadata jsonb not null check (jsonb_typeof(metadata) = 'object'),
    kind text not null check (kind in ('standard', 'collection')),
    namespace text,
    external_id text,
    derivation_index integer not null unique check (derivation_index >= 0),
    created_at timestamptz not null,
    unique (account_id, id),
    constraint wallet_customer_once unique (account_id, chain_id, namespace, external_id),
    check ((namespace is null) = (external_id is null)),
    check (kind = 'collection' or external_id is null)
  )`,
  `create index wallet_page on wallet (account_id, created_at desc, id desc)`,
  `create unique index wallet_address on wallet (chain_id, lower(address))`
]
