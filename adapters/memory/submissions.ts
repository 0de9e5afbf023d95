/** The store of submissions in memory, which is its own queue. Sequences of relayers are rows, so they roll back. */
import { DateTime, Effect, Layer } from "effect"
import { anew, progress, type Submission, withoutBytes } from "../../core/submissions/submission.ts"
import { SubmissionStore, type Write } from "../../core/submissions/submission-store.ts"
import { type Leased, leased, orders } from "./leased-table.ts"
import { MemoryStore, type Store } from "./store.ts"
import { define, type Journal, type Table } from "./table.ts"

interface Stored extends Leased {
  readonly submission: Submission
  /** Whether its signed bytes are gone. */
  readonly isEmptied?: boolean
}

const ms = DateTime.toEpochMillis

type Aged = Pick<Submission, "createdAt" | "id">

const byAge = (one: Aged, other: Aged): number =>
  ms(one.createdAt) - ms(other.createdAt) || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0)

/** Those that were opened first, and of these those that were written first. */
const byOpening = (one: Submission, other: Submission): number =>
  ms(one.createdAt) - ms(other.createdAt) || ms(one.updatedAt) - ms(other.updatedAt)

const isUnseen: ReadonlySet<Submission["status"]> = new Set(["prepared", "signed", "submitted"])

const sequenceKey = (chainId: string, relayer: string, sequence: number) =>
  JSON.stringify([chainId, relayer, sequence])

const countKey = (chainId: string, relayer: string) => JSON.stringify([chainId, relayer])

const queued = { due: ({ submission }: Stored) => submission.nextLookAt }

const definition = define<Stored>()({
  name: "submissions",
  key: ({ submission }) => submission.id,
  unique: {
    key: ({ submission }) => submission.key,
    lease: ({ lease }) => lease?.id,
    relayerSequence: ({ submission: { chainId, relayer, relayerSequence } }) =>
      relayerSequence === null ? undefined : sequenceKey(chainId, relayer ?? "", relayerSequence)
  },
  sorted: {
    ...orders(queued),
    ofProposal: {
      group: ({ submission }) => submission.purpose.proposalId,
      at: ({ submission }) => ms(submission.createdAt)
    },
    ofHolder: {
      group: ({ submission: { chainId, relayer } }) =>
        relayer === null ? undefined : countKey(chainId, relayer),
      at: ({ submission }) => submission.relayerSequence ?? 0
    },
    ofWallet: {
      group: ({ submission: { chainId, terms } }) => countKey(chainId, terms.from),
      at: ({ submission }) => ms(submission.createdAt)
    },
    emptying: {
      group: ({ isEmptied, submission: { nextLookAt } }) =>
        nextLookAt === null && isEmptied !== true ? "" : undefined,
      at: ({ submission }) => ms(submission.createdAt)
    },
    standing: {
      group: ({ submission: { purpose, status } }) =>
        status === "failed" ? undefined : purpose.requestId,
      at: ({ submission }) => ms(submission.createdAt)
    }
  }
})

interface Counted {
  readonly chainId: string
  readonly relayer: string
  readonly next: number
}

const sequenceDefinition = define<Counted>()({
  name: "relayer sequences",
  key: ({ chainId, relayer }) => countKey(chainId, relayer)
})

type Rows = Table<
  Stored,
  "key" | "lease" | "relayerSequence",
  "waiting" | "leased" | "ofProposal" | "ofHolder" | "ofWallet" | "emptying" | "standing"
>
type Port = SubmissionStore["Service"]

const changed = (before: Submission, after: Submission): Submission => ({
  ...before,
  ...Object.fromEntries(progress.map((field) => [field, after[field]]))
})

const queueOf = (
  store: Store,
  rows: Rows
): Pick<Port, "claim" | "renew" | "release" | "save" | "nextDue"> => {
  const queue = leased(store, rows, queued)
  const write = (journal: Journal, { isLast, lease, submission }: Write) =>
    queue.write(
      journal,
      lease,
      (kept) =>
        kept.submission.id === submission.id
          ? { ...kept, submission: changed(kept.submission, submission) }
          : undefined,
      isLast
    )
  return {
    claim: (claim) =>
      store.write((journal) =>
        queue.take(journal, claim).map(({ lease, submission }) => ({ submission, lease: lease.id }))
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

const sequencesOf = (
  store: Store,
  rows: Rows
): Pick<Port, "takeSequences" | "newestSequence" | "holdsSequence"> => {
  const sequences = store.table(sequenceDefinition)
  return {
    takeSequences: (chainId, relayer, chainCount, howMany) =>
      store.write((journal) => {
        const key = countKey(chainId, relayer)
        const kept = sequences.get(key)
        const first = Math.max(kept?.next ?? 0, chainCount)
        if (kept !== undefined) sequences.delete(journal, key)
        sequences.insert(journal, { chainId, relayer, next: first + howMany })
        return first
      }),
    newestSequence: (chainId, holder) =>
      store.read(() => {
        const newest = rows.group("ofHolder", countKey(chainId, holder)).at(-1)?.submission
        return newest === undefined
          ? undefined
          : { sequence: newest.relayerSequence ?? 0, isClosed: newest.nextLookAt === null }
      }),
    holdsSequence: (chainId, relayer, first, before) =>
      store.read(() => {
        for (let sequence = first; sequence < before; sequence++) {
          const kept = rows.by("relayerSequence", sequenceKey(chainId, relayer, sequence))
          if (kept !== undefined && kept.submission.nextLookAt !== null) return true
        }
        return false
      })
  }
}

const promising = (store: Store, rows: Rows): Pick<Port, "promisedBy"> => ({
  promisedBy: (chainId, from) =>
    store.read(() => {
      const promised = rows
        .group("ofWallet", countKey(chainId, from))
        .map(({ submission }) => submission)
        .filter(({ status, terms }) => terms.signed !== null && isUnseen.has(status))
      const units = promised.reduce((sum, { terms }) => sum + terms.amount.units, 0n)
      return { count: promised.length, units }
    })
})

export const layer: Layer.Layer<SubmissionStore, never, MemoryStore> = Layer.effect(
  SubmissionStore,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const rows = store.table(definition)
    const all = (index: "ofProposal" | "standing", names: ReadonlyArray<string>) =>
      store.read(() =>
        names.flatMap((name) => rows.group(index, name).map(({ submission }) => submission))
      )
    return {
      ...queueOf(store, rows),
      ...sequencesOf(store, rows),
      ...promising(store, rows),
      open: (submission) =>
        store.write((journal) => {
          if (rows.by("key", submission.key) !== undefined) return false
          rows.insert(journal, { submission, lease: null })
          return true
        }),
      add: (submission) =>
        store.write((journal) => rows.insert(journal, { submission, lease: null })),
      find: (key) => store.read(() => rows.by("key", key)?.submission),
      ofProposals: (proposalIds) => all("ofProposal", proposalIds.toSorted()),
      standing: (requestIds) => all("standing", requestIds),
      identitiesOf: (chainId, from) =>
        store.read(() =>
          rows
            .group("ofWallet", countKey(chainId, from))
            .map(({ submission: { status, terms } }) => ({ identity: terms.identity, status }))
        ),
      finalOn: (chainId, { after, before, limit }) =>
        store.read(() =>
          rows.all
            .map(({ submission }) => submission)
            .filter(
              (each) =>
                each.chainId === chainId &&
                each.status === "final" &&
                each.nextLookAt === null &&
                each.terms.wallet !== null &&
                ms(each.createdAt) < ms(before)
            )
            .toSorted(byAge)
            .filter((each) => after === undefined || byAge(each, after) > 0)
            .slice(0, limit)
        ),
      reopen: (submissionId, at) =>
        store.write((journal) => {
          const failed = rows.get(submissionId)?.submission
          if (failed?.status !== "failed" || failed.nextLookAt !== null) return false
          const submission = { ...anew(failed), nextLookAt: at, updatedAt: at }
          rows.replace(journal, { submission, lease: null })
          return true
        }),
      forgetBytes: (writtenBefore, max) =>
        store.write((journal) => {
          const old = rows
            .group("emptying", "")
            .filter(({ submission }) => ms(submission.updatedAt) < ms(writtenBefore))
            .toSorted((one, other) => byOpening(one.submission, other.submission))
            .slice(0, max)
          for (const kept of old) {
            const submission = withoutBytes(kept.submission)
            rows.replace(journal, { ...kept, submission, isEmptied: true })
          }
          return old.length
        }),
      attach: (submissionId, transferId) =>
        store.write((journal) => {
          const kept = rows.get(submissionId)
          if (kept === undefined) throw new Error(`There is no submission ${submissionId}.`)
          rows.replace(journal, { ...kept, submission: { ...kept.submission, transferId } })
        })
    }
  })
)
