/** The store of waits in memory, which is its own queue. A proposal has one open wait at most. */
import { DateTime, Effect, Layer } from "effect"
import { progress, signedOrderIn, type Wait } from "../../core/waits/wait.ts"
import { WaitStore, type Write } from "../../core/waits/wait-store.ts"
import { type Leased, leased, orders } from "./leased-table.ts"
import { MemoryStore, type Store } from "./store.ts"
import { define, type Journal, type Table } from "./table.ts"

interface Stored extends Leased {
  readonly wait: Wait
}

const stepKey = ({ n, proposalId }: Pick<Wait, "proposalId" | "n">) =>
  JSON.stringify([proposalId, n])

const queued = { due: ({ wait }: Stored) => wait.nextLookAt }

const everywhere = "all"

const definition = define<Stored>()({
  name: "waits",
  key: ({ wait }) => wait.id,
  unique: {
    step: ({ wait }) => stepKey(wait),
    open: ({ wait }) => (wait.ended === null ? wait.proposalId : undefined),
    lease: ({ lease }) => lease?.id
  },
  sorted: {
    ...orders(queued),
    ofOrder: { group: ({ wait }) => signedOrderIn(wait), at: ({ wait }) => wait.n },
    ofProposal: { group: ({ wait }) => wait.proposalId, at: ({ wait }) => wait.n },
    stuck: {
      group: ({ wait }) => (wait.isStuck && wait.nextLookAt !== null ? everywhere : undefined),
      at: ({ wait }) => DateTime.toEpochMillis(wait.openedAt)
    }
  }
})

type Rows = Table<
  Stored,
  "step" | "open" | "lease",
  "waiting" | "leased" | "ofOrder" | "ofProposal" | "stuck"
>

/** When it is due after a write: at once, if it was made due after the look had begun. */
const nextLook = (before: Wait, after: Wait): DateTime.Utc | null =>
  before.hurries === after.hurries || before.nextLookAt === null || after.nextLookAt === null
    ? after.nextLookAt
    : DateTime.min(before.nextLookAt, after.nextLookAt)

const changed = (before: Wait, after: Wait): Wait => {
  if (after.ended?.isDone === true && after.ended.evidence === null) {
    throw new Error(`Wait ${before.id} cannot be done without evidence.`)
  }
  return {
    ...before,
    ...Object.fromEntries(progress.map((field) => [field, after[field]])),
    nextLookAt: nextLook(before, after)
  }
}

type Port = WaitStore["Service"]

const queueOf = (
  store: Store,
  rows: Rows
): Pick<Port, "claim" | "renew" | "release" | "save" | "nextDue"> => {
  const queue = leased(store, rows, queued)
  const write = (journal: Journal, { isLast, lease, wait }: Write) =>
    queue.write(
      journal,
      lease,
      (kept) =>
        kept.wait.id === wait.id ? { ...kept, wait: changed(kept.wait, wait) } : undefined,
      isLast
    )
  return {
    claim: (claim) =>
      store.write((journal) =>
        queue.take(journal, claim).map(({ lease, wait }) => ({ wait, lease: lease.id }))
      ),
    renew: queue.renew,
    release: queue.release,
    save: (writes) =>
      store.write((journal) =>
        writes.filter((each) => write(journal, each)).map(({ lease }) => lease)
      ),
    nextDue: queue.nextDue
  }
}

const hurried = (wait: Wait, now: DateTime.Utc): Wait => ({
  ...wait,
  nextLookAt: now,
  hurries: wait.hurries + 1
})

export const layer: Layer.Layer<WaitStore, never, MemoryStore> = Layer.effect(
  WaitStore,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const rows = store.table(definition)
    return {
      ...queueOf(store, rows),
      open: (wait) =>
        store.write((journal) => {
          const isTaken =
            rows.by("step", stepKey(wait)) !== undefined ||
            rows.by("open", wait.proposalId) !== undefined
          if (!isTaken) rows.insert(journal, { wait, lease: null })
          return !isTaken
        }),
      ofProposals: (proposalIds) =>
        store.read(() =>
          proposalIds
            .toSorted()
            .flatMap((id) => rows.group("ofProposal", id).map(({ wait }) => wait))
        ),
      ofOrders: (accountId, orderIds) =>
        store.read(() =>
          orderIds
            .flatMap((id) => rows.group("ofOrder", id).map(({ wait }) => wait))
            .filter((wait) => wait.accountId === accountId)
        ),
      stuck: (most) =>
        store.read(() =>
          rows
            .group("stuck", everywhere)
            .slice(0, most)
            .map(({ wait }) => wait)
        ),
      stop: (proposalId, now) =>
        store.write((journal) => {
          const kept = rows.by("open", proposalId)
          if (kept === undefined) return false
          const wait = { ...hurried(kept.wait, now), isStopAsked: true }
          rows.replace(journal, { ...kept, wait })
          return true
        }),
      hurry: (waitIds, now) =>
        store.write((journal) => {
          for (const id of waitIds) {
            const kept = rows.get(id)
            if (kept === undefined || kept.wait.ended !== null) continue
            rows.replace(journal, { ...kept, wait: hurried(kept.wait, now) })
          }
        })
    }
  })
)
