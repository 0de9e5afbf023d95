/** People, their passkeys, sessions and one-time links. What is short-lived is deleted by its expiry. */

export const statements: ReadonlyArray<string> = [
  `create table human (
    id identifier primary key,
    account_id identifier not null references account (id),
    name text not null,
    email text check (email <> ''),
    role text not null check (role in ('viewer', 'approver', 'owner')),
    created_at timestamptz not null,
    joined_at timestamptz,
    removed_at timestamptz,
    unique (account_id, id)
  )`,
  `comment on table human is
    'People of an account: whoever is removed keeps their row, because what they signed refers to it.'`,
  `create unique index human_by_email on human (account_id, lower(email)) where removed_at is null`,
  `create index human_of_account on human (account_id, created_at, id)`,
  `create trigger human_stands before update of id, account_id, name, email, created_at on human
    for each statement execute function refuse_rewrite()`,
  `create trigger human_stays before truncate on human
    for each statement execute function refuse_change()`,

  `create table passkey (
    id identifier primary key,
    account_id identifier not null,
    human_id identifier not null,
    credential_id text not null unique check (credential_id <> ''),
    public_key text not null check (public_key <> ''),
    counter bigint not null check (counter >= 0),
    transports text[] not null,
    backed_up boolean not null,
    label text not null,
    created_at timestamptz not null,
    last_used_at timestamptz,
    suspended_at timestamptz,
    foreign key (account_id, human_id) references human (account_id, id),
    unique (account_id, human_id, id)
  ) with (fillfactor = 80)`,
  `comment on table passkey is 'Passkeys by their credential; a counter that does not grow suspends one.'`,
  `create index passkey_of_human on passkey (human_id, created_at, id)`,
  `create trigger passkey_stands
    before update of id, account_id, human_id, credential_id, public_key, transports, backed_up, label,
      created_at on passkey
    for each statement execute function refuse_rewrite()`,

  `create table enrolment (
    id identifier primary key,
    account_id identifier not null references account (id),
    purpose text not null check (
      purpose in ('operator', 'claim', 'invitation', 'second_passkey')
    ),
    human_id identifier not null,
    name text not null,
    role text not null check (role in ('viewer', 'approver', 'owner')),
    email text,
    digest text not null unique check (digest ~ '^[0-9a-f]{64}$'),
    created_at timestamptz not null,
    expires_at timestamptz not null check (expires_at > created_at),
    ended_at timestamptz
  )`,
  `comment on table enrolment is 'One-time links that let a person add a passkey.'`,
  `create index enrolment_open on enrolment (account_id, purpose) where ended_at is null`,
  `create index enrolment_of_human on enrolment (human_id) where ended_at is null`,
  `create index enrolment_expiry on enrolment (expires_at)`,
  `create trigger enrolment_stands
    before update of id, account_id, purpose, human_id, name, role, email, digest, created_at, expires_at on enrolment
    for each statement execute function refuse_rewrite()`,

  `create table console_session (
    id identifier primary key,
    account_id identifier not null,
    human_id identifier not null,
    passkey_id identifier not null,
    digest text not null unique check (digest ~ '^[0-9a-f]{64}$'),
    created_at timestamptz not null,
    last_seen_at timestamptz not null,
    expires_at timestamptz not null check (expires_at > created_at),
    foreign key (account_id, human_id, passkey_id) references passkey (account_id, human_id, id)
  ) with (fillfactor = 80)`,
  `comment on table console_session is 'Sessions of the console, deleted by their expiry.'`,
  `create index console_session_of_passkey on console_session (passkey_id)`,
  `create index console_session_expiry on console_session (expires_at)`,

  `create table passkey_challenge (
    id text primary key,
    purpose text not null check (
      purpose in (
        'enrol', 'login', 'add_passkey', 'approve_proposal', 'sign_governance', 'sign_call'
      )
    ),
    nonce text not null check (nonce ~ '^[0-9A-Za-z_-]{43}$'),
    subject text,
    human_id identifier,
    browser_id text not null check (browser_id ~ '^[0-9a-f]{64}$'),
    created_at timestamptz not null,
    expires_at timestamptz not null check (expires_at > created_at)
  )`,
  `comment on table passkey_challenge is 'Questions that a passkey answers once, within minutes.'`,
  `create index passkey_challenge_expiry on passkey_challenge (expires_at)`,

  `create table notice (
    id identifier primary key,
    account_id identifier not null references account (id),
    type text not null,
    subject text not null check (subject <> ''),
    role text not null check (role in ('viewer', 'approver', 'owner')),
    summary text not null,
    path text not null,
    created_at timestamptz not null,
    told_at timestamptz,
    digest_at timestamptz,
    unique (account_id, type, subject)
  ) with (fillfactor = 80)`,
  `comment on table notice is
    'What people of an account should look at: one row for one thing, so that nobody is told of it twice.'`,
  `create index notice_told on notice (account_id, type, told_at) where told_at is not null`,
  `create index notice_digest on notice (digest_at) where digest_at is not null`,
  `create index notice_age on notice (created_at)`
]
