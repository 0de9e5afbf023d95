/**
 * On a server: a refund is proposed while somebody says that its money counts for something else. Whoever is second sees
 * the first, so no refund waits by what its money counted for before.
 */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Store } from "../../../adapters/memory/store.ts"
import * as Stores from "../../../adapters/postgres/stores.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import { aMerchant } from "../../support/refunding-merchant.ts"
import * as Stored from "../../support/stored-rows.ts"

const treasury = Layer.unwrap(
  Effect.map(FreshDatabase.url(), (address) => {
    const engine = FreshDatabase.engineAt(address)
    return Layer.mergeAll(
      Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain() }, 1),
      Layer.orDie(Layer.provide(Stores.layer, engine)),
      engine
    )
  })
)

/** How many sessions wait for a lock now. */
const waiting = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* Effect.orDie(sql`select pid from pg_locks where not granted`)
  return rows.length
})

const untilWaiting = (sessions: number, orDone?: Fiber.Fiber<unknown, unknown>) =>
  Effect.gen(function* () {
    while ((yield* waiting) < sessions && orDone?.pollUnsafe() === undefined) yield* Effect.yieldNow
  })

/** Who stores a proposal to a recipient waits for this. */
const holdingRecipient = Effect.fnUntraced(function* (recipientId: string) {
  const sql = yield* SqlClient.SqlClient
  const [isHeld, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
  const holding = sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`select id from recipient where id = ${recipientId} for update`
      yield* Deferred.succeed(isHeld, undefined)
      yield* Deferred.await(mayEnd)
    })
  )
  const fiber = yield* Effect.forkChild(Effect.orDie(holding))
  yield* Deferred.await(isHeld)
  return Effect.andThen(Deferred.succeed(mayEnd, undefined), Fiber.join(fiber))
})

layer(treasury, { excludeTestServices: true })("a refund is proposed while", (it) => {
  it.effect.each(["the deposit", "another deposit of the request"] as const)(
    "%s is attached: it ends",
    (attached) =>
      Effect.gen(function* () {
        const { call, came, recipientId, vault } = yield* aMerchant
        const request = yield* Stored.paymentRequest(vault, { status: "expired" })
        yield* came({ requestId: request.id, method: "direct" })
        const { id: depositId } = yield* came()
        const source = attached === "the deposit" ? { depositId } : { paymentRequestId: request.id }
        const release = yield* holdingRecipient(recipientId)
        const proposing = yield* Effect.forkChild(call.propose_refund({ ...source, recipientId }))
        // It has judged what the money counts for, and is about to be stored.
        yield* untilWaiting(1, proposing)
        const attaching = yield* Effect.forkChild(
          call.resolve_deposit({ depositId, action: "attach", pid: request.pid })
        )
        yield* untilWaiting(2, attaching)
        yield* release
        const { proposalId } = yield* Fiber.join(proposing)
        const { paymentRequestPid } = yield* Fiber.join(attaching)
        assert.strictEqual(paymentRequestPid, request.pid)
        const { status } = yield* call.get_proposal({ proposalId })
        assert.strictEqual(status, "superseded")
      })
  )
})
