/** The store of idempotency keys in memory: a slot is held under a lease until its answer is written. */
import { DateTime, Effect, Layer } from "effect"
import {
  Idempotency,
  type Reservation,
  type ReserveResult,
  type Slot,
  type StoredResponse
} from "../../core/operation/idempotency-store.ts"
import { countWhile } from "./sorted-rows.ts"
import { MemoryStore, type Store } from "./store.ts"
import { define, type Journal } from "./table.ts"

interface Stored {
  readonly reservation: Reservation
  readonly answer: StoredResponse | null
  /** Whether it was put away, and no more is kept of its answer than is to be for ever. */
  readonly isPutAway?: boolean
}

const slotKey = ({ accountId, key, operation }: Slot) => JSON.stringify([accountId, operation, key])

const reservedAt = ({ reservation }: Stored) => DateTime.toEpochMillis(reservation.now)

const leaseEnd = ({ reservation }: Stored) => DateTime.toEpochMillis(reservation.leaseEndsAt)

const eraseAt = ({ answer }: Stored) =>
  answer?.secretsEraseAt == null ? 0 : DateTime.toEpochMillis(answer.secretsEraseAt)

const everywhere = "all"

const definition = define<Stored>()({
  name: "idempotency keys",
  key: ({ reservation }) => slotKey(reservation),
  sorted: {
    secrets: {
      group: ({ answer }) =>
        answer === null || answer.sealedSecrets === null || answer.secretsEraseAt === null
          ? undefined
          : everywhere,
      at: eraseAt
    },
    ofOperation: {
      group: ({ isPutAway, reservation }) =>
        isPutAway === true ? undefined : reservation.operation,
      at: reservedAt
    }
  }
})

/** What stands in a slot for a caller who asks; undefined when he may take it over. */
const standing = (kept: Stored, asking: Reservation): ReserveResult | undefined => {
  const { answer, reservation } = kept
  const { calledBy, leaseEndsAt } = reservation
  if (reservation.fingerprint !== asking.fingerprint) {
    return { _tag: "mismatched", isAnswered: answer !== null }
  }
  if (answer !== null) return { _tag: "answered", answer, calledBy }
  return DateTime.isLessThan(asking.now, leaseEndsAt)
    ? { _tag: "running", leaseEndsAt, calledBy }
    : undefined
}

/** Takes the sealed secrets out of answers. */
const erasing = (store: Store): Pick<Idempotency["Service"], "eraseSecrets" | "eraseSecretsOf"> => {
  const slots = store.table(definition)
  const sealed = () => slots.group("secrets", everywhere)
  const erase = (journal: Journal, due: ReadonlyArray<Stored>) => {
    for (const { answer, reservation } of due) {
      if (answer === null) continue
      slots.replace(journal, { reservation, answer: { ...answer, sealedSecrets: null } })
    }
    return due.length
  }
  return {
    eraseSecrets: (now, max) =>
      store.write((journal) => {
        const passed = DateTime.toEpochMillis(now)
        const count = countWhile(sealed(), (kept) => eraseAt(kept) <= passed)
        return erase(journal, sealed().slice(0, Math.min(max, count)))
      }),
    eraseSecretsOf: (accountId, callers) =>
      store.write((journal) => {
        const isTheirs = ({ reservation }: Stored) =>
          reservation.accountId === accountId && callers.includes(reservation.calledBy)
        return erase(journal, sealed().filter(isTheirs))
      })
  }
}

/** The answer with its proposal alone; as it is where it told of none. */
const shortened = (answer: StoredResponse): StoredResponse => {
  const { proposalId } = JSON.parse(answer.body) as { readonly proposalId?: unknown }
  return typeof proposalId === "string"
    ? { ...answer, body: JSON.stringify({ proposalId }) }
    : answer
}

export const layer: Layer.Layer<Idempotency, never, MemoryStore> = Layer.effect(
  Idempotency,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const slots = store.table(definition)
    /** The unanswered reservation, if it is still this holder's. */
    const heldBy = (slot: Slot, leaseOwner: string) => {
      const kept = slots.get(slotKey(slot))
      return kept?.answer === null && kept.reservation.leaseOwner === leaseOwner ? kept : undefined
    }
    /** The oldest of some operations that were reserved before this, and answered or held by nobody since. */
    const overBefore = (
      before: DateTime.Utc,
      operations: ReadonlyArray<string>,
      max: number
    ): ReadonlyArray<Stored> => {
      const limit = DateTime.toEpochMillis(before)
      return operations
        .flatMap((operation) => {
          const group = slots.group("ofOperation", operation)
          const count = countWhile(group, (kept) => reservedAt(kept) < limit)
          const isOver = (kept: Stored) => kept.answer !== null || leaseEnd(kept) < limit
          return group.slice(0, count).filter(isOver).slice(0, max)
        })
        .slice(0, max)
    }
    return {
      reserve: (reservation) =>
        store.write((journal): ReserveResult => {
          const kept = slots.get(slotKey(reservation))
          const held = kept === undefined ? undefined : standing(kept, reservation)
          if (held !== undefined) return held
          if (kept !== undefined) slots.delete(journal, slotKey(reservation))
          slots.insert(journal, { reservation, answer: null })
          return { _tag: "reserved" }
        }),
      isTaken: (slot) => store.read(() => slots.get(slotKey(slot)) !== undefined),
      answer: (slot, leaseOwner, answer) =>
        store.write((journal) => {
          const kept = heldBy(slot, leaseOwner)
          if (kept === undefined) return false
          slots.replace(journal, { ...kept, answer })
          return true
        }),
      release: (slot, leaseOwner) =>
        store.write((journal) => {
          if (heldBy(slot, leaseOwner) !== undefined) slots.delete(journal, slotKey(slot))
        }),
      renew: (slot, leaseOwner, leaseEndsAt) =>
        store.write((journal) => {
          const kept = heldBy(slot, leaseOwner)
          if (kept === undefined) return
          slots.replace(journal, { ...kept, reservation: { ...kept.reservation, leaseEndsAt } })
        }),
      ...erasing(store),
      forget: (before, keep, max) =>
        store.write((journal) => {
          const forgotten = [...slots.groupNames("ofOperation")].filter(
            (operation) => !keep.includes(operation)
          )
          const old = overBefore(before, forgotten, max)
          for (const { reservation } of old) slots.delete(journal, slotKey(reservation))
          return old.length
        }),
      putAway: (before, { short, whole }, max) =>
        store.write((journal) => {
          const old = overBefore(before, [...short, ...whole], max)
          for (const { answer, reservation } of old) {
            const left = short.includes(reservation.operation)
              ? shortened
              : (same: StoredResponse) => same
            if (answer === null) slots.delete(journal, slotKey(reservation))
            else slots.replace(journal, { reservation, answer: left(answer), isPutAway: true })
          }
          return old.length
        })
    }
  })
)
