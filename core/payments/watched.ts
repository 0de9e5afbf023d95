/**
 * Whether a chain is watched yet. A payment request is opened only where it is: what was paid before the first look
 * at a chain would be nobody's business, and no later look would find it.
 */
import { DateTime, Effect } from "effect"
import { UpstreamUnavailable } from "../operation/refusal.ts"
import { Chains } from "../ports/chains.ts"
import { type Cursor, Cursors } from "./transfer-store.ts"

/**
 * The start: a final block, so that no reorganisation of the first few can leave the watcher without a
 * block it shares with the chain. Nothing counts as passed yet, so nothing expires before a first look.
 */
export const startWatching = Effect.fnUntraced(function* (chainId: string) {
  const final = yield* (yield* Chains).newestFinal(chainId)
  const cursor: Cursor = {
    chainId,
    blocks: [final],
    head: final.number,
    finalNumber: 0,
    finalTime: DateTime.makeUnsafe(0),
    round: null
  }
  yield* (yield* Cursors).start(cursor)
})

/** One chain that never answers holds up nobody on another for longer. */
const patience = "3 seconds"

/** Chains that are watched, by the store that said so: a cursor that stands never goes away. */
const known = new WeakMap<Cursors["Service"], Set<string>>()

/** Begins to watch chains that nobody has looked at, and gives back those that cannot be looked at now. */
export const watchAll = Effect.gen(function* () {
  const cursors = yield* Cursors
  const { connected } = yield* Chains
  const watched = known.get(cursors) ?? new Set<string>()
  known.set(cursors, watched)
  const unknown = connected.map(({ chain }) => chain.id).filter((id) => !watched.has(id))
  const begun = yield* Effect.forEach(
    unknown,
    Effect.fnUntraced(function* (chainId) {
      const isThere = (yield* cursors.find(chainId)) !== undefined
      const begin = isThere ? Effect.void : Effect.timeout(startWatching(chainId), patience)
      const hasBegun = yield* Effect.match(begin, { onFailure: () => false, onSuccess: () => true })
      return [chainId, hasBegun] as const
    }),
    { concurrency: "unbounded" }
  )
  for (const [chainId, hasBegun] of begun) if (hasBegun) watched.add(chainId)
  const unwatched: ReadonlySet<string> = new Set(
    begun.filter(([, hasBegun]) => !hasBegun).map(([chainId]) => chainId)
  )
  return unwatched
})

/** Refuses a chain that nobody has looked at yet. */
export const checkWatched = Effect.fnUntraced(function* (
  chainId: string,
  unwatched: ReadonlySet<string>
) {
  if (!unwatched.has(chainId)) return
  return yield* new UpstreamUnavailable({
    message: `${chainId} does not respond, and was never looked at: a payment there could be missed. Try again in a moment.`,
    details: { chainId }
  })
})
