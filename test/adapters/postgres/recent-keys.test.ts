/** A key that was found a moment ago is not looked up again, and yet nobody gets in with a revoked one. */
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Accounts from "../../../adapters/postgres/accounts.ts"
import * as KeyStore from "../../../adapters/postgres/keys.ts"
import { keptForMs } from "../../../adapters/postgres/recent-keys.ts"
import { keysChanged, WakeUps, layer as wakeUps } from "../../../adapters/postgres/wake-ups.ts"
import { Keys } from "../../../core/accounts/account-store.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"

/** Replicas on one fresh database, which all hear one another. */
const replicas = Effect.fnUntraced(function* (count: number) {
  const address = yield* FreshDatabase.url()
  const stores = Layer.merge(KeyStore.layer, Accounts.layer)
  const replica = Layer.build(
    Layer.fresh(
      stores.pipe(
        Layer.provideMerge(wakeUps),
        Layer.provideMerge(FreshDatabase.engineAt(address, 4))
      )
    )
  )
  const all = yield* Effect.all(Array.from({ length: count }, () => replica))
  for (const each of all) {
    const { isHearing } = Context.get(each, WakeUps)
    while (!isHearing()) yield* Effect.yieldNow
  }
  return all
})

/** A key of a new account, which each replica has found and keeps. */
const found = Effect.fnUntraced(function* (all: Effect.Success<ReturnType<typeof replicas>>) {
  const [first] = all
  if (first === undefined) return yield* Effect.die(new Error("There is no replica."))
  const key = Rows.aKey((yield* Effect.provideContext(Stored.account(), first)).id)
  const digest = Rows.aDigest()
  yield* Context.get(first, Keys).issue(key, digest)
  const finds = all.map((each) =>
    Effect.map(Context.get(each, Keys).findByDigest(digest), (it) => it?.revokedAt)
  )
  for (const find of finds) assert.isNull(yield* find)
  return { key, first, finds }
})

it.live("a key that one replica revokes is revoked on every replica as soon as they are told", () =>
  Effect.gen(function* () {
    const all = yield* replicas(3)
    const told = all.map((each) => {
      let isTold = false
      Context.get(each, WakeUps).hear(keysChanged, () => {
        isTold = true
      })
      return () => isTold
    })
    const { finds, first, key } = yield* found(all)
    assert.isTrue(yield* Context.get(first, Keys).revoke(key.accountId, key.id, Rows.at(1)))
    const [own] = finds
    if (own !== undefined) assert.deepStrictEqual(yield* own, Rows.at(1))
    for (const [place, find] of finds.entries()) {
      while (told[place]?.() === false) yield* Effect.yieldNow
      assert.deepStrictEqual(yield* find, Rows.at(1))
    }
  }).pipe(Effect.scoped)
)

it.live("a key that is revoked unheard is taken for what it was for a second and no longer", () =>
  Effect.gen(function* () {
    const all = yield* replicas(2)
    const { finds, first, key } = yield* found(all)
    const sql = Context.get(first, SqlClient.SqlClient)
    yield* sql.withTransaction(
      Effect.andThen(
        // Whoever writes like this wakes no trigger, so nobody is told.
        sql`set local session_replication_role = replica`,
        sql`update api_key set revoked_at = ${new Date(1000)} where id = ${key.id}`
      )
    )
    const revokedAt = performance.now()
    let stale = 0
    for (const find of finds) {
      let isOver = false
      while (!isOver) {
        isOver = performance.now() - revokedAt > keptForMs
        const isRevoked = (yield* find) !== null
        if (!isRevoked) stale += 1
        assert.isTrue(isRevoked || !isOver)
        if (isRevoked) break
      }
    }
    assert.isAbove(stale, 0)
  }).pipe(Effect.scoped)
)

it.live("a revocation that is taken back revokes nothing, and one under way is not kept", () =>
  Effect.gen(function* () {
    const all = yield* replicas(1)
    const { finds, first, key } = yield* found(all)
    const [find] = finds
    if (find === undefined) return
    const keys = Context.get(first, Keys)
    const sql = Context.get(first, SqlClient.SqlClient)
    yield* Effect.flip(
      sql.withTransaction(
        Effect.gen(function* () {
          yield* keys.revoke(key.accountId, key.id, Rows.at(1))
          assert.deepStrictEqual(yield* find, Rows.at(1))
          return yield* Effect.fail("taken back")
        })
      )
    )
    assert.isNull(yield* find)
  }).pipe(Effect.scoped)
)
