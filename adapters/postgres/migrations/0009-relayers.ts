/**
 * Nonces belong to a relayer: another key starts at its own count, and two never meet. Whose nonce was
 * written down before is not known, so those are nobody's and their sends take another when they must.
 */

export const statements: ReadonlyArray<string> = [
  `alter table execution add column relayer text`,
  `update execution set relayer = '' where relayer_nonce is not null`,
  `alter table execution drop constraint execution_relayer_nonce_once`,
  `alter table execution
    add constraint execution_relayer_nonce_once unique (chain_id, relayer, relayer_nonce)`,
  `alter table execution add check ((relayer is null) = (relayer_nonce is null))`,

  `drop table relayer_nonce`,
  `create table relayer_nonce (
    chain_id text not null,
    relayer text not null,
    next bigint not null check (next > 0),
    primary key (chain_id, relayer)
  )`
]
