/** Quotes of swaps and bridges, and the ledger of what they sell. A wallet's token is in one open sale at most. */

export const statements: ReadonlyArray<string> = [
  `create table quote (
    id identifier primary key,
    account_id identifier not null references account (id),
    kind text not null check (kind in ('swap', 'bridge')),
    protocol text not null check (protocol <> ''),
    from_wallet_id identifier not null,
    to_wallet_id identifier not null,
    sell jsonb not null check (jsonb_typeof(sell) = 'object'),
    buy jsonb not null check (jsonb_typeof(buy) = 'object'),
    sell_amount numeric(78,0) not null check (sell_amount > 0),
    buy_amount numeric(78,0) not null check (buy_amount > 0),
    min_buy_amount numeric(78,0) not null check (min_buy_amount between 0 and buy_amount),
    slippage_percent numeric(4,2) not null check (slippage_percent between 0 and 50),
    fees jsonb not null check (jsonb_typeof(fees) = 'array'),
    price_impact_pct text,
    amount_micro bigint not null check (amount_micro > 0),
    worth_micro bigint not null check (worth_micro >= 0),
    value_at_risk_micro bigint not null check (value_at_risk_micro >= 0),
    estimated_seconds integer not null check (estimated_seconds >= 0),
    details jsonb not null check (jsonb_typeof(details) = 'object'),
    proposal_id identifier,
    created_at timestamptz not null,
    expires_at timestamptz not null check (expires_at > created_at),
    foreign key (account_id, from_wallet_id) references wallet (account_id, id),
    foreign key (account_id, to_wallet_id) references wallet (account_id, id),
    foreign key (account_id, proposal_id) references proposal (account_id, id)
  )`,
  `comment on table quote is 'What a venue or a bridge would give, until it expires or a proposal uses it.'`,
  `comment on column quote.sell_amount is 'Smallest units of the token in sell.'`,
  `comment on column quote.buy_amount is 'Smallest units of the token in buy.'`,
  `comment on column quote.min_buy_amount is 'Smallest units of the token in buy.'`,
  `comment on column quote.fees is 'Each amount in smallest units of its symbol, amountMicro in millionths of a USD.'`,
  `comment on column quote.amount_micro is 'Millionths of a USD: what was asked for.'`,
  `comment on column quote.worth_micro is 'Millionths of a USD.'`,
  `comment on column quote.value_at_risk_micro is 'Millionths of a USD.'`,
  `create index quote_expired on quote (expires_at, id)`,

  `create table sale (
    proposal_id identifier primary key,
    account_id identifier not null,
    wallet_id identifier not null,
    chain_id text not null,
    token_address text not null check (token_address <> ''),
    units numeric(78,0) not null check (units > 0),
    worth_micro bigint not null check (worth_micro >= 0),
    day text not null check (day ~ '^\\d{4}-\\d{2}-\\d{2}$'),
    state text not null check (state in ('open', 'left', 'released')),
    opened_at timestamptz not null,
    foreign key (account_id, proposal_id) references proposal (account_id, id),
    foreign key (account_id, wallet_id) references wallet (account_id, id)
  ) with (fillfactor = 80)`,
  `comment on table sale is 'The ledger of sales: what trades take out of wallets, and what it was worth.'`,
  `comment on column sale.units is 'Smallest units of the token at token_address.'`,
  `comment on column sale.worth_micro is 'Millionths of a USD.'`,
  `create unique index sale_open_once on sale (wallet_id, token_address) where state = 'open'`,
  `create index sale_of_day on sale (account_id, day) where state <> 'released'`,
  `create trigger sale_stands
    before update of proposal_id, account_id, wallet_id, chain_id, token_address, units, worth_micro,
      day, opened_at on sale
    for each statement execute function refuse_rewrite()`,

  `create table sale_day_closed (
    account_id identifier not null references account (id),
    day text not null check (day ~ '^\\d{4}-\\d{2}-\\d{2}$'),
    primary key (account_id, day)
  )`,
  `comment on table sale_day_closed is 'Days on which nothing more of an account is sold: these records do not know all that was.'`,

  `create table seen_fill (
    chain_id text not null,
    address text not null check (address = address_key(chain_id, address)),
    from_block bigint not null check (from_block >= 0),
    block_number bigint not null check (block_number >= from_block),
    block_hash text not null check (block_hash <> ''),
    unrecorded jsonb not null check (jsonb_typeof(unrecorded) = 'array'),
    primary key (chain_id, address)
  ) with (fillfactor = 80)`,
  `comment on table seen_fill is
    'The final blocks in which the fills of a wallet''s orders were read, and those that no record had signed.'`
]
