/**
 * The store of executions in memory. What waits and what is leased is kept apart, so a claim looks at the
 * first few rows and never at what is settled; relayer nonces are rows, so they roll back.
 */
import { DateTime, Effect, Layer } from "effect"
import type { Execution } from "../../core/submissions/execution.ts"
import { Executions } from "../../core/submissions/execution-store.ts"
import { type Lease, leaseFrom, renewing } from "./leases.ts"
import { nonceKey, definition as settlementDefinition } from "./settlements.ts"
import { countWhile } from "./sorted-rows.ts"
import { MemoryStore } from "./store.ts"
import { define, type Journal, type Table } from "./table.ts"

interface Kept {
  readonly execution: Execution
  readonly lease: Lease | null
}

const ms = DateTime.toEpochMillis

const dueMs = ({ execution }: Kept) =>
  execution.nextLookAt === null ? 0 : ms(execution.nextLookAt)

/** A leased one is free when its lease has ended and it is due. */
const freeMs = (kept: Kept) =>
  Math.max(dueMs(kept), kept.lease === null ? 0 : ms(kept.lease.endsAt))

const everywhere = "all"

const isOpen = ({ execution: { nextLookAt, step } }: Kept) =>
  step !== "settled" && nextLookAt !== null

const definition = define<Kept>()({
  name: "executions",
  key: ({ execution }) => execution.proposalId,
  unique: {
    lease: ({ lease }) => lease?.id,
    relayerNonce: ({ execution: { chainId, relayer, relayerNonce } }) =>
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
    }
  }
})

interface Counted {
  readonly chainId: string
  readonly relayer: string
  readonly next: number
}

const countKey = (chainId: string, relayer: string) => JSON.stringify([chainId, relayer])

const nonceDefinition = define<Counted>()({
  name: "relayer nonces",
  key: ({ chainId, relayer }) => countKey(chainId, relayer)
})

/** Rows up to an instant, of a list that is sorted by it. */
const until = (
  rows: ReadonlyArray<Kept>,
  at: (kept: Kept) => number,
  now: number
): ReadonlyArray<Kept> =>
  rows.slice(
    0,
    countWhile(rows, (kept) => at(kept) <= now)
  )

/** The execution as it stood, with what a step writes down: what is to be paid, and to whom, stays. */
const noted = (before: Execution, after: Execution): Execution => ({
  ...before,
  step: after.step,
  authorization: after.authorization,
  relayer: after.relayer,
  relayerNonce: after.relayerNonce,
  carriers: after.carriers,
  nextLookAt: after.nextLookAt,
  updatedAt: after.updatedAt
})

const writing =
  (executions: Table<Kept, "lease" | "relayerNonce", "waiting" | "leased">, isLast: boolean) =>
  (journal: Journal, lease: string, execution: Execution): boolean => {
    const kept = executions.by("lease", lease)
    if (kept?.execution.proposalId !== execution.proposalId) return false
    executions.replace(journal, {
      execution: noted(kept.execution, execution),
      lease: isLast ? null : kept.lease
    })
    return true
  }

export const layer: Layer.Layer<Executions, never, MemoryStore> = Layer.effect(
  Executions,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const executions = store.table(definition)
    const nonces = store.table(nonceDefinition)
    const settlements = store.table(settlementDefinition)
    const [note, conclude] = [writing(executions, false), writing(executions, true)]
    return {
      queue: (execution) =>
        store.write((journal) => executions.insert(journal, { execution, lease: null })),
      claim: ({ leaseMs, most, now }) =>
        store.write((journal) =>
          [
            ...until(executions.group("waiting", everywhere), dueMs, ms(now)).slice(0, most),
            ...until(executions.group("leased", everywhere), freeMs, ms(now))
          ]
            .sort((a, b) => dueMs(a) - dueMs(b))
            .slice(0, most)
            .map((kept) => {
              const lease = `execution-lease-${store.next("execution lease")}`
              executions.replace(journal, { ...kept, lease: leaseFrom(lease, now, leaseMs) })
              return { execution: kept.execution, lease }
            })
        ),
      renew: renewing(store, executions),
      note: (lease, execution) => store.write((journal) => note(journal, lease, execution)),
      conclude: (lease, execution) => store.write((journal) => conclude(journal, lease, execution)),
      find: (proposalId) => store.read(() => executions.get(proposalId)?.execution),
      nextDue: () =>
        store.read(() => {
          const due = [
            ...executions.group("waiting", everywhere).slice(0, 1).map(dueMs),
            ...executions.group("leased", everywhere).slice(0, 1).map(freeMs)
          ]
          return due.length === 0 ? undefined : DateTime.makeUnsafe(Math.min(...due))
        }),
      takeRelayerNonce: (chainId, relayer, chainCount) =>
        store.write((journal) => {
          const key = countKey(chainId, relayer)
          const kept = nonces.get(key)
          const nonce = Math.max(kept?.next ?? 0, chainCount)
          if (kept !== undefined) nonces.delete(journal, key)
          nonces.insert(journal, { chainId, relayer, next: nonce + 1 })
          return nonce
        }),
      holdsNonce: (chainId, relayer, first, before) =>
        store.read(() => {
          for (let nonce = first; nonce < before; nonce++) {
            const kept = executions.by("relayerNonce", nonceKey(chainId, relayer, nonce))
            if (kept !== undefined && kept.execution.step !== "settled") return true
            const other = settlements.by("relayerNonce", nonceKey(chainId, relayer, nonce))
            if (other !== undefined && other.settlement.step !== "settled") return true
          }
          return false
        })
    }
  })
)
