/**
 * Co-signers with the rules they stand under, approvals with the votes on them, and governance requests.
 * What was asked, ruled or voted is never rewritten: the database itself refuses it.
 */

export const statements: ReadonlyArray<string> = [
  `create table cosigner_invite (
    id identifier primary key,
    owner_account_id identifier not null references account (id),
    cosigner_account_id identifier not null references account (id),
    nickname text,
    status text not null check (
      status in ('pending', 'accepted', 'declined', 'revoked', 'expired')
    ),
    created_at timestamptz not null,
    expires_at timestamptz not null check (expires_at > created_at),
    check (owner_account_id <> cosigner_account_id),
    unique (owner_account_id, cosigner_account_id, id)
  )`,
  `create unique index cosigner_invite_pending
    on cosigner_invite (owner_account_id, cosigner_account_id) where status = 'pending'`,
  `create index cosigner_invite_incoming
    on cosigner_invite (cosigner_account_id, created_at desc, id desc) where status = 'pending'`,
  `create trigger cosigner_invite_stands
    before update of id, owner_account_id, cosigner_account_id, nickname, created_at, expires_at
      on cosigner_invite
    for each statement execute function refuse_rewrite()`,

  // The invite is one between the same two accounts.
  `create table cosigner_membership (
    id identifier primary key,
    owner_account_id identifier not null,
    cosigner_account_id identifier not null,
    nickname text,
    invite_id identifier not null,
    created_at timestamptz not null,
    removed_at timestamptz,
    check (owner_account_id <> cosigner_account_id),
    foreign key (owner_account_id, cosigner_account_id, invite_id)
      references cosigner_invite (owner_account_id, cosigner_account_id, id)
  )`,
  `create unique index cosigner_membership_active
    on cosigner_membership (owner_account_id, cosigner_account_id) where removed_at is null`,
  `create index cosigner_membership_page
    on cosigner_membership (owner_account_id, created_at desc, id desc) where removed_at is null`,
  `create index cosigner_membership_cosigner on cosigner_membership (cosigner_account_id)
    where removed_at is null`,
  `create trigger cosigner_membership_stands
    before update of id, owner_account_id, cosigner_account_id, nickname, invite_id, created_at
      on cosigner_membership
    for each statement execute function refuse_rewrite()`,

  `create table cosigner_rules (
    account_id identifier not null references account (id),
    number integer not null check (number > 0),
    rules json not null check (json_typeof(rules) = 'array'),
    created_at timestamptz not null,
    primary key (account_id, number)
  )`,
  `create trigger cosigner_rules_only_grow before update or delete or truncate on cosigner_rules
    for each statement execute function refuse_change()`,

  `create table cosigner_approval (
    id identifier primary key,
    account_id identifier not null,
    proposal_id identifier not null unique,
    recipient_id identifier,
    status text not null check (
      status in ('pending', 'approved', 'rejected', 'expired', 'superseded')
    ),
    required integer not null check (required > 0),
    created_at timestamptz not null,
    expires_at timestamptz not null check (expires_at > created_at),
    foreign key (account_id, proposal_id) references proposal (account_id, id),
    foreign key (account_id, recipient_id) references recipient (account_id, id)
  )`,
  `create index cosigner_approval_pending
    on cosigner_approval (account_id, created_at desc, id desc) where status = 'pending'`,
  `create trigger cosigner_approval_stands
    before update of id, account_id, proposal_id, recipient_id, created_at, expires_at
      on cosigner_approval
    for each statement execute function refuse_rewrite()`,

  // Votes of one instant keep the order they were cast in by their number.
  `create table cosigner_vote (
    approval_id identifier not null references cosigner_approval (id),
    voter_account_id identifier not null references account (id),
    number bigint not null generated always as identity,
    key_id identifier not null,
    is_approval boolean not null,
    intent_hash text not null check (intent_hash ~ '^[0-9a-f]{64}$'),
    at timestamptz not null,
    primary key (approval_id, voter_account_id)
  )`,
  // A vote may be voided whole, never turned.
  `create trigger cosigner_vote_stands before update or truncate on cosigner_vote
    for each statement execute function refuse_change()`,

  `create table governance_request (
    id identifier primary key,
    account_id identifier not null references account (id),
    action text not null check (action <> ''),
    payload json not null check (json_typeof(payload) = 'object'),
    payload_hash text not null check (payload_hash ~ '^[0-9a-f]{64}$'),
    summary text not null,
    requested_by identifier not null,
    status text not null check (
      status in ('pending', 'applied', 'expired', 'cancelled', 'superseded', 'scheduled')
    ),
    created_at timestamptz not null,
    expires_at timestamptz not null check (expires_at > created_at)
  )`,
  `create index governance_request_open on governance_request (account_id, created_at desc, id desc)
    where status in ('pending', 'scheduled')`,
  `create trigger governance_request_stands
    before update of id, account_id, action, payload, payload_hash, summary, requested_by, created_at,
      expires_at on governance_request
    for each statement execute function refuse_rewrite()`
]
