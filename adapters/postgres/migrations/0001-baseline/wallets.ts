/** Wallets and whom they may pay. */

/**
 * What waits to be put in its places is read by each search: 32 blocks at most. The terms of the wallets that wait are
 * put in together, and of each place once: with a quarter of that, a wallet costs 45 blocks more.
 */
const inPlace = "with (gin_pending_list_limit = 256)"

export const statements: ReadonlyArray<string> = [
  // Dear, so that a plan does not compute terms row by row where the index has them.
  `create function search_terms(account_id uuid, whole text) returns integer[]
    language sql immutable parallel safe cost 10000
    return (
      select coalesce(array_agg(
        hashtext(substr(lower(whole collate "C"), place, 3)) # uuid_hash(account_id)), '{}')
      from generate_series(1, length(whole) - 2) as place
    )`,
  `comment on function search_terms is
    'Every three letters in a row, as numbers that the account is part of: what contains a text has all that the text has.'`,
  `create function tag_term(account_id uuid, key text, value text) returns integer
    language sql immutable strict parallel safe
    return hashtext(key || chr(10) || value) # uuid_hash(account_id)`,
  `create function wallet_terms(
    account_id uuid, name text, nickname text, address text, external_id text, metadata jsonb
  ) returns integer[] language sql immutable parallel safe cost 10000
    return search_terms(account_id, concat_ws(chr(10), name, nickname, address, external_id)) || (
      select coalesce(array_agg(tag_term(account_id, tag.key, wanted)), '{}')
      from jsonb_each_text(metadata) as tag, unnest(array['', tag.value]) as wanted
    )`,

  // An id names one wallet; that it stands first in the key of both is what looks it up by itself.
  // One index is the key and what others refer to, by the account too. An id alone is unique by how it is made: nobody
  // names one, each is a random UUID of the port Ids, and its address, which is unique, has no second wallet.
  `create table wallet (
    id identifier not null,
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
    key_backend text not null,
    key_ref text not null,
    is_recoverable boolean not null,
    created_at timestamptz not null,
    primary key (id, account_id),
    constraint wallet_customer_once unique (account_id, namespace, external_id, chain_id),
    check ((namespace is null) = (external_id is null)),
    check (kind = 'collection' or external_id is null)
  )`,
  `comment on table wallet is
    'Wallets of accounts, and the vaults that collect the payments of their customers.'`,
  `comment on column wallet.key_ref is 'What the backend calls the key; the key itself is never here.'`,
  `create index wallet_page on wallet (account_id, created_at)`,
  `create index wallet_own on wallet (account_id) where kind = 'standard'`,
  `create index wallet_by_terms on wallet using gin
    (wallet_terms(account_id, name, nickname, address, external_id, metadata)) ${inPlace}`,
  `create unique index wallet_address on wallet (chain_id, address_key(chain_id, address))`,

  `create table recipient (
    id identifier primary key,
    account_id identifier not null references account (id),
    label text not null,
    address text not null check (address <> ''),
    chain_id text not null,
    status text not null check (status in ('pending', 'approved', 'revoked')),
    cooldown_ends_at timestamptz not null,
    is_own boolean not null,
    required_memo text,
    created_at timestamptz not null,
    unique (account_id, id)
  )`,
  `comment on table recipient is 'Addresses that an account may pay, once their cooldown is over.'`,
  `create unique index recipient_standing
    on recipient (account_id, chain_id, address_key(chain_id, address))
    where status <> 'revoked'`,
  `create index recipient_page on recipient (account_id, created_at, id)`,
  `create index recipient_by_terms on recipient using gin
    (search_terms(account_id, label || chr(10) || address)) ${inPlace}`
]
