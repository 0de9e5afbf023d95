/**
 * Payments by signature that were not taken, by the digest of what was signed. A merchant hears of each
 * once, and of so many for a request at most, whoever sends them.
 */

export const statements: ReadonlyArray<string> = [
  `create table payment_turned_down (
    account_id identifier not null,
    request_id identifier not null,
    digest text not null check (digest ~ '^[0-9a-f]{64}$'),
    at timestamptz not null,
    primary key (request_id, digest),
    foreign key (account_id, request_id) references payment_request (account_id, id)
  )`
]
