/** A question is answered for what it was asked, and what is signed holds everything it is about. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Schema } from "effect"
import * as fc from "fast-check"
import { begin, challengeOf, take } from "../../../core/humans/begin-passkey-challenge.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"

const browserId = "ef".repeat(32)
const asked = { subject: null, humanId: "ada", browserId }

const purposes = ["enrol", "login", "add_passkey", "approve_proposal", "sign_governance"] as const

layer(memoryTreasury)("a passkey challenge", (it) => {
  it.effect(
    "is taken for its own purpose, subject and human alone, and lost by any other try",
    () =>
      Effect.gen(function* () {
        const started = { ...asked, subject: "one" }
        for (const purpose of purposes) {
          const wrong = [
            ...purposes.filter((other) => other !== purpose).map((other) => ({ purpose: other })),
            { purpose, subject: "another" },
            { purpose, humanId: "ben" }
          ]
          for (const each of wrong) {
            const { id } = yield* begin({ ...started, purpose })
            const refused = yield* Effect.flip(take(id, { browserId, ...each }))
            assert.strictEqual(refused._tag, "PASSKEY_CHALLENGE_EXPIRED")
            const late = yield* Effect.flip(take(id, { browserId, purpose }))
            assert.strictEqual(late._tag, "PASSKEY_CHALLENGE_EXPIRED")
          }
          const whole = yield* begin({ ...started, purpose })
          assert.deepStrictEqual(yield* take(whole.id, { ...started, purpose }), whole)
        }
      })
  )

  it.effect("asks for a signature that no other purpose, nonce, human or content has", () =>
    Effect.gen(function* () {
      const text = fc.oneof(fc.string(), fc.string({ unit: "binary", maxLength: 3 }))
      const content = fc.dictionary(fc.string({ maxLength: 4 }), fc.oneof(text, fc.integer()), {
        maxKeys: 3
      })
      const question = fc.record({
        purpose: fc.constantFrom(...purposes),
        nonce: fc.constantFrom("A".repeat(43), "B".repeat(43)),
        humanId: fc.constantFrom(null, "ada", "ben"),
        content
      })
      const seen = new Map<string, string>()
      for (const each of fc.sample(question, { numRuns: 500, seed: 35 })) {
        const challenge = yield* challengeOf(each, each.content as Schema.JsonObject)
        assert.match(challenge, /^[0-9A-Za-z_-]{43}$/u)
        const sorted = Object.entries(each.content).sort(([a], [b]) => (a < b ? -1 : 1))
        const said = JSON.stringify([each.purpose, each.nonce, each.humanId, sorted])
        assert.strictEqual(seen.get(challenge) ?? said, said)
        seen.set(challenge, said)
      }
      assert.strictEqual(seen.size, new Set(seen.values()).size)
      assert.isAbove(seen.size, 300)
    })
  )
})
