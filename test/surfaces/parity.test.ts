/** REST, tools and functions are one treasury: the same call has the same answer and the same refusal. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { type Name, operations } from "../../core/treasury/operations.ts"
import { askerOf, type Owner, owner } from "../support/full-account.ts"
import { bad } from "../support/refused-calls.ts"
import type { ErrorBody, Fields, Said } from "../support/surface-calls.ts"
import * as SurfaceCalls from "../support/surface-calls.ts"
import * as Surfaces from "../support/surfaces.ts"
import { inputs } from "../support/valid-inputs.ts"

const patterns: ReadonlyArray<readonly [string, RegExp]> = [
  ["uuid", /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gu],
  ["key", /svc_(?:hu|ag)_[0-9A-Za-z]{49}/gu],
  ["id", /\b(?:pr|evt|cs|whsec)_[A-Za-z0-9+/=]{20,}/gu],
  ["hash", /0x[0-9a-fA-F]{64}\b/gu],
  ["grant", /\b[0-9a-f]{32}\b/gu],
  ["digest", /\b[0-9a-f]{64}\b/gu],
  ["base64", /[A-Za-z0-9+/]{43,91}=/gu],
  ["key id", /(?<=\+)[0-9a-f]{8}(?=\+)/gu],
  ["address", /0x[0-9a-fA-F]{40}\b/gu],
  ["Solana address", /(?<=[\s"])[1-9A-HJ-NP-Za-km-z]{43,44}(?=[\s",.])/gu],
  ["time", /\d{4}-\d\d-\d\dT[\d:.]+Z/gu],
  ["seconds", /(?<=\\?"created\\?": ?)\d+/gu],
  ["four", /(?<="lastFour": "|svc_hu_…)[0-9A-Za-z]{4}/gu]
]

/** The answer as text, with what differs from account to account named by its order of appearance. */
const normalised = (value: unknown): string => {
  let text = JSON.stringify(value, undefined, 1)
  for (const [kind, pattern] of patterns) {
    const seen: Array<string> = []
    text = text.replace(pattern, (match) => {
      if (!seen.includes(match)) seen.push(match)
      return `${kind} ${seen.indexOf(match)}`
    })
  }
  return text
}

const tick = TestClock.adjust("1 second")

/** Three accounts that have the same, one for each surface. */
const alike = Effect.all([owner("user_42", tick), owner("user_42", tick), owner("user_42", tick)])

/** Asks over every surface, each on an account of its own. */
const answers = Effect.fnUntraced(function* (
  name: Name,
  [first, second, third]: readonly [Owner, Owner, Owner],
  ask: (owner: Owner) => Fields
) {
  return {
    REST: yield* SurfaceCalls.overRest(name, ask(first), askerOf(name, first).apiKey),
    tools: yield* SurfaceCalls.overTools(name, ask(second), askerOf(name, second).apiKey),
    functions: yield* SurfaceCalls.asFunction(name, ask(third), askerOf(name, third).caller)
  }
})

const withoutRequest = (said: Said): Said =>
  said.ok ? said : { ...said, error: { ...said.error, requestId: "" } }

layer(Surfaces.layer())("every surface", (it) => {
  it("is asked every operation, well and badly", () => {
    const names = operations.map(({ name }) => name)
    assert.sameMembers(Object.keys(inputs), names)
    assert.sameMembers(Object.keys(bad), names)
  })

  // Neither a refusal nor a read leaves anything behind but when a key was used, which is noted once a minute.
  const unchanged = Effect.runSync(
    Effect.cached(
      Effect.gen(function* () {
        const all = yield* alike
        yield* TestClock.adjust("1 minute")
        for (const { apiKey } of all) yield* SurfaceCalls.overRest("list_wallets", {}, apiKey)
        return all
      })
    )
  )

  for (const { name } of operations) {
    it.effect(`refuses ${name} with the same facts`, () =>
      Effect.gen(function* () {
        for (const ask of bad[name]) {
          const said = yield* answers(name, yield* unchanged, ask)
          assert.isFalse(said.functions.ok, JSON.stringify(said.functions))
          const { error } = said.functions as { readonly error: ErrorBody }
          assert.strictEqual(error.outcome, "not_executed")
          const plain = normalised(withoutRequest(said.functions))
          assert.strictEqual(normalised(withoutRequest(said.REST)), plain)
          assert.strictEqual(normalised(withoutRequest(said.tools)), plain)
        }
      })
    )
  }

  for (const { name, sideEffect } of operations) {
    it.effect(`answers ${name} with the same data`, () =>
      Effect.gen(function* () {
        const owners = yield* sideEffect === "read" ? unchanged : alike
        const said = yield* answers(name, owners, inputs[name])
        assert.isTrue(said.functions.ok, JSON.stringify(said.functions))
        assert.strictEqual(normalised(said.REST), normalised(said.functions))
        assert.strictEqual(normalised(said.tools), normalised(said.functions))
      })
    )
  }
})

const writes = operations.filter(({ sideEffect }) => sideEffect !== "read")

layer(Surfaces.layer())("a write repeated under its idempotency key", (it) => {
  for (const { name } of writes) {
    it.effect(`has ${name} answer with the same bytes, whichever surface repeats it`, () =>
      Effect.gen(function* () {
        const own = yield* owner("user_42", tick)
        const input = inputs[name](own)
        const { apiKey } = askerOf(name, own)
        const first = yield* SurfaceCalls.overRest(name, input, apiKey, "order-1")
        assert.isTrue(first.ok, JSON.stringify(first))
        yield* tick
        const again = yield* SurfaceCalls.overRest(name, input, apiKey, "order-1")
        assert.strictEqual(JSON.stringify(again), JSON.stringify(first))
        const asTool = { ...input, idempotencyKey: "order-1" }
        const tool = yield* SurfaceCalls.overTools(name, asTool, apiKey)
        assert.strictEqual(JSON.stringify(tool), JSON.stringify(first))
      })
    )
  }
})
