/** The store of challenges in memory. */
import { DateTime, Effect, Layer } from "effect"
import type { Challenge } from "../../core/governance/challenge.ts"
import { Challenges } from "../../core/governance/governance-store.ts"
import { MemoryStore } from "./store.ts"
import { define } from "./table.ts"

const definition = define<Challenge>()({
  name: "challenges",
  key: (challenge) => challenge.id,
  sorted: {
    unused: {
      group: ({ usedAt }) => (usedAt === null ? "unused" : "used"),
      at: (challenge) => DateTime.toEpochMillis(challenge.expiresAt)
    }
  }
})

export const layer: Layer.Layer<Challenges, never, MemoryStore> = Layer.effect(
  Challenges,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const challenges = store.table(definition)
    const own = (accountId: string, challengeId: string) => {
      const challenge = challenges.get(challengeId)
      return challenge?.accountId === accountId ? challenge : undefined
    }
    return {
      issue: (challenge) => store.write((journal) => challenges.insert(journal, challenge)),
      find: (accountId, challengeId) => store.read(() => own(accountId, challengeId)),
      use: (accountId, challengeId, at) =>
        store.write((journal) => {
          const challenge = own(accountId, challengeId)
          if (challenge === undefined || challenge.usedAt !== null) return false
          challenges.replace(journal, { ...challenge, usedAt: at })
          return true
        }),
      forget: (expiredBefore, max) =>
        store.write((journal) => {
          const isOver = ({ expiresAt }: Challenge) => DateTime.isLessThan(expiresAt, expiredBefore)
          const over = challenges.group("unused", "unused").filter(isOver).slice(0, max)
          for (const challenge of over) challenges.delete(journal, challenge.id)
          return over.length
        })
    }
  })
)
