/** Deliveries and events of a time: one that ends before it begins is refused, as it has none. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Accounts from "../../support/accounts.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"

const [sooner, later] = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"]

it.effect("a list takes no period that ends before it begins", () =>
  Effect.gen(function* () {
    const { call } = yield* Accounts.opened()
    const [inOrder, backwards] = [
      { since: sooner, until: later },
      { since: later, until: sooner }
    ]
    yield* call.list_webhook_deliveries(inOrder)
    yield* call.list_events(inOrder)
    for (const list of [
      Effect.asVoid(call.list_webhook_deliveries(backwards)),
      Effect.asVoid(call.list_events(backwards))
    ]) {
      assert.deepInclude(yield* Effect.flip(list), { _tag: "INVALID_REQUEST", param: "until" })
    }
  }).pipe(Effect.provide(memoryTreasury))
)
