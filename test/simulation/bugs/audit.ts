/** Mistakes about the audit log: entries passed over or rewritten, and leaves that are not theirs. */
import { Effect, Layer } from "effect"
import { Audit } from "../../../core/audit/audit-store.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { Secrets } from "../../../core/ports/secrets.ts"
import { type Bug, over } from "./bug.ts"

export const passedOver: Bug = {
  name: "an audit entry is passed over when places are given",
  plant: (wired) =>
    over(
      wired,
      Layer.effect(
        Audit,
        Effect.map(Audit, (audit) => ({
          ...audit,
          unplaced: (accountId, most) =>
            Effect.map(audit.unplaced(accountId, most), (entries) =>
              entries.filter(({ action }) => action !== "payment_request.paid")
            )
        }))
      )
    )
}

export const rewritten: Bug = {
  name: "an audit entry is rewritten after its commit",
  plant: (wired, world) =>
    over(
      wired,
      Layer.effect(
        Audit,
        Effect.gen(function* () {
          const [audit, atomically] = [yield* Audit, yield* Atomically]
          const rewrite = (id: string) =>
            Effect.suspend(() => {
              const entry = world.stores.get("audit", id)
              return entry === undefined
                ? Effect.void
                : world.stores.replace("audit", { ...entry, actor: "somebody else" })
            })
          return {
            ...audit,
            append: (entries) =>
              Effect.andThen(
                audit.append(entries),
                Effect.forEach(entries, ({ id }) => atomically.afterCommit(rewrite(id)), {
                  discard: true
                })
              )
          }
        })
      )
    )
}

export const confusedHashes: Bug = {
  name: "leaves and nodes of the audit tree are hashed alike",
  plant: (wired) =>
    over(
      wired,
      Layer.effect(
        Secrets,
        Effect.map(Secrets, (secrets) => ({
          ...secrets,
          hash: (_, ...parts) => secrets.hash(...parts)
        }))
      )
    )
}
