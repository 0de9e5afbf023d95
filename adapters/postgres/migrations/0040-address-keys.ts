/**
 * Addresses are told apart by their keys, as core computes them (`core/chains/address.ts`): case is no part of
 * an EVM address, and every letter of a Solana address counts.
 */

export const statements: ReadonlyArray<string> = [
  `create function address_key(chain_id text, address text) returns text
    language sql immutable parallel safe
    return case when chain_id like '%solana%' then address else lower(address) end`,

  `drop index wallet_address`,
  `create unique index wallet_address on wallet (chain_id, address_key(chain_id, address))`,

  `drop index recipient_standing`,
  `create unique index recipient_standing
    on recipient (account_id, chain_id, address_key(chain_id, address))
    where status <> 'revoked'`,

  `drop index account_funding_wallet`,
  `create index account_funding_wallet
    on account (address_key(funding_chain_id, funding_address))
    where funding_address is not null`
]
