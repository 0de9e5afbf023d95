/**
 * A wallet names the backend that holds its key and what that backend calls it. Wallets there were before have
 * theirs below the seed, by their number.
 */

export const statements: ReadonlyArray<string> = [
  `alter sequence derivation_index rename to wallet_number`,

  `alter table wallet add column key_backend text not null default 'seed', add column key_ref text`,
  `update wallet set key_ref = derivation_index::text`,
  `alter table wallet alter column key_backend drop default, alter column key_ref set not null,
    drop column derivation_index,
    add constraint wallet_key_once unique (key_backend, key_ref)`
]
