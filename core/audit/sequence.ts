/**
 * Gives committed entries their places in their account's log and grows its Merkle tree with them. Whoever
 * does it holds the log, so places have no gap and no twin, however many processes do it at once.
 */
import { DateTime, type Duration, Effect } from "effect"
import { Atomically } from "../ports/atomically.ts"
import { Notifier } from "../ports/notifier.ts"
import { Secrets } from "../ports/secrets.ts"
import { Audit } from "./audit-store.ts"
import * as Leaf from "./entry.ts"
import * as Tree from "./tree.ts"

/** Entries placed in one transaction. */
const maxEntries = 500

/** Accounts looked after in one turn. */
const maxAccounts = 100

/** How many were placed; fewer than may be at once are all there were. */
const placeSome = Effect.fnUntraced(function* (accountId: string) {
  const audit = yield* Audit
  const head = yield* audit.hold(accountId)
  const from = head?.treeSize ?? 0
  // Read after the log was taken: what others placed meanwhile has its place, and nothing has two.
  const entries = yield* audit.unplaced(accountId, maxEntries)
  if (entries.length === 0) return 0
  const { hash } = yield* Secrets
  const peaks = yield* audit.nodes(accountId, Tree.parts({ begin: 0, end: from }))
  const placed = entries.map((entry, at) => ({ ...entry, sequence: from + at }))
  const leaves = placed.map((entry) => Leaf.hashOf(hash, entry))
  yield* audit.extend({
    accountId,
    placed,
    added: Tree.grow(hash, peaks, leaves).added,
    treeSize: from + placed.length,
    grewAt: yield* DateTime.now
  })
  return placed.length
})

/** Places all entries of an account that were committed before this began. */
export const sequence = Effect.fnUntraced(function* (accountId: string) {
  const { run } = yield* Atomically
  while ((yield* run(placeSome(accountId))) === maxEntries);
})

/** Places what waits, of every account; whether more may wait. */
const sequenceWaiting = Effect.gen(function* () {
  const accounts = yield* (yield* Audit).waiting(maxAccounts)
  yield* Effect.forEach(accounts, sequence, { discard: true })
  return accounts.length === maxAccounts
})

/** Between a hint and the work: what is committed meanwhile is placed in the same transaction, for less each. */
const gathering = "1 second"

/** Places entries as they are committed, until interrupted; `pollInterval` is how long a lost hint may cost. */
export const keepSequencing = Effect.fnUntraced(function* (pollInterval: Duration.Duration) {
  const next = yield* (yield* Notifier).listen("audit")
  const pause = Effect.raceFirst(next, Effect.sleep(pollInterval))
  yield* Effect.forever(
    Effect.gen(function* () {
      if (yield* sequenceWaiting) return
      yield* pause
      yield* Effect.sleep(gathering)
    })
  )
}, Effect.scoped)
