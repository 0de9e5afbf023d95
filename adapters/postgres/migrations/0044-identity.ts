/**
 * What survives the loss of this database is derived from what callers keep: a proposal keeps the call it came
 * with, and a wallet's key is opened by a derived id, the same on every chain of a family.
 */

export const statements: ReadonlyArray<string> = [
  `alter table wallet drop constraint wallet_key_once,
    add column is_recoverable boolean not null default true`,
  `alter table wallet alter column is_recoverable drop default`,
  `drop sequence wallet_number`,

  `alter table proposal add column recovered boolean not null default false`,
  `alter table proposal add column call_operation text, add column call_idempotency_key text,
    add constraint proposal_call_whole check ((call_operation is null) = (call_idempotency_key is null))`,
  `drop trigger proposal_terms_stand on proposal`,
  `create trigger proposal_terms_stand
    before update of id, account_id, kind, terms, intent_hash, recipient_id, proposed_by,
      call_operation, call_idempotency_key on proposal
    for each statement execute function refuse_rewrite()`
]
