/** The store of passkey challenges in memory: a transaction has the store to itself, so each is taken once. */
import { DateTime, Effect, Layer } from "effect"
import { PasskeyChallenges } from "../../core/humans/human-store.ts"
import type { PasskeyChallenge } from "../../core/humans/passkey-challenge.ts"
import { MemoryStore } from "./store.ts"
import { define } from "./table.ts"

const definition = define<PasskeyChallenge>()({
  name: "passkey challenges",
  key: (passkeyChallenge) => passkeyChallenge.id
})

export const layer: Layer.Layer<PasskeyChallenges, never, MemoryStore> = Layer.effect(
  PasskeyChallenges,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const passkeyChallenges = store.table(definition)
    return {
      begin: (passkeyChallenge) =>
        store.write((journal) => passkeyChallenges.insert(journal, passkeyChallenge)),
      take: (passkeyChallengeId, browserId) =>
        store.write((journal) => {
          const passkeyChallenge = passkeyChallenges.get(passkeyChallengeId)
          if (passkeyChallenge?.browserId !== browserId) return undefined
          passkeyChallenges.delete(journal, passkeyChallengeId)
          return passkeyChallenge
        }),
      forget: (expiredBefore, max) =>
        store.write((journal) => {
          const isOver = ({ expiresAt }: PasskeyChallenge) =>
            DateTime.isLessThan(expiresAt, expiredBefore)
          const over = passkeyChallenges.all.filter(isOver).slice(0, max)
          for (const { id } of over) passkeyChallenges.delete(journal, id)
          return over.length
        })
    }
  })
)
