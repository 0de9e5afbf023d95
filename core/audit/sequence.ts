/**
 * Gives committed entries their places in their account's log and grows its Merkle tree with them. Whoever does it holds
 * the log, so places have no gap and no twin, however many processes do it at once. The first place on another line of
 * history is that of the entry that says so.
 */
import { DateTime, type Duration, Effect } from "effect"
import { UpstreamUnavailable } from "../operation/refusal.ts"
import { Atomically } from "../ports/atomically.ts"
import { Notifier } from "../ports/notifier.ts"
import { Secrets } from "../ports/secrets.ts"
import { Audit } from "./audit-store.ts"
import * as Break from "./break.ts"
import * as Leaf from "./entry.ts"
import * as Tree from "./tree.ts"

/** Entries placed in one transaction. */
const maxEntries = 500

/** Accounts looked after in one turn. */
const maxAccounts = 100

/** The hash over a log as it is, of its peaks. */
const rootOf = (hash: Tree.Sha256, peaks: ReadonlyArray<Tree.Hashed>) =>
  Tree.rootOf(
    hash,
    peaks.map((peak) => peak.hash)
  )

/** How many of those that waited were placed, and on which line; fewer than may be at once are all there were. */
const placeSome = Effect.fnUntraced(function* (accountId: string) {
  const audit = yield* Audit
  const { head, now } = yield* audit.hold(accountId)
  // Nothing is placed on a line that others may have too.
  if (now === undefined) return { count: 0, now }
  const from = head?.treeSize ?? 0
  // Read after the log was taken: what others placed meanwhile has its place, and nothing has two.
  const waiting = yield* audit.unplaced(accountId, maxEntries)
  const brokenLine = Break.brokenLine(head, now, waiting)
  if (waiting.length === 0 && brokenLine === undefined) return { count: 0, now }
  const { hash } = yield* Secrets
  const peaks = yield* audit.nodes(accountId, Tree.parts({ begin: 0, end: from }))
  const entries = [...waiting]
  if (brokenLine !== undefined) {
    const last = { treeSize: from, rootHash: rootOf(hash, peaks), line: brokenLine }
    const entry = yield* Break.entryOf(accountId, last, now.number)
    yield* audit.append([entry])
    entries.unshift(entry)
  }
  const placed = entries.map((entry, at) => ({ ...entry, sequence: from + at }))
  const leaves = placed.map((entry) => Leaf.hashOf(hash, entry))
  yield* audit.extend({
    accountId,
    placed,
    added: Tree.grow(hash, peaks, leaves).added,
    treeSize: from + placed.length,
    line: now.number,
    grewAt: yield* DateTime.now
  })
  return { count: waiting.length, now }
})

/** Places all entries of an account that were committed before this began; the line that it was done on, if any. */
export const sequence = Effect.fnUntraced(function* (accountId: string) {
  const { run } = yield* Atomically
  while (true) {
    const { count, now } = yield* run(placeSome(accountId))
    if (count < maxEntries) return now
  }
})

/** The same for whoever is to be told of all of them. */
export const sequenceAll = Effect.fnUntraced(function* (accountId: string) {
  const now = yield* sequence(accountId)
  if (now !== undefined) return now
  const message =
    "The records were replaced, and the audit log goes on once the key store has given their line to this server: in a few seconds, or when the folder of BURSAR_TIMELINE_DIR can be read. Repeat the call then."
  return yield* new UpstreamUnavailable({ message })
})

/** Places what waits, of every account; whether more may wait that can be placed now. */
const sequenceWaiting = Effect.gen(function* () {
  const accounts = yield* (yield* Audit).waiting(maxAccounts)
  for (const accountId of accounts) {
    // Without a line of its own nothing is placed, of any account.
    if ((yield* sequence(accountId)) === undefined) return false
  }
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
