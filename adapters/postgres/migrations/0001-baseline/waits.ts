/**
 * What proposals that execute wait for outside. What is waited for is never rewritten, and a proposal has one
 * open wait at most.
 */

export const statements: ReadonlyArray<string> = [
  `create table wait (
    id identifier primary key,
    account_id identifier not null,
    proposal_id identifier not null,
    n integer not null check (n > 0),
    kind text not null,
    watch text not null check (watch <> ''),
    chain_id text not null,
    terms jsonb not null check (jsonb_typeof(terms) = 'object'),
    journal jsonb not null check (jsonb_typeof(journal) = 'object'),
    reason text,
    is_stuck boolean not null,
    is_stop_asked boolean not null,
    opened_at timestamptz not null,
    deadline timestamptz not null,
    ended jsonb check (jsonb_typeof(ended) = 'object'),
    next_look_at timestamptz,
    hurries integer not null check (hurries >= 0),
    updated_at timestamptz not null,
    lease text,
    lease_ends_at timestamptz,
    foreign key (account_id, proposal_id) references proposal (account_id, id),
    unique (proposal_id, n),
    constraint wait_looked_at_until_it_ends check ((ended is null) = (next_look_at is not null)),
    constraint wait_done_by_evidence
      check (not (ended->>'isDone')::boolean or jsonb_typeof(ended->'evidence') = 'object'),
    check ((lease is null) = (lease_ends_at is null))
  ) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02)`,
  `comment on table wait is
    'Steps of proposals that are done outside: what is waited for (terms), and what its watch keeps (journal).'`,
  `comment on column wait.terms is 'Amounts are decimal strings in smallest units of the token beside them.'`,
  `comment on column wait.journal is 'Amounts are decimal strings in smallest units of the token beside them.'`,
  // No index holds the lease, so that claiming and renewing touch none.
  `create index wait_due on wait (next_look_at, id) where next_look_at is not null`,
  `create unique index wait_open_once on wait (proposal_id) where next_look_at is not null`,
  // A swap asks which of the orders that its chain tells of were signed here.
  `create index wait_of_order on wait ((journal->'signed'->>'orderId'))`,
  `create trigger wait_terms_stand
    before update of id, account_id, proposal_id, n, kind, watch, chain_id, terms, opened_at, deadline
    on wait for each statement execute function refuse_rewrite()`
]
