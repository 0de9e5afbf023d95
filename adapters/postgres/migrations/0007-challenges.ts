/** Funding wallets of agents' accounts, and the challenges they sign: a challenge says for ever what it said. */

export const statements: ReadonlyArray<string> = [
  `alter table account add column funding_chain_id text, add column funding_address text`,
  `alter table account add constraint account_funding_wallet_whole
    check ((funding_chain_id is null) = (funding_address is null))`,
  `create index account_funding_wallet on account (lower(funding_address))
    where funding_address is not null`,

  `create table challenge (
    id identifier primary key,
    account_id identifier not null references account (id),
    key_id identifier not null,
    action text not null check (action <> ''),
    payload_hash text not null check (payload_hash ~ '^[0-9a-f]{64}$'),
    signer_chain_id text not null,
    signer_address text not null,
    message text not null,
    issued_at timestamptz not null,
    expires_at timestamptz not null check (expires_at > issued_at),
    used_at timestamptz
  )`,
  `create index challenge_unused on challenge (expires_at) where used_at is null`,
  `create trigger challenge_stands
    before update of id, account_id, key_id, action, payload_hash, signer_chain_id, signer_address,
      message, issued_at, expires_at on challenge
    for each statement execute function refuse_rewrite()`
]
