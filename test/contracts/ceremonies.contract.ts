/** What every store of ceremonies must do: give each to the browser that asked for it, once. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { Ceremonies } from "../../core/humans/human-store.ts"
import * as HumanRows from "../support/human-rows.ts"
import * as Rows from "../support/rows.ts"

export const suite = (name: string, books: Layer.Layer<Ceremonies>) =>
  layer(books)(`${name}: ceremonies`, (it) => {
    it.effect("of sixty-four takers at once, one gets it, as it was begun", () =>
      Effect.gen(function* () {
        const ceremonies = yield* Ceremonies
        const purposes = [
          "enrol",
          "login",
          "add_passkey",
          "sign_call",
          "approve_proposal",
          "sign_governance"
        ] as const
        for (const purpose of purposes) {
          const ceremony = HumanRows.aCeremony({
            purpose,
            subject: purpose === "login" ? null : Rows.anId(),
            humanId: purpose === "login" ? null : Rows.anId()
          })
          yield* ceremonies.begin(ceremony)
          const taken = yield* Effect.all(
            Array.from({ length: 64 }, () => ceremonies.take(ceremony.id, ceremony.holder)),
            { concurrency: "unbounded" }
          )
          assert.deepStrictEqual(
            taken.filter((each) => each !== undefined),
            [ceremony]
          )
        }
      })
    )

    it.effect("another browser neither gets it nor uses it up", () =>
      Effect.gen(function* () {
        const ceremonies = yield* Ceremonies
        const ceremony = HumanRows.aCeremony()
        yield* ceremonies.begin(ceremony)
        assert.isUndefined(yield* ceremonies.take(ceremony.id, Rows.aDigest()))
        assert.isUndefined(yield* ceremonies.take("unknown", ceremony.holder))
        assert.deepStrictEqual(yield* ceremonies.take(ceremony.id, ceremony.holder), ceremony)
      })
    )

    it.effect("what ran out before an instant is forgotten", () =>
      Effect.gen(function* () {
        const ceremonies = yield* Ceremonies
        const past = { createdAt: Rows.at(-900) }
        const over = HumanRows.aCeremony({ ...past, expiresAt: Rows.at(-800) })
        const edge = HumanRows.aCeremony({ ...past, expiresAt: Rows.at(-700) })
        for (const ceremony of [over, edge]) yield* ceremonies.begin(ceremony)
        yield* ceremonies.forget(Rows.at(-700), 9)
        assert.isUndefined(yield* ceremonies.take(over.id, over.holder))
        assert.deepStrictEqual(yield* ceremonies.take(edge.id, edge.holder), edge)
      })
    )
  })
