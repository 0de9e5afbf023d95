/** Operations that ask the outside first: once for an answer, never inside of a transaction. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { byScope } from "../../core/operation/authority.ts"
import type { Facts as CallerFacts } from "../../core/operation/caller.ts"
import { invoke } from "../../core/operation/invoke.ts"
import * as Operation from "../../core/operation/operation.ts"
import { UpstreamUnavailable } from "../../core/operation/refusal.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import * as Treasury from "../support/small-treasury.ts"

const caller: CallerFacts = {
  accountId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d",
  keyId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3e",
  kind: "agent",
  scopes: new Set(["proposals:write"])
}

/** Counts its looks, and notes whether each was made outside of a transaction. */
const asking = () => {
  const looks: Array<"inside" | "outside"> = []
  let isAway = false
  const operation = Operation.prepared("ask_outside", {
    summary: "Asks.",
    next: "Nothing.",
    scope: "proposals:write",
    sideEffect: "write",
    authority: byScope,
    input: { question: Schema.String },
    output: { answer: Schema.String },
    refusals: [UpstreamUnavailable],
    prepare: Effect.fnUntraced(function* ({ question }) {
      let where: "inside" | "outside" = "inside"
      // Outside of a transaction there is no commit to wait for.
      yield* (yield* Atomically).afterCommit(
        Effect.sync(() => {
          where = "outside"
        })
      )
      looks.push(where)
      if (isAway) return yield* new UpstreamUnavailable({ message: "It is away; ask again." })
      return question.length
    }),
    handle: ({ question }, seen) => Effect.succeed({ answer: `${question}: ${seen}` })
  })
  const ask = (idempotencyKey?: string) =>
    invoke(operation, {
      caller,
      input: { question: "how long" },
      requestId: "req_1",
      ...(idempotencyKey === undefined ? {} : { idempotencyKey })
    })
  const away = (is: boolean) => {
    isAway = is
  }
  return { ask, looks, away }
}

layer(Treasury.layer())("an operation that asks the outside first", (it) => {
  it.effect("hands what it saw to its run, and looks outside of the transaction", () =>
    Effect.gen(function* () {
      const { ask, looks } = asking()
      const plain = yield* ask()
      assert.deepInclude(plain, { ok: true, output: { answer: "how long: 8" } })
      const keyed = yield* ask("key-1")
      assert.deepInclude(keyed, { ok: true, output: { answer: "how long: 8" } })
      assert.deepStrictEqual(looks, ["outside", "outside"])
    })
  )

  it.effect("does not look again for an answer it has given", () =>
    Effect.gen(function* () {
      const { ask, looks, away } = asking()
      yield* ask("key-2")
      away(true)
      const again = yield* ask("key-2")
      assert.deepInclude(again, { ok: true, replayed: true, output: { answer: "how long: 8" } })
      assert.strictEqual(looks.length, 1)
    })
  )

  it.effect("leaves its key free when what it saw made it refuse", () =>
    Effect.gen(function* () {
      const { ask, away } = asking()
      away(true)
      const refused = yield* ask("key-3")
      assert.isFalse(refused.ok)
      away(false)
      const answered = yield* ask("key-3")
      assert.deepInclude(answered, { ok: true, replayed: false })
    })
  )
})
