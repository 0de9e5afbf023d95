/**
 * Webhook endpoints, events and deliveries. What is past its age is deleted row by row, a thousand at a time
 * (decision 0128); no table has partitions. Every key here holds an id that begins with its time.
 */

export const statements: ReadonlyArray<string> = [
  `create table webhook_endpoint (
    id identifier primary key,
    account_id identifier not null references account (id),
    url text not null,
    events text[] not null,
    notices text[] not null,
    description text,
    max_attempts integer not null check (max_attempts > 0),
    standard_headers boolean not null,
    registered_by text,
    sealed_secret text not null,
    previous_sealed_secret text,
    previous_secret_ends_at timestamptz,
    disabled_at timestamptz,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    removed_at timestamptz,
    unique (account_id, id),
    check ((previous_sealed_secret is null) = (previous_secret_ends_at is null))
  )`,
  `comment on table webhook_endpoint is
    'URLs of merchants; a removed one keeps its row, because deliveries refer to it.'`,
  `create index webhook_endpoint_page on webhook_endpoint (account_id, created_at, id)
    where removed_at is null`,
  `create index webhook_endpoint_in_grace on webhook_endpoint (previous_secret_ends_at)
    where previous_secret_ends_at is not null`,

  `create table webhook_health (
    endpoint_id identifier primary key references webhook_endpoint (id),
    failures integer not null check (failures > 0),
    first_failed_at timestamptz not null,
    failing_since timestamptz
  ) with (fillfactor = 50)`,
  `comment on table webhook_health is
    'Endpoints whose last attempt failed; separate, so that attempts and changes of an endpoint never wait for each other.'`,

  `create table webhook_queue (
    endpoint_id identifier primary key references webhook_endpoint (id),
    last_sequence bigint not null default 0 check (last_sequence >= 0),
    line bigint not null default 1 check (line > 0),
    lease text,
    lease_ends_at timestamptz,
    check ((lease is null) = (lease_ends_at is null))
  ) with (fillfactor = 50)`,
  `comment on table webhook_queue is
    'Who holds an endpoint and sends to it, and the last number that a delivery of it was given, on which line of history. No index but the key, so that leases rewrite none.'`,

  `create table webhook_version (
    of_request uuid primary key,
    last integer not null check (last > 0),
    line integer not null default 1 check (line > 0)
  ) with (fillfactor = 80)`,
  `comment on table webhook_version is 'The number of the last event of each payment request, and the line of history it was given on.'`,
  `comment on column webhook_version.of_request is
    'The first half of the SHA-256 of its account and its pid, which together take four times as much.'`,

  // An id names one event; that it stands first in the key of both is what looks it up by itself.
  `create table webhook_event (
    id text collate "C" not null,
    account_id identifier not null,
    object text not null check (object in ('event', 'notice')),
    type text not null check (
      object = 'notice' or type in (
        'payment_request.created', 'payment_request.paid', 'payment_request.payment_failed',
        'payment_request.expired', 'webhook.test'
      )
    ),
    pid text,
    vault_id identifier,
    version integer check (version > 0),
    body bytea not null,
    created_at timestamptz not null,
    is_kept boolean not null default false,
    primary key (id, account_id),
    check (object = 'event' or pid is null),
    check (vault_id is null or pid is not null)
  )`,
  `comment on table webhook_event is
    'What happened, and notices, as they are sent. Deleted from by age, once no delivery of it is left.'`,
  `comment on column webhook_event.is_kept is
    'Whether a delivery of it has failed for good: that stays, and its event with it. Whoever deletes by age passes none of them by.'`,
  `comment on column webhook_event.body is 'What is signed and sent, packed (adapters/postgres/packed.ts); never JSON that the database would write anew.'`,
  `create index webhook_event_by_type on webhook_event (account_id, hashtext(type), created_at)`,
  // By an expression of its own: a list of one account would be read in its order, through the events of all.
  `create index webhook_event_by_age on webhook_event ((created_at at time zone 'utc')) where not is_kept`,
  // It finds the events of a request too, which are few: they are sorted when they are listed.
  `create index webhook_event_by_vault on webhook_event (vault_id, created_at)
    where vault_id is not null`,
  // By the average of all vaults a vault has a handful, and the database would read and sort all that one has: some
  // customers have most of an account's. With this it walks the index, and stops.
  `alter table webhook_event alter column vault_id set (n_distinct = 20)`,
  `create unique index webhook_event_version on webhook_event (pid, version)`,

  `create table delivery (
    id identifier primary key,
    account_id identifier not null,
    event_id text collate "C" not null,
    event_type text not null,
    endpoint_id identifier not null,
    url text not null,
    status text not null check (
      status in ('pending', 'delivered', 'retrying', 'failed', 'skipped', 'gone')
    ),
    attempt_count integer not null check (attempt_count >= 0),
    max_attempts integer not null check (max_attempts > 0),
    next_attempt_at timestamptz,
    last_response_status integer,
    last_error text,
    created_at timestamptz not null,
    delivered_at timestamptz,
    replay_of identifier,
    sequence bigint check (sequence > 0),
    foreign key (event_id, account_id) references webhook_event (id, account_id),
    foreign key (account_id, endpoint_id) references webhook_endpoint (account_id, id),
    check (status not in ('pending', 'retrying') or next_attempt_at is not null)
  ) with (autovacuum_vacuum_scale_factor = 0.02)`,
  `comment on column delivery.replay_of is 'Also the id of one that was deleted since, as it was older.'`,
  `comment on table delivery is
    'Events on their way to endpoints, and the queue of them. Deleted from by age, once they have ended, but those that failed.'`,
  `create index delivery_by_endpoint on delivery (endpoint_id, created_at)`,
  `create index delivery_by_type on delivery (account_id, hashtext(event_type), created_at)`,
  `create index delivery_by_status on delivery (account_id, status, created_at)`,
  `create index delivery_of_event on delivery (event_id, created_at)`,
  // Whether an event has arrived, and what of it did not, is one look each, however often it was replayed.
  `create index delivery_arriving on delivery (hashtextextended(event_id, uuid_hash_extended(endpoint_id, 0)))
    where status in ('pending', 'retrying', 'delivered')`,
  `create index delivery_lost on delivery (event_id, endpoint_id, status, created_at, id)
    where status in ('failed', 'skipped', 'gone')`,
  `create index delivery_waiting on delivery (endpoint_id, next_attempt_at, id)
    where status in ('pending', 'retrying')`,
  `create index delivery_due on delivery (next_attempt_at)
    where status in ('pending', 'retrying')`,
  `create index delivery_recoverable on delivery (endpoint_id, created_at, id)
    where status in ('failed', 'skipped', 'gone')`,
  `create index delivery_ended on delivery (created_at)
    where status in ('delivered', 'skipped', 'gone')`,
  `create index delivery_failed on delivery (created_at) where status = 'failed'`,
  `create unique index delivery_sequence on delivery (account_id, sequence, endpoint_id)
    where sequence is not null`,

  `create function keep_failed_event() returns trigger language plpgsql as $$
    begin
      update webhook_event set is_kept = true where id = new.event_id and not is_kept;
      return null;
    end
  $$`,
  `create trigger keep_event after insert or update of status on delivery
    for each row when (new.status = 'failed') execute function keep_failed_event()`,

  // No reference to its delivery, which the statement that writes it has just written to.
  `create table delivery_attempt (
    delivery_id identifier not null,
    n integer not null check (n > 0),
    at timestamptz not null,
    trigger text not null check (trigger in ('scheduled', 'manual')),
    duration_ms integer not null,
    response_status integer,
    response_body_truncated text,
    error text,
    primary key (delivery_id, n)
  )`,
  `comment on table delivery_attempt is
    'Requests made to deliver, in their order. Deleted with their delivery.'`
]
