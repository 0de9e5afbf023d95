/** How many keys the keys of an account make: a bounded number, so that whoever is robbed of one gets rid of all. */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { Keys } from "../../../core/accounts/account-store.ts"
import { maxInForce, maxLine } from "../../../core/keys/create-key.ts"
import { revokeKey } from "../../../core/keys/revoke-key.ts"
import type { Facts } from "../../../core/operation/caller.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"
import * as Accounts from "../../support/accounts.ts"

const treasury = () => Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain() }, 1)

const wanted = { scopes: ["keys:manage"] } as const

/** Keys that a key has made, without calling for each. */
const madeBy = Effect.fnUntraced(function* (caller: Facts, count: number, over = {}) {
  for (let made = 0; made < count; made++) {
    yield* Accounts.issued(caller, { madeBy: caller.keyId, ...over })
  }
})

it.effect("a key makes none beyond a thousand in force, and again once some have ended", () =>
  Effect.gen(function* () {
    const { call, caller } = yield* Accounts.opened()
    const other = yield* Accounts.opened()
    yield* madeBy(caller, maxInForce - 2)
    const last = yield* call.create_api_key(wanted)
    const refusal = yield* Effect.flip(call.create_api_key(wanted))
    assert.strictEqual(refusal._tag, "INVALID_REQUEST")
    assert.include(refusal.message, "1000 API keys of this account are active already")
    yield* other.call.create_api_key(wanted)
    yield* call.revoke_api_key({ keyId: last.id })
    yield* call.create_api_key(wanted)
    yield* Effect.flip(call.create_api_key(wanted))
  }).pipe(Effect.provide(treasury()))
)

it.effect(
  "keys that have expired take no room, nor time when the one that made them is revoked",
  () =>
    Effect.gen(function* () {
      const { call, caller } = yield* Accounts.opened()
      const thief = yield* Accounts.keyed(caller, { madeBy: caller.keyId })
      const soon = DateTime.add(yield* DateTime.now, { seconds: 1 })
      yield* madeBy(thief.caller, maxInForce, { expiresAt: soon })
      yield* Effect.flip(thief.call.create_api_key(wanted))
      yield* TestClock.adjust("2 seconds")
      const made = yield* thief.call.create_api_key(wanted)
      const told = yield* call.revoke_api_key({ keyId: thief.key.id, includeDescendants: true })
      assert.strictEqual(told.revokedDescendants, 1)
      const page = { limit: maxInForce + 10 }
      const { rows } = yield* (yield* Keys).list(caller.accountId, page)
      const revoked = rows.filter(({ revokedAt }) => revokedAt !== null).map(({ id }) => id)
      assert.sameMembers(revoked, [thief.key.id, made.id])
    }).pipe(Effect.provide(treasury()))
)

it.effect("a person makes keys however many a thief has made", () =>
  Effect.gen(function* () {
    const { caller } = yield* Accounts.opened()
    yield* madeBy(caller, maxInForce)
    const person: Facts = { ...caller, keyId: "human:01a225f3-c9e3-763b-9007-6a51130b29e1" }
    yield* callsOf(person).create_api_key(wanted)
  }).pipe(Effect.provide(treasury()))
)

it.effect(
  "no more than a hundred keys stem from one another, whatever was revoked in between",
  () =>
    Effect.gen(function* () {
      const { caller } = yield* Accounts.opened()
      const first = yield* Accounts.keyed(caller)
      let newest = first
      for (let generation = 1; generation < maxLine - 1; generation++) {
        newest = yield* Accounts.keyed(caller, { madeBy: newest.key.id })
      }
      const revoke = (keyId: string) =>
        Effect.flatMap(Atomically, ({ run }) =>
          run(revokeKey(caller.accountId, keyId, "operator", { keepDescendants: true }))
        )
      yield* revoke(newest.key.madeBy ?? "")
      const { id } = yield* newest.call.create_api_key(wanted)
      const all = yield* (yield* Keys).line(caller.accountId, id)
      assert.lengthOf(all, maxLine)
      const last = callsOf({ ...newest.caller, keyId: id })
      const refusal = yield* Effect.flip(last.create_api_key(wanted))
      assert.strictEqual(refusal._tag, "INSUFFICIENT_SCOPE")
      assert.include(refusal.message, "100 keys can stem from one another")
    }).pipe(Effect.provide(treasury()))
)
