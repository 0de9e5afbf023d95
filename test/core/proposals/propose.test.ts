/** What proposing asks together: refusals are judged in their order, and a fault of the records ends it at once. */
import { assert, it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Schema } from "effect"
import { MemoryStore } from "../../../adapters/memory/store.ts"
import { bothFurnished } from "../../../apps/testing/seed.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { Caller } from "../../../core/operation/caller.ts"
import { InvalidRequest } from "../../../core/operation/refusal.ts"
import { Proposals } from "../../../core/proposals/proposal-store.ts"
import { propose } from "../../../core/proposals/propose.ts"

const treasury = Layer.unwrap(
  Effect.map(MemoryStore.make, (store) => Wiring.layer({ store, chain: Wiring.scriptedChain() }, 1))
)

const proposing = Effect.fnUntraced(function* (
  check: Effect.Effect<void, InvalidRequest>,
  countWaiting: Effect.Effect<number>
) {
  const [, { caller }] = yield* bothFurnished
  const proposals = yield* Proposals
  const definition = {
    kind: "send",
    terms: Schema.Struct({}),
    summary: () => "Nothing",
    check: () => check
  } as const
  return yield* propose(definition, {}).pipe(
    Effect.provideService(Caller, caller),
    Effect.provideService(Proposals, { ...proposals, countWaiting: () => countWaiting }),
    Effect.exit
  )
})

it.effect("a fault of the records ends it at once, whatever is still asked", () =>
  Effect.gen(function* () {
    const fault = new Error("The database is gone")
    let isAsked = false
    const room = Effect.andThen(
      Effect.sync(() => {
        isAsked = true
      }),
      Effect.succeed(0)
    )
    const exit = yield* proposing(Effect.die(fault), room)
    assert.isTrue(Exit.isFailure(exit) && Cause.squash(exit.cause) === fault)
    assert.isFalse(isAsked)
  }).pipe(Effect.provide(treasury))
)

it.effect("what is wrong with the terms is told before there is no room for them", () =>
  Effect.gen(function* () {
    const wrong = new InvalidRequest({ message: "Choose another name." })
    assert.deepStrictEqual(
      yield* proposing(Effect.fail(wrong), Effect.succeed(1000)),
      Exit.fail(wrong)
    )
    const full = yield* Effect.flip(Effect.flatten(proposing(Effect.void, Effect.succeed(1000))))
    assert.strictEqual(full.next?.operation, "list_proposals")
  }).pipe(Effect.provide(treasury))
)
