/** What chains need that tell of transfers only by address, and whose payments can name their request. */

export const statements: ReadonlyArray<string> = [
  `alter table payment_request add column reference text`,
  `create unique index payment_request_reference on payment_request (reference)
    where reference is not null`,
  `comment on column payment_request.reference is
    'The address that a payment names to say it is for this request, on chains that take one.'`,
  `create table settled_balance (
    chain_id text not null,
    address text not null check (address = address_key(chain_id, address)),
    block_number bigint not null check (block_number >= 0),
    held_micro bigint not null check (held_micro >= 0),
    primary key (chain_id, address)
  ) with (fillfactor = 80)`,
  `comment on table settled_balance is
    'What vaults held at the end of a final block, all of it explained by their transactions.'`,
  `comment on column settled_balance.held_micro is 'Millionths of a USDC.'`,
  `create index wallet_vaults on wallet (chain_id, created_at, id) where kind = 'collection'`
]
