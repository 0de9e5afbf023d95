/**
 * The store of settlements in memory. What waits and what is leased is kept apart; a key that is taken is
 * an answer here, not a fault, as many copies of one payment come at once.
 */
import { DateTime, Effect, Layer } from "effect"
import { type Key, keyOf, type Settlement } from "../../core/submissions/settlement.ts"
import { type PaymentRejection, Settlements } from "../../core/submissions/settlement-store.ts"
import { type Lease, leaseFrom, renewing } from "./leases.ts"
import { countWhile } from "./sorted-rows.ts"
import { MemoryStore } from "./store.ts"
import { define, type Journal, type Table } from "./table.ts"

interface Kept {
  readonly settlement: Settlement
  readonly lease: Lease | null
}

const ms = DateTime.toEpochMillis

const dueMs = ({ settlement }: Kept) =>
  settlement.nextLookAt === null ? 0 : ms(settlement.nextLookAt)

/** A leased one is free when its lease has ended and it is due. */
const freeMs = (kept: Kept) =>
  Math.max(dueMs(kept), kept.lease === null ? 0 : ms(kept.lease.endsAt))

const everywhere = "all"

const isOpen = ({ settlement: { nextLookAt, step } }: Kept) =>
  step !== "settled" && nextLookAt !== null

const authorizationKey = ({ chainId, token, from, nonce }: Key) =>
  JSON.stringify([chainId, token, from, nonce])

export const nonceKey = (chainId: string, relayer: string, nonce: number) =>
  JSON.stringify([chainId, relayer, nonce])

export const definition = define<Kept>()({
  name: "settlements",
  key: ({ settlement }) => settlement.id,
  unique: {
    authorization: ({ settlement }) => authorizationKey(keyOf(settlement)),
    lease: ({ lease }) => lease?.id,
    relayerNonce: ({ settlement: { chainId, relayer, relayerNonce } }) =>
      relayerNonce === null ? undefined : nonceKey(chainId, relayer ?? "", relayerNonce)
  },
  sorted: {
    waiting: {
      group: (kept) => (isOpen(kept) && kept.lease === null ? everywhere : undefined),
      at: dueMs
    },
    leased: {
      group: (kept) => (isOpen(kept) && kept.lease !== null ? everywhere : undefined),
      at: freeMs
    },
    standing: {
      group: ({ settlement: { outcome, subject } }) =>
        outcome !== "failed" && subject._tag === "payment_request" ? subject.requestId : undefined,
      at: ({ settlement }) => ms(settlement.createdAt)
    }
  }
})

const turnedDownDefinition = define<PaymentRejection>()({
  name: "payments turned down",
  key: ({ digest, requestId }) => JSON.stringify([requestId, digest]),
  sorted: { request: { group: ({ requestId }) => requestId, at: ({ at }) => ms(at) } }
})

type Rows = Table<
  Kept,
  "authorization" | "lease" | "relayerNonce",
  "waiting" | "leased" | "standing"
>

/** Rows up to an instant, of a list that is sorted by it. */
const until = (rows: ReadonlyArray<Kept>, at: (kept: Kept) => number, now: number) =>
  rows.slice(
    0,
    countWhile(rows, (kept) => at(kept) <= now)
  )

/** As it stood, with what a step writes down: what was signed, and what for, stays. */
const noted = (before: Settlement, after: Settlement): Settlement => ({
  ...before,
  step: after.step,
  outcome: after.outcome,
  reason: after.reason,
  txHash: after.txHash,
  relayer: after.relayer,
  relayerNonce: after.relayerNonce,
  carriers: after.carriers,
  nextLookAt: after.nextLookAt,
  updatedAt: after.updatedAt
})

const writing =
  (rows: Rows, isLast: boolean) =>
  (journal: Journal, lease: string, settlement: Settlement): boolean => {
    const kept = rows.by("lease", lease)
    if (kept?.settlement.id !== settlement.id) return false
    rows.replace(journal, {
      settlement: noted(kept.settlement, settlement),
      lease: isLast ? null : kept.lease
    })
    return true
  }

const revived = (settlement: Settlement, at: DateTime.Utc): Settlement => ({
  ...settlement,
  step: "signed",
  outcome: null,
  reason: null,
  txHash: null,
  relayer: null,
  relayerNonce: null,
  carriers: [],
  nextLookAt: at,
  updatedAt: at
})

export const layer: Layer.Layer<Settlements, never, MemoryStore> = Layer.effect(
  Settlements,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const rows = store.table(definition)
    const turnedDown = store.table(turnedDownDefinition)
    const [note, conclude] = [writing(rows, false), writing(rows, true)]
    return {
      open: (settlement) =>
        store.write((journal) => {
          const key = authorizationKey(keyOf(settlement))
          if (rows.by("authorization", key) !== undefined) return false
          rows.insert(journal, { settlement, lease: null })
          return true
        }),
      find: (key) => store.read(() => rows.by("authorization", authorizationKey(key))?.settlement),
      revive: (settlementId, at) =>
        store.write((journal) => {
          const kept = rows.get(settlementId)
          if (kept?.settlement.outcome !== "failed" || kept.settlement.step !== "settled") {
            return false
          }
          rows.replace(journal, { settlement: revived(kept.settlement, at), lease: null })
          return true
        }),
      claim: ({ leaseMs, most, now }) =>
        store.write((journal) =>
          [
            ...until(rows.group("waiting", everywhere), dueMs, ms(now)).slice(0, most),
            ...until(rows.group("leased", everywhere), freeMs, ms(now))
          ]
            .sort((a, b) => dueMs(a) - dueMs(b))
            .slice(0, most)
            .map((kept) => {
              const lease = `settlement-lease-${store.next("settlement lease")}`
              rows.replace(journal, { ...kept, lease: leaseFrom(lease, now, leaseMs) })
              return { settlement: kept.settlement, lease }
            })
        ),
      renew: renewing(store, rows),
      note: (lease, settlement) => store.write((journal) => note(journal, lease, settlement)),
      conclude: (lease, settlement) =>
        store.write((journal) => conclude(journal, lease, settlement)),
      nextDue: () =>
        store.read(() => {
          const due = [
            ...rows.group("waiting", everywhere).slice(0, 1).map(dueMs),
            ...rows.group("leased", everywhere).slice(0, 1).map(freeMs)
          ]
          return due.length === 0 ? undefined : DateTime.makeUnsafe(Math.min(...due))
        }),
      standing: (requestIds) =>
        store.read(() =>
          requestIds.flatMap((requestId) =>
            rows.group("standing", requestId).map(({ settlement }) => settlement)
          )
        ),
      rejectPayment: (turned, most) =>
        store.write((journal) => {
          const before = turnedDown.group("request", turned.requestId)
          const isKnown = before.some(({ digest }) => digest === turned.digest)
          if (isKnown || before.length >= most) return false
          turnedDown.insert(journal, turned)
          return true
        }),
      attach: (settlementId, transferId) =>
        store.write((journal) => {
          const kept = rows.get(settlementId)
          if (kept === undefined) throw new Error(`There is no settlement ${settlementId}.`)
          rows.replace(journal, { ...kept, settlement: { ...kept.settlement, transferId } })
        })
    }
  })
)
