/**
 * Mistakes with trades, as they were found in reviews: leases that do not hold, answers that are forgotten, a step
 * done again, and money let go of too early.
 */
import { DateTime, Effect, Layer } from "effect"
import { Idempotency } from "../../../core/operation/idempotency-store.ts"
import { Refunds } from "../../../core/payments/refund-ledger.ts"
import { Spending } from "../../../core/policy/spending-ledger.ts"
import { progress, type Wait } from "../../../core/waits/wait.ts"
import { WaitStore, type Write } from "../../../core/waits/wait-store.ts"
import { type Bug, over, type Seen } from "../bugs/bug.ts"
import type { Rows } from "../stores.ts"

type Waits = WaitStore["Service"]

/** A store of waits that is the real one but for what is given. */
const waits = (
  name: string,
  altered: (real: Waits, world: Seen, spending: Spending["Service"]) => Partial<Waits>
): Bug => ({
  name,
  plant: (wired, world) =>
    over(
      wired,
      Layer.effect(
        WaitStore,
        Effect.gen(function* () {
          const [real, spending] = [yield* WaitStore, yield* Spending]
          return { ...real, ...altered(real, world, spending) }
        })
      )
    )
})

const isDue = ({ nextLookAt }: Wait, now: DateTime.Utc) =>
  nextLookAt !== null && DateTime.isLessThanOrEqualTo(nextLookAt, now)

export const sharedLease = waits("a wait under lease is handed out again", (real, { stores }) => {
  const taken = new Set<string>()
  return {
    claim: (claim) =>
      Effect.map(real.claim(claim), (claimed) => {
        const others = stores.all("waits").flatMap(({ lease, wait }) => {
          const isNew = lease !== null && !taken.has(lease.id) && isDue(wait, claim.now)
          return isNew ? [{ wait, lease: lease.id }] : []
        })
        for (const { lease } of [...claimed, ...others]) taken.add(lease)
        return [
          ...claimed,
          ...others.filter((each) => !claimed.some(({ lease }) => lease === each.lease))
        ]
      })
  }
})

const overwritten = (kept: Rows["waits"], { wait }: Write): Rows["waits"] => ({
  ...kept,
  wait: { ...kept.wait, ...Object.fromEntries(progress.map((field) => [field, wait[field]])) }
})

/** Writes what is no longer under its lease all the same, where the row is one of these. */
const unfenced = (
  real: Waits,
  { stores }: Seen,
  isMeant: (kept: Wait, write: Wait) => boolean
): Partial<Waits> => ({
  // Nobody holds on to what they work on, so that others come while they do.
  renew: ({ held }) => Effect.succeed(held.map(({ lease }) => lease)),
  save: Effect.fnUntraced(function* (writes) {
    const current = [...(yield* real.save(writes))]
    for (const write of writes.filter(({ lease }) => !current.includes(lease))) {
      const kept = stores.get("waits", write.wait.id)
      if (kept === undefined || !isMeant(kept.wait, write.wait)) continue
      yield* stores.replace("waits", overwritten(kept, write))
      current.push(write.lease)
    }
    return current
  })
})

export const staleHolder = waits("who has lost a wait writes it all the same", (real, world) =>
  unfenced(real, world, ({ ended }) => ended === null)
)

export const endedTwice = waits("a wait that has ended is ended again", (real, world) =>
  unfenced(real, world, (kept, write) => kept.ended !== null && write.ended !== null)
)

export const repeatedStep = waits("a step that has ended is done again", (real) => ({
  ofProposals: (ids) =>
    Effect.map(real.ofProposals(ids), (all) =>
      all.filter((wait) => {
        const isLast = !all.some((each) => each.proposalId === wait.proposalId && each.n > wait.n)
        return !isLast || wait.ended === null
      })
    ),
  open: (wait) =>
    Effect.flatMap(real.open(wait), (isOpen) =>
      isOpen ? Effect.succeed(true) : real.open({ ...wait, n: wait.n + 1 })
    )
}))

export const cancelledWhileSigning = waits(
  "what is signed while somebody cancels is not written down",
  (real, { stores }) => ({
    save: (writes) =>
      real.save(
        writes.map((write) => {
          const kept = stores.get("waits", write.wait.id)?.wait
          const isSigning = write.wait.journal.signed !== undefined
          return kept?.isStopAsked === true && isSigning && kept.journal.signed === undefined
            ? { ...write, wait: { ...write.wait, journal: kept.journal } }
            : write
        })
      )
  })
)

export const releasedEarly = waits(
  "the caps are given back when somebody cancels",
  (real, _, spending) => ({
    stop: (proposalId, now) =>
      Effect.tap(real.stop(proposalId, now), () => spending.release([proposalId]))
  })
)

export const forgottenAnswer: Bug = {
  name: "a call is done again though its answer is kept",
  plant: (wired, { stores }) =>
    over(
      wired,
      Layer.effect(
        Idempotency,
        Effect.map(Idempotency, (real) => ({
          ...real,
          reserve: Effect.fnUntraced(function* (reservation) {
            const result = yield* real.reserve(reservation)
            if (result._tag !== "answered") return result
            yield* stores.replace("idempotency keys", { reservation, answer: null })
            return { _tag: "reserved" as const }
          })
        }))
      )
    )
}

export const refundUnseen: Bug = {
  name: "a deposit that goes back is attached",
  plant: (wired) =>
    over(
      wired,
      Layer.effect(
        Refunds,
        Effect.map(Refunds, (real) => ({ ...real, ofTransfers: () => Effect.succeed([]) }))
      )
    )
}

/** Each with a seed that catches it, so that a test begins there. */
export const tradeBugs: ReadonlyArray<Bug & { readonly caughtBy: number }> = [
  { ...sharedLease, caughtBy: 26 },
  { ...forgottenAnswer, caughtBy: 0 },
  { ...refundUnseen, caughtBy: 0 },
  { ...staleHolder, caughtBy: 2 },
  { ...endedTwice, caughtBy: 0 },
  { ...repeatedStep, caughtBy: 0 },
  { ...cancelledWhileSigning, caughtBy: 20 },
  { ...releasedEarly, caughtBy: 0 }
]
