/**
 * Writes an audit entry in the running transaction, so that no change stands without one. Once it is
 * committed, whoever gives entries their places hears of it.
 */
import { DateTime, Effect } from "effect"
import { Atomically } from "../ports/atomically.ts"
import { Ids } from "../ports/ids.ts"
import { Notifier } from "../ports/notifier.ts"
import { Audit } from "./audit-store.ts"
import type { ActorRole, ActorType } from "./entry.ts"

export interface Change {
  readonly accountId: string
  readonly actor: string
  /** When it acts for another account than its own. */
  readonly role?: "cosigner" | undefined
  readonly action: string
  readonly subjectType: string
  readonly subjectId: string
  readonly facts?: Readonly<Record<string, string>>
}

/** Who acts when no caller asked: the watcher, a sweep, a worker. */
export const system = "system"

/** Who acts when somebody at the installation's own command line does. */
export const operator = "operator"

const typeOf = (actor: string): ActorType => {
  if (actor === system) return "treasury"
  if (actor === operator) return "operator"
  return actor.startsWith("human:") ? "person" : "key"
}

const defaultRole: Readonly<Record<ActorType, ActorRole>> = {
  key: "owner",
  person: "owner",
  operator: "operator",
  treasury: "worker"
}

const entryOf = Effect.fnUntraced(function* ({ role, ...change }: Change) {
  const actorType = typeOf(change.actor)
  return {
    id: yield* (yield* Ids).uuid,
    facts: {},
    ...change,
    actorType,
    actorRole: role ?? defaultRole[actorType],
    createdAt: yield* DateTime.now
  }
})

export const record = (change: Change) => recordAll([change])

/** Of several changes at once. */
export const recordAll = Effect.fnUntraced(function* (changes: ReadonlyArray<Change>) {
  if (changes.length === 0) return
  yield* (yield* Audit).append(yield* Effect.forEach(changes, entryOf))
  // Many of one commit are one hint to whoever listens, as it does not wait between them.
  yield* (yield* Atomically).afterCommit((yield* Notifier).signal("audit"))
})
