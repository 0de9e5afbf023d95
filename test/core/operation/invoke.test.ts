/** What goes wrong inside an operation is an answer, however early it goes wrong. */
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import type { Facts, Scope } from "../../../core/operation/caller.ts"
import { invoke } from "../../../core/operation/invoke.ts"
import * as Operation from "../../../core/operation/operation.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"

const broken = Operation.make("broken", {
  summary: "Throws before it makes an effect.",
  next: "Nothing.",
  scope: "account:read",
  input: { name: Schema.String },
  output: { name: Schema.String },
  handle: (): Effect.Effect<{ readonly name: string }> => {
    throw new Error("secret")
  }
})

it.effect("a fault before the operation's first effect is told as a fault, and nothing of it", () =>
  Effect.gen(function* () {
    const { id: accountId } = yield* Stored.account()
    const caller: Facts = {
      accountId,
      keyId: Rows.anId(),
      kind: "developer",
      scopes: new Set<Scope>(["account:read"])
    }
    const answer = yield* invoke(broken, { caller, input: { name: "till" }, requestId: "req_1" })
    assert(!answer.ok)
    assert.strictEqual(answer.refusal._tag, "INTERNAL")
    assert.strictEqual(answer.refusal.outcome, "not_executed")
    assert.notInclude(answer.refusal.message, "secret")
    assert.isTrue(answer.allowance?.allowed)
  }).pipe(Effect.provide(Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain() }, 1)))
)
