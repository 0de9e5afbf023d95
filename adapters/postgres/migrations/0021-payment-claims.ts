/** Which request a payer says their transaction was for; a payer's first word on a transaction stands. */

export const statements: ReadonlyArray<string> = [
  `create table payment_claim (
    chain_id text not null,
    tx_hash text not null check (tx_hash = lower(tx_hash)),
    payer_address text not null check (payer_address = lower(payer_address)),
    request_id identifier not null references payment_request (id),
    claimed_at timestamptz not null,
    primary key (chain_id, tx_hash, payer_address)
  )`,
  "create index payment_claim_of_request on payment_claim (request_id)",
  "create index payment_claim_age on payment_claim (claimed_at)"
]
