/**
 * Who called: the key or person behind an answer that is kept, and behind a webhook endpoint. And how to find
 * what hangs on a key when it is revoked.
 */

export const statements: ReadonlyArray<string> = [
  // Nobody is the first caller of an answer from before, so its secrets are shown to nobody any more.
  "alter table idempotency_key add called_by text",
  "alter table webhook_endpoint add registered_by text",
  `update webhook_endpoint endpoint set registered_by = entry.actor
    from audit_entry entry
    where entry.account_id = endpoint.account_id and entry.subject_id = endpoint.id
      and entry.action = 'merchant_webhook.created'`,
  "create index api_key_made_by on api_key (made_by) where made_by is not null",
  `create index proposal_waiting on proposal (account_id, created_at, id)
    where status in ('pending_confirm', 'requires_action')`
]
