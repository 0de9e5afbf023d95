/** Deposits stay on their list once they are resolved, those credited to a request as well. */

export const statements: ReadonlyArray<string> = [
  "drop index transfer_deposits",
  `create index transfer_deposits on transfer (account_id, seen_at desc, id desc)
    where (request_id is null or resolution is not null) and state <> 'reorged'`
]
