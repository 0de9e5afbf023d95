/**
 * Numbers a merchant can count by: of deliveries at their endpoint, given by claims, which come one by one;
 * and of events of one payment request, given by whoever writes them, who waits for the one before.
 */

export const statements: ReadonlyArray<string> = [
  "alter table delivery add sequence bigint check (sequence > 0)",
  `create unique index delivery_sequence on delivery (endpoint_id, sequence)
    where sequence is not null`,
  `create table webhook_sequence (
    endpoint_id identifier primary key references webhook_endpoint (id),
    last bigint not null check (last > 0)
  )`,

  "alter table webhook_event add version integer check (version > 0)",
  `create unique index webhook_event_version on webhook_event (account_id, pid, version)
    where version is not null`,
  `create table webhook_version (
    account_id identifier not null references account (id),
    pid text not null,
    last integer not null check (last > 0),
    primary key (account_id, pid)
  )`,
  `insert into webhook_version (account_id, pid, last)
    select account_id, pid, count(*) from webhook_event where pid is not null
    group by account_id, pid`
]
