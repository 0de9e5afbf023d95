/**
 * Webhook endpoints, the events told to them, and the deliveries that carry one to the other. A delivery
 * row is its own place in the queue: the partial indexes are what workers search.
 */

export const statements: ReadonlyArray<string> = [
  `create table webhook_endpoint (
    id identifier primary key,
    account_id identifier not null references account (id),
    url text not null,
    events text[] not null,
    description text,
    status text not null check (status in ('active', 'failing', 'disabled')),
    max_attempts integer not null check (max_attempts > 0),
    sealed_secret text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    removed_at timestamptz,
    unique (account_id, id)
  )`,
  `create index webhook_endpoint_page on webhook_endpoint (account_id, created_at desc, id desc)
    where removed_at is null`,

  `create table webhook_event (
    id identifier primary key,
    account_id identifier not null references account (id),
    type text not null check (
      type in (
        'payment_request.created', 'payment_request.paid', 'payment_request.payment_failed',
        'payment_request.expired', 'webhook.test'
      )
    ),
    pid text,
    body text not null,
    created_at timestamptz not null,
    unique (account_id, id)
  )`,
  `create index webhook_event_page on webhook_event (account_id, created_at desc, id desc)`,
  `create index webhook_event_of_request on webhook_event (account_id, pid, created_at desc, id desc)
    where pid is not null`,

  `create table delivery (
    id identifier primary key,
    account_id identifier not null,
    event_id identifier not null,
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
    lease text,
    lease_ends_at timestamptz,
    unique (account_id, id),
    foreign key (account_id, event_id) references webhook_event (account_id, id),
    foreign key (account_id, endpoint_id) references webhook_endpoint (account_id, id),
    foreign key (account_id, replay_of) references delivery (account_id, id),
    check (status not in ('pending', 'retrying') or next_attempt_at is not null),
    check ((lease is null) = (lease_ends_at is null))
  )`,
  `create index delivery_page on delivery (account_id, created_at desc, id desc)`,
  `create index delivery_of_event on delivery (event_id)`,
  `create index delivery_waiting on delivery (endpoint_id, next_attempt_at, id)
    where status in ('pending', 'retrying')`,
  `create index delivery_due on delivery (next_attempt_at)
    where status in ('pending', 'retrying') and lease is null`,
  `create index delivery_at_work on delivery (endpoint_id, lease_ends_at) where lease is not null`,

  `create table delivery_attempt (
    delivery_id identifier not null references delivery (id),
    n integer not null check (n > 0),
    at timestamptz not null,
    trigger text not null check (trigger in ('scheduled', 'manual')),
    duration_ms integer not null,
    response_status integer,
    response_body_truncated text,
    error text,
    primary key (delivery_id, n)
  )`
]
