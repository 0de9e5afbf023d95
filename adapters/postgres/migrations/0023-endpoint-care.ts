/**
 * What a merchant may do with an endpoint: disable it, rotate its secret with a grace, ask for a second set
 * of headers. How it fares stands in a row of its own, so that attempts never wait for who changes it.
 */

export const statements: ReadonlyArray<string> = [
  `alter table webhook_endpoint
    add standard_headers boolean not null default false,
    add previous_sealed_secret text,
    add previous_secret_ends_at timestamptz,
    add disabled_at timestamptz,
    add check ((previous_sealed_secret is null) = (previous_secret_ends_at is null))`,
  "update webhook_endpoint set disabled_at = updated_at where status = 'disabled'",
  "alter table webhook_endpoint drop column status",
  `create index webhook_endpoint_in_grace on webhook_endpoint (previous_secret_ends_at)
    where previous_secret_ends_at is not null`,

  `create table webhook_health (
    endpoint_id identifier primary key references webhook_endpoint (id),
    failures integer not null check (failures > 0),
    first_failed_at timestamptz not null,
    failing_since timestamptz
  )`,

  `create index delivery_recoverable on delivery (endpoint_id, created_at, id)
    where status in ('failed', 'skipped', 'gone')`
]
