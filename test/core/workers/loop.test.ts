/** What a worker's loop does when its database is away for a moment: what is under way goes on, and it claims again. */
import { assert, it } from "@effect/vitest"
import { DateTime, Deferred, Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import * as Hints from "../../../adapters/memory/notifier.ts"
import { type Carried, leaseWorker, PollInterval } from "../../../core/background/loop.ts"
import type { HeldLease } from "../../../core/ports/leases.ts"
import { Notifier } from "../../../core/ports/notifier.ts"

interface Working {
  readonly claim: (most: number) => Effect.Effect<ReadonlyArray<string>>
  readonly carry: (claimed: string) => Effect.Effect<Carried>
  readonly nextDue?: () => Effect.Effect<DateTime.Utc | undefined>
  readonly maxInFlight?: number
}

/** Begins a worker of what is known by its id, whose leases always hold. */
const begin = ({ carry, claim, maxInFlight = 5, nextDue = () => Effect.undefined }: Working) =>
  Effect.forkChild(
    leaseWorker({
      name: "Testing",
      failureMessage: "A test failed",
      hint: "deliveries",
      maxInFlight,
      queue: {
        renew: ({ held }) => Effect.succeed(held.map(({ lease }) => lease)),
        release: () => Effect.void,
        nextDue
      },
      claim,
      heldOf: (claimed: string) => ({ id: claimed, lease: claimed }),
      carry
    })
  )

it.effect("a claim that fails ends nothing that is under way", () =>
  Effect.gen(function* () {
    let isAway = false
    let claims = 0
    const due = ["one"]
    const ended: Array<string> = []
    const answered = yield* Deferred.make<void>()
    yield* begin({
      claim: (most) =>
        Effect.suspend(() => {
          claims++
          return isAway ? Effect.die(new Error("away")) : Effect.succeed(due.splice(0, most))
        }),
      carry: (claimed) =>
        Deferred.await(answered).pipe(
          Effect.onExit((exit) => Effect.sync(() => ended.push(`${claimed} ${exit._tag}`))),
          Effect.as("ended" as const)
        )
    })
    yield* TestClock.adjust("5 seconds")
    isAway = true
    const before = claims
    yield* TestClock.adjust("5 seconds")
    assert.isAbove(claims, before)
    assert.deepStrictEqual(ended, [])
    yield* Deferred.succeed(answered, undefined)
    isAway = false
    due.push("two")
    yield* TestClock.adjust("5 seconds")
    assert.deepStrictEqual(ended, ["one Success", "two Success"])
  }).pipe(Effect.provide(Hints.layer))
)

it.effect("what a late claim took is given back and claimed anew, while its lease would last", () =>
  Effect.gen(function* () {
    const leases = ["first", "second"]
    const free = ["row"]
    const carried: Array<string> = []
    let late = true
    yield* Effect.forkChild(
      leaseWorker({
        name: "Testing",
        failureMessage: "A test failed",
        hint: "deliveries",
        maxInFlight: 5,
        queue: {
          renew: ({ held }) => Effect.succeed(held.map(({ lease }) => lease)),
          release: (held) =>
            Effect.sync(() => void free.push(...held.map(({ id }) => id))).pipe(
              Effect.delay("100 millis")
            ),
          nextDue: () => Effect.undefined
        },
        claim: (most) =>
          Effect.gen(function* () {
            const claimed = free
              .splice(0, most)
              .map((id) => ({ held: { id, lease: leases.shift() ?? "" } }))
            if (late && claimed.length > 0) {
              late = false
              yield* Effect.sleep("5 seconds")
            }
            return claimed
          }),
        heldOf: ({ held }: { readonly held: HeldLease }) => held,
        carry: ({ held }) =>
          Effect.sync(() => {
            carried.push(held.lease)
            return "ended" as const
          })
      })
    )
    yield* TestClock.adjust("5200 millis")
    assert.deepStrictEqual(carried, ["second"])
  }).pipe(Effect.provideService(PollInterval, Duration.hours(1)), Effect.provide(Hints.layer))
)

/** A worker whose work ends after a second, and what it claimed and carried. */
const counted = Effect.fnUntraced(function* (
  maxInFlight: number,
  due: Array<string>,
  isDueAgain: (claimed: string) => boolean = () => false
) {
  let claims = 0
  const carried: Array<string> = []
  yield* begin({
    maxInFlight,
    claim: (most) =>
      Effect.sync(() => {
        claims += 1
        return due.splice(0, most)
      }),
    carry: (claimed) =>
      Effect.sync(() => {
        carried.push(claimed)
        return isDueAgain(claimed) ? ("waiting" as const) : ("ended" as const)
      }).pipe(Effect.delay("1 second"))
  })
  return { claims: () => claims, carried }
})

const unwoken = Effect.provideService(PollInterval, Duration.hours(1))

it.effect("looks again for what it is told of, and for what may be due again, but for no end", () =>
  Effect.gen(function* () {
    const { signal } = yield* Notifier
    const due = ["one", "two"]
    const { carried, claims } = yield* counted(5, due, (claimed) => claimed === "three")
    yield* TestClock.adjust("5 seconds")
    assert.deepStrictEqual([claims(), carried], [1, ["one", "two"]])
    due.push("three")
    yield* signal("deliveries")
    yield* TestClock.adjust("5 seconds")
    assert.deepStrictEqual([claims(), carried], [3, ["one", "two", "three"]])
  }).pipe(unwoken, Effect.provide(Hints.layer))
)

it.effect("a place that is free again is taken by what found none", () =>
  Effect.gen(function* () {
    const { carried } = yield* counted(1, ["one", "two", "three"])
    yield* TestClock.adjust("5 seconds")
    assert.deepStrictEqual(carried, ["one", "two", "three"])
  }).pipe(unwoken, Effect.provide(Hints.layer))
)

it.effect("what became due while it was asked when something is due is claimed at once", () =>
  Effect.gen(function* () {
    const carried: Array<string> = []
    const startedAt = yield* DateTime.now
    const dueAt = DateTime.add(startedAt, { milliseconds: 50 })
    yield* begin({
      // It takes its time, in which the second becomes due.
      nextDue: () =>
        Effect.sync(() => (carried.includes("second") ? undefined : dueAt)).pipe(
          Effect.delay("100 millis")
        ),
      claim: () =>
        Effect.map(DateTime.now, (now) => {
          if (carried.length === 0) return ["first"]
          return DateTime.isLessThanOrEqualTo(dueAt, now) && carried.length === 1 ? ["second"] : []
        }),
      carry: (claimed) =>
        Effect.sync(() => carried.push(claimed)).pipe(
          Effect.andThen(Effect.sleep("10 millis")),
          Effect.as("ended" as const)
        )
    })
    yield* TestClock.adjust("500 millis")
    assert.deepStrictEqual(carried, ["first", "second"])
  }).pipe(unwoken, Effect.provide(Hints.layer))
)
