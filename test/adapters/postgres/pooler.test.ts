/** Behind PgBouncer in transaction mode, where each transaction has another session, the stores keep their contracts. */
import { assert, it } from "@effect/vitest"
import { Context, Duration, Effect, Layer, Redacted } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { LeaseClock, ofCaller } from "../../../adapters/postgres/leases.ts"
import * as Server from "../../../adapters/postgres/server.ts"
import * as Stores from "../../../adapters/postgres/stores.ts"
import { Notifier } from "../../../core/ports/notifier.ts"
import * as Atomically from "../../contracts/atomically.contract.ts"
import * as AuditTree from "../../contracts/audit-tree.contract.ts"
import * as Deliveries from "../../contracts/deliveries.contract.ts"
import * as Idempotency from "../../contracts/idempotency.contract.ts"
import * as Keys from "../../contracts/keys.contract.ts"
import * as Proposals from "../../contracts/proposals.contract.ts"
import * as Spending from "../../contracts/spending.contract.ts"
import * as SubmissionLeases from "../../contracts/submission-leases.contract.ts"
import * as Tasks from "../../contracts/tasks.contract.ts"
import * as Transfers from "../../contracts/transfers.contract.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import { describeOnPgBouncer, pgBouncer } from "../../support/pgbouncer.ts"
import { shared } from "../../support/shared-layer.ts"

/** What the refusal says to run, of this database alone, as others share the server. */
const withLimits = (address: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly name: string }>`select current_database() as name`
    for (const [name, value] of Object.entries(Server.sessionParameters)) {
      yield* sql.unsafe(`alter role postgres in database "${row?.name}" set ${name} to '${value}'`)
    }
  }).pipe(Effect.provide(FreshDatabase.engineAt(address, 2)))

const pooled = (hasLimits: boolean) =>
  Effect.gen(function* () {
    const address = yield* FreshDatabase.url()
    if (hasLimits) yield* withLimits(address)
    const { url } = yield* Effect.acquireRelease(
      Effect.promise(() => pgBouncer(address)),
      ({ stop }) => Effect.promise(stop)
    )
    return Server.layer({
      url: Redacted.make(url),
      directUrl: Redacted.make(address),
      connectTimeout: Duration.infinity
    }).pipe(Layer.merge(Layer.succeed(LeaseClock, ofCaller)))
  })

describeOnPgBouncer("through a pooler in transaction mode", () => {
  const engine = shared(Layer.unwrap(pooled(true)))
  const stores = Layer.orDie(Layer.provide(Stores.layer, engine))
  const contracts = [
    Atomically,
    AuditTree,
    Deliveries,
    Idempotency,
    Keys,
    Proposals,
    Spending,
    SubmissionLeases,
    Tasks,
    Transfers
  ]
  for (const { suite } of contracts) suite("pooler", stores)

  it.live("what one process signals is heard by another, over a connection of its own", () =>
    Effect.gen(function* () {
      const process = Layer.build(Layer.fresh(Layer.provide(Stores.layer, yield* pooled(true))))
      const [one, other] = yield* Effect.all([process, process])
      const heard = yield* Context.get(other, Notifier).listen("payments")
      const signalled = Context.get(one, Notifier).signal("payments")
      // Listening begins a moment after a process does.
      yield* Effect.raceFirst(heard, Effect.forever(Effect.delay(signalled, "50 millis")))
    }).pipe(Effect.scoped)
  )

  it.live("a role without the limits of sessions is refused in a sentence that gives them", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(Layer.build(yield* pooled(false)))
      assert.strictEqual(refused._tag, "RoleWithoutLimits")
      assert.include(refused.message, `alter role "postgres" set statement_timeout to '15s';`)
    }).pipe(Effect.scoped)
  )

  it.live("many transactions at once on few sessions of the server each see their own", () =>
    Effect.gen(function* () {
      const sql = Context.get(yield* Layer.build(engine), SqlClient.SqlClient)
      const own = (number: number) =>
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`select set_config('bursar.own', ${String(number)}, true)`
            yield* sql`select pg_sleep(0.01)`
            const [row] = yield* sql<{ readonly own: string }>`
              select current_setting('bursar.own') as own`
            assert.strictEqual(row?.own, String(number))
          })
        )
      yield* Effect.forEach(
        Array.from({ length: 60 }, (_, number) => number),
        own,
        { concurrency: "unbounded", discard: true }
      )
    }).pipe(Effect.scoped)
  )
})
