/** Places of one lane, each given on once it is old, and none that was left. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import * as Places from "../../../adapters/http/edge/places.ts"

it.live("each place is given on once, also those that came while others were looked after", () =>
  Effect.gen(function* () {
    const places = Places.make(1_000)
    const given: Array<string> = []
    const hold = (name: string, heldMs: number) => {
      const done = Deferred.makeUnsafe<void>()
      const place = places.hold(heldMs, () => {
        given.push(name)
        Deferred.doneUnsafe(done, Effect.void)
      })
      return { place, given: Deferred.await(done) }
    }
    const long = hold("long", 60)
    const left = hold("left", 10)
    const short = hold("short", 10)
    places.leave(left.place)
    yield* short.given
    const later = hold("later", 5)
    yield* Effect.all([later.given, long.given])
    assert.deepStrictEqual(given.toSorted(), ["later", "long", "short"])
    // Nothing is left to look after, so the next one begins anew.
    yield* hold("last", 5).given
    assert.lengthOf(given, 4)
  })
)
