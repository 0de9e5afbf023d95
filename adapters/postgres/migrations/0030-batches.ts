/** What chores find their batches by, however much there is that they leave alone. */

export const statements: ReadonlyArray<string> = [
  "drop index idempotency_key_answered",
  `create index idempotency_key_answered on idempotency_key (operation, reserved_at)
    where answer is not null`,
  `create index idempotency_key_unanswered on idempotency_key (lease_ends_at)
    where answer is null`
]
