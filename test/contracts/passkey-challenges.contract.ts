/** What every store of passkey challenges must do: give each to the browser that asked for it, once. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { PasskeyChallenges } from "../../core/humans/human-store.ts"
import * as HumanRows from "../support/human-rows.ts"
import * as Rows from "../support/rows.ts"

export const suite = (name: string, stores: Layer.Layer<PasskeyChallenges>) =>
  layer(stores)(`${name}: passkey challenges`, (it) => {
    it.effect("of sixty-four takers at once, one gets it, as it was begun", () =>
      Effect.gen(function* () {
        const passkeyChallenges = yield* PasskeyChallenges
        const purposes = [
          "enrol",
          "login",
          "add_passkey",
          "sign_call",
          "approve_proposal",
          "sign_governance"
        ] as const
        for (const purpose of purposes) {
          const passkeyChallenge = HumanRows.aPasskeyChallenge({
            purpose,
            subject: purpose === "login" ? null : Rows.anId(),
            humanId: purpose === "login" ? null : Rows.anId()
          })
          yield* passkeyChallenges.begin(passkeyChallenge)
          const taken = yield* Effect.all(
            Array.from({ length: 64 }, () =>
              passkeyChallenges.take(passkeyChallenge.id, passkeyChallenge.browserId)
            ),
            { concurrency: "unbounded" }
          )
          assert.deepStrictEqual(
            taken.filter((each) => each !== undefined),
            [passkeyChallenge]
          )
        }
      })
    )

    it.effect("another browser neither gets it nor uses it up", () =>
      Effect.gen(function* () {
        const passkeyChallenges = yield* PasskeyChallenges
        const passkeyChallenge = HumanRows.aPasskeyChallenge()
        yield* passkeyChallenges.begin(passkeyChallenge)
        assert.isUndefined(yield* passkeyChallenges.take(passkeyChallenge.id, Rows.aDigest()))
        assert.isUndefined(yield* passkeyChallenges.take("unknown", passkeyChallenge.browserId))
        assert.deepStrictEqual(
          yield* passkeyChallenges.take(passkeyChallenge.id, passkeyChallenge.browserId),
          passkeyChallenge
        )
      })
    )

    it.effect("what ran out before an instant is forgotten", () =>
      Effect.gen(function* () {
        const passkeyChallenges = yield* PasskeyChallenges
        const past = { createdAt: Rows.at(-900) }
        const over = HumanRows.aPasskeyChallenge({ ...past, expiresAt: Rows.at(-800) })
        const edge = HumanRows.aPasskeyChallenge({ ...past, expiresAt: Rows.at(-700) })
        for (const passkeyChallenge of [over, edge])
          yield* passkeyChallenges.begin(passkeyChallenge)
        yield* passkeyChallenges.forget(Rows.at(-700), 9)
        assert.isUndefined(yield* passkeyChallenges.take(over.id, over.browserId))
        assert.deepStrictEqual(yield* passkeyChallenges.take(edge.id, edge.browserId), edge)
      })
    )
  })
