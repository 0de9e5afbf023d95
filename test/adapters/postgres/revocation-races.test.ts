/** On a server: keys are revoked while they make keys. None of a dead key lives that nobody kept, and none waits for another in a circle. */
import { assert, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import { bothFurnished } from "../../../apps/testing/seed.ts"
import { Keys } from "../../../core/accounts/account-store.ts"
import type { Choice } from "../../../core/keys/revoke-key.ts"
import * as Revocations from "../../support/revocations.ts"

const allKeys = Effect.fnUntraced(function* (accountId: string) {
  return (yield* (yield* Keys).list(accountId, { limit: 10_000 })).rows
})

const choices: ReadonlyArray<Choice> = [{}, { includeDescendants: true }, { keepDescendants: true }]

const size = 64

/** A key of two generations beneath a first one: 8 that it made, and 7 that each of them made. */
const aTree = Effect.fnUntraced(function* (accountId: string) {
  const first = yield* Revocations.aKey(accountId)
  const made = yield* Effect.forEach(Revocations.places(8), () =>
    Revocations.aKey(accountId, first.id)
  )
  const theirs = yield* Effect.forEach(made, ({ id }) =>
    Effect.forEach(Revocations.places(7), () => Revocations.aKey(accountId, id))
  )
  return [...made, ...theirs.flat()]
})

it.live(
  "of 64 keys that are revoked while they make a key, none that is dead has a living child nobody kept",
  () =>
    Revocations.withoutDeadlock(
      Effect.gen(function* () {
        const [{ accountId }] = yield* bothFurnished
        const makers = yield* Effect.forEach(Revocations.places(size), () =>
          Revocations.aKey(accountId)
        )
        const ends = yield* Effect.forEach(
          makers,
          ({ call, caller }, place) =>
            Revocations.both(
              place >> 2,
              Effect.result(Revocations.revoking(caller, choices[place % 3] as Choice)),
              Effect.result(call.create_api_key({ scopes: ["keys:manage"] }))
            ),
          Revocations.atOnce
        )
        const now = yield* allKeys(accountId)
        const seen = { refused: 0, made: 0 }
        for (const [place, [revoked, made]] of ends.entries()) {
          const id = makers[place]?.id
          const children = now.filter(
            ({ madeBy, revokedAt }) => madeBy === id && revokedAt === null
          )
          const isDead = now.find((key) => key.id === id)?.revokedAt !== null
          assert.strictEqual(isDead, Result.isSuccess(revoked))
          if (Result.isFailure(revoked)) {
            assert.strictEqual(revoked.failure._tag, "KEY_HAS_DESCENDANTS")
            assert.isTrue(Result.isSuccess(made))
          } else {
            assert.lengthOf(children, revoked.success.keptDescendants)
          }
          if (Result.isFailure(made)) assert.strictEqual(made.failure._tag, "UNAUTHENTICATED")
          seen[Result.isSuccess(made) ? "made" : "refused"] += 1
        }
        assert.strictEqual(seen.made + seen.refused, size)
      })
    ),
  60_000
)

it.live(
  "of 64 keys of one line that make keys while each of them is revoked, none lives that nobody kept",
  () =>
    Revocations.withoutDeadlock(
      Effect.gen(function* () {
        const [{ accountId }] = yield* bothFurnished
        const tree = yield* aTree(accountId)
        const ends = yield* Effect.forEach(
          tree,
          ({ call, caller, id }, place) => {
            const choice =
              place % 3 === 0 ? { includeDescendants: true } : { keepDescendants: true }
            const make = call.create_api_key({ scopes: ["keys:manage"] })
            return Effect.map(
              Revocations.both(place, Revocations.revoking(caller, choice), Effect.result(make)),
              ([revoked, made]) => ({ id, choice, revoked, made })
            )
          },
          Revocations.atOnce
        )
        const now = yield* allKeys(accountId)
        const madeBy = new Map(now.map((key) => [key.id, key.madeBy]))
        const stemsFrom = (id: string, from: string): boolean => {
          const maker = madeBy.get(id) ?? null
          return maker !== null && (maker === from || stemsFrom(maker, from))
        }
        const living = now.filter(({ revokedAt }) => revokedAt === null)
        for (const { choice, id, made, revoked } of ends) {
          const kept = living.filter((key) => stemsFrom(key.id, id))
          assert.isAtMost(kept.length, "keepDescendants" in choice ? revoked.keptDescendants : 0)
          if (Result.isFailure(made)) assert.strictEqual(made.failure._tag, "UNAUTHENTICATED")
        }
      })
    ),
  60_000
)
