/** Co-signers, their votes, and changes that wait for a signature or a passkey. */

export const statements: ReadonlyArray<string> = [
  `create table challenge (
    id identifier primary key,
    account_id identifier not null references account (id),
    key_id text not null,
    action text not null check (action <> ''),
    payload_hash text not null check (payload_hash ~ '^[0-9a-f]{64}$'),
    signer_chain_id text not null,
    signer_address text not null,
    message text not null,
    issued_at timestamptz not null,
    expires_at timestamptz not null check (expires_at > issued_at),
    used_at timestamptz
  )`,
  `comment on table challenge is 'Texts that an agent''s funding wallet signs, each used once.'`,
  `create index challenge_unused on challenge (expires_at) where used_at is null`,
  `create trigger challenge_stands
    before update of id, account_id, key_id, action, payload_hash, signer_chain_id, signer_address,
      message, issued_at, expires_at on challenge
    for each statement execute function refuse_rewrite()`,

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
  `comment on table cosigner_invite is 'Invites of one account to co-sign for another.'`,
  `create unique index cosigner_invite_pending
    on cosigner_invite (owner_account_id, cosigner_account_id) where status = 'pending'`,
  `create index cosigner_invite_incoming
    on cosigner_invite (cosigner_account_id, created_at, id) where status = 'pending'`,
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
  `comment on table cosigner_membership is 'Who co-signs for whom, and did.'`,
  `create unique index cosigner_membership_active
    on cosigner_membership (owner_account_id, cosigner_account_id) where removed_at is null`,
  `create index cosigner_membership_page
    on cosigner_membership (owner_account_id, created_at, id) where removed_at is null`,
  `create index cosigner_membership_cosigner on cosigner_membership (cosigner_account_id)
    where removed_at is null`,
  `create trigger cosigner_membership_stands
    before update of id, owner_account_id, cosigner_account_id, nickname, invite_id, created_at
      on cosigner_membership
    for each statement execute function refuse_rewrite()`,

  `create table cosigner_rules (
    account_id identifier not null references account (id),
    number integer not null check (number > 0),
    rules jsonb not null check (jsonb_typeof(rules) = 'array'),
    created_at timestamptz not null,
    primary key (account_id, number)
  )`,
  `comment on table cosigner_rules is 'How many votes an action takes by its amount, revision by revision.'`,
  `comment on column cosigner_rules.rules is
    'minAmountMicro and maxAmountMicro are millionths of a USD, as decimal strings.'`,
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
    voter_account_ids uuid[] not null default '{}',
    created_at timestamptz not null,
    expires_at timestamptz not null check (expires_at > created_at),
    foreign key (account_id, proposal_id) references proposal (account_id, id),
    foreign key (account_id, recipient_id) references recipient (account_id, id)
  )`,
  `comment on table cosigner_approval is 'What co-signers vote on, and how many votes it takes.'`,
  `comment on column cosigner_approval.voter_account_ids is
    'Whose votes stand; written by the trigger of votes, so that whoever asks what waits for them looks no vote up.'`,
  `create index cosigner_approval_pending
    on cosigner_approval (account_id, created_at, id) where status = 'pending'`,
  `create trigger cosigner_approval_stands
    before update of id, account_id, proposal_id, recipient_id, created_at, expires_at
      on cosigner_approval
    for each statement execute function refuse_rewrite()`,

  // Votes of one instant keep the order they were cast in by their number.
  `create table cosigner_vote (
    approval_id identifier not null references cosigner_approval (id),
    voter_account_id identifier not null references account (id),
    number bigint not null generated always as identity,
    key_id text not null,
    is_approval boolean not null,
    intent_hash text not null check (intent_hash ~ '^[0-9a-f]{64}$'),
    at timestamptz not null,
    primary key (approval_id, voter_account_id)
  )`,
  `comment on table cosigner_vote is 'Votes: one of a voter; it may be voided whole, never turned.'`,
  `create trigger cosigner_vote_stands before update or truncate on cosigner_vote
    for each statement execute function refuse_change()`,
  `create function count_voter() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        update cosigner_approval set voter_account_ids = voter_account_ids || new.voter_account_id::uuid
          where id = new.approval_id;
      else
        update cosigner_approval set voter_account_ids = array_remove(voter_account_ids, old.voter_account_id::uuid)
          where id = old.approval_id;
      end if;
      return null;
    end
  $$`,
  `create trigger cosigner_vote_counts after insert or delete on cosigner_vote
    for each row execute function count_voter()`,

  `create table governance_request (
    id identifier primary key,
    account_id identifier not null references account (id),
    action text not null check (action <> ''),
    payload jsonb not null check (jsonb_typeof(payload) = 'object'),
    payload_hash text not null check (payload_hash ~ '^[0-9a-f]{64}$'),
    summary text not null,
    requested_by text not null,
    status text not null check (
      status in ('pending', 'applied', 'expired', 'cancelled', 'superseded', 'scheduled')
    ),
    created_at timestamptz not null,
    expires_at timestamptz not null check (expires_at > created_at)
  )`,
  `comment on table governance_request is
    'Changes of recipients, co-signers and rules that wait for a person''s passkey.'`,
  `create index governance_request_open on governance_request (account_id, created_at, id)
    include (status, expires_at) where status in ('pending', 'scheduled')`,
  `create index governance_request_by_key on governance_request (requested_by, created_at, id)
    where status = 'pending'`,
  `create trigger governance_request_stands
    before update of id, account_id, action, payload, payload_hash, summary, requested_by, created_at,
      expires_at on governance_request
    for each statement execute function refuse_rewrite()`
]
