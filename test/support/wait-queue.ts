/** Opens, claims and concludes waits at times a test names; the queue is one for all accounts. */
import { Effect } from "effect"
import { newWait, type Wait } from "../../core/waits/wait.ts"
import { type Claimed, WaitStore } from "../../core/waits/wait-store.ts"
import * as Rows from "./rows.ts"
import * as Stored from "./stored-rows.ts"

export const claimAt = (seconds: number, most = 100) =>
  Effect.flatMap(WaitStore, (store) =>
    store.claim({ now: Rows.at(seconds), leaseMs: 30_000, most })
  )

const saved = (lease: string, wait: Wait, isLast: boolean) =>
  Effect.map(
    Effect.flatMap(WaitStore, (store) => store.save([{ lease, wait, isLast }])),
    (current) => current.includes(lease)
  )

/** Saves what a look came to and keeps its lease; false when it is not current. */
export const note = (lease: string, wait: Wait) => saved(lease, wait, false)

/** Saves what a look came to and ends its lease; false when it was not current. */
export const conclude = (lease: string, wait: Wait) => saved(lease, wait, true)

/** What it waited for came. */
export const ended = (wait: Wait): Wait => ({
  ...wait,
  ended: { isDone: true, evidence: { type: "block", id: "17" }, at: Rows.at(2.5) },
  nextLookAt: null,
  updatedAt: Rows.at(2.5)
})

export const concludeAsEnded = ({ lease, wait }: Claimed) => conclude(lease, ended(wait))

/** What earlier tests left in the queue is ended first. */
export const emptyQueue = Effect.gen(function* () {
  let left = yield* claimAt(50_000_000, 1000)
  while (left.length > 0) {
    yield* Effect.forEach(left, concludeAsEnded, { discard: true })
    left = yield* claimAt(50_000_000, 1000)
  }
})

/** A wait of a proposal of its own, not opened yet. */
export const aWait = Effect.fnUntraced(function* (over: Partial<Wait> = {}) {
  const { accountId, id } = yield* Stored.proposal({ status: "executing" })
  const wait = newWait(
    {
      id: Rows.anId(),
      accountId,
      proposalId: id,
      n: 1,
      kind: "fill",
      watch: "order book",
      chainId: "base",
      terms: { sell: { units: "9007199254740993" } },
      deadline: Rows.at(1200),
      isStopAsked: false
    },
    Rows.at(0)
  )
  return { ...wait, ...over }
})

/** Opens a wait for each of these due times. */
export const queued = Effect.fnUntraced(function* (due: ReadonlyArray<number>) {
  const store = yield* WaitStore
  return yield* Effect.forEach(due, (seconds) =>
    Effect.tap(aWait({ nextLookAt: Rows.at(seconds) }), store.open)
  )
})

/** It as it is kept now. */
export const found = Effect.fnUntraced(function* ({ id, proposalId }: Wait) {
  const all = yield* (yield* WaitStore).ofProposals([proposalId])
  const wait = all.find((each) => each.id === id)
  return wait ?? (yield* Effect.die(new Error(`There is no wait ${id}.`)))
})
