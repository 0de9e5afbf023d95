/** A server whose disk is full, that only reads, or that ends its sessions is told from any other mistake. */
import { assert, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Logger } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Answer from "../../../adapters/postgres/answer.ts"
import * as AtomicallyOnSql from "../../../adapters/postgres/atomically.ts"
import * as TasksOnSql from "../../../adapters/postgres/tasks.ts"
import { Outages } from "../../../core/background/outage.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { outageOf } from "../../../core/ports/records.ts"
import { Tasks } from "../../../core/ports/tasks.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"

const diskIsFull = "could not extend file: No space left on device"

/** From now on each write to tasks finds the disk full, as a server says it. */
const fillDisk = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe(`create function disk_is_full() returns trigger language plpgsql as $$
    begin raise exception using errcode = 'disk_full', message = '${diskIsFull}'; end $$`)
  yield* sql.unsafe(`create trigger full_disk before insert or update or delete on task
    for each statement execute function disk_is_full()`)
})

const outageIn = Effect.fnUntraced(function* <A, E, R>(work: Effect.Effect<A, E, R>) {
  const exit = yield* Effect.exit(work)
  assert(Exit.isFailure(exit))
  return outageOf(exit.cause)
})

it.layer(AtomicallyOnSql.layer.pipe(Layer.provideMerge(FreshDatabase.engine)))((test) => {
  test.effect("each outage is told by its name, in a transaction and outside of one", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { run } = yield* Atomically
      yield* fillDisk
      const writing = Answer.any(sql`delete from task where id = 'a' returning 1`)
      for (const work of [writing, run(writing)]) {
        const outage = yield* outageIn(work)
        assert.strictEqual(outage?._tag, "RecordsReadOnly")
        assert.strictEqual(outage?.message, `The database takes no writes: ${diskIsFull}`)
      }
      const reading = Effect.andThen(
        Answer.done(sql`set transaction read only`),
        Answer.any(sql`delete from wallet returning 1`)
      )
      assert.strictEqual((yield* outageIn(run(reading)))?._tag, "RecordsReadOnly")
      const ended = Answer.any(sql`select pg_terminate_backend(pg_backend_pid())`)
      assert.strictEqual((yield* outageIn(ended))?._tag, "RecordsAway")
      assert.isUndefined(yield* outageIn(Answer.any(sql`select from nowhere`)))
    })
  )
})

it.live("the queue of tasks says it once, though it asks twice a second", () =>
  Effect.gen(function* () {
    yield* fillDisk
    const said: Array<string> = []
    const logger = Logger.make(({ cause, message }) => {
      said.push(`${String(message)} ${Cause.pretty(cause)}`.trim())
    })
    const taking = Effect.gen(function* () {
      const tasks = yield* Tasks
      yield* Effect.timeoutOption(
        tasks.take(() => Effect.void),
        "2 seconds"
      )
    })
    yield* taking.pipe(
      Effect.provide(TasksOnSql.layer, { local: true }),
      Effect.provide(Logger.layer([logger])),
      Effect.provideService(Outages, new Map())
    )
    assert.lengthOf(said, 1, said.join("\n"))
    assert.include(said[0], diskIsFull)
  }).pipe(Effect.provide(FreshDatabase.engine))
)
