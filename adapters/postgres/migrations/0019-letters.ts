/** Outgoing email: one says what it says until it ends, and then nothing, because its text is erased with its end. */

export const statements: ReadonlyArray<string> = [
  `create table outbound_email (
    id identifier primary key,
    account_id identifier not null references account (id),
    purpose text not null check (purpose in ('claim_link')),
    recipient text not null,
    subject text not null,
    sealed_text text,
    status text not null check (status in ('queued', 'sent', 'failed', 'superseded')),
    attempts integer not null check (attempts >= 0),
    last_error text,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    ended_at timestamptz,
    check ((status = 'queued') = (sealed_text is not null)),
    check ((status = 'queued') = (ended_at is null))
  )`,
  `create index outbound_email_queued on outbound_email (account_id, purpose) where status = 'queued'`,
  `create trigger outbound_email_is_fixed
    before update of id, account_id, purpose, recipient, subject, created_at, expires_at on outbound_email
    for each statement execute function refuse_rewrite()`
]
