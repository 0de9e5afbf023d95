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
    finalTime: DateTime.makeUnsafe(0)
  }
  yield* (yield* Cursors).start(cursor)
})

/** Chains that are watched, by the store that said so: a cursor that stands never goes away. */
const known = new WeakMap<Cursors["Service"], Set<string>>()

/** Begins to watch chains that nobody has looked at, and gives back those that cannot be looked at now. */
export const watchAll = Effect.gen(function* () {
  const cursors = yield* Cursors
  const { connected } = yield* Chains
  const watched = known.get(cursors) ?? new Set<string>()
  known.set(cursors, watched)
  const unwatched = new Set<string>()
  for (const { chain } of connected) {
    if (watched.has(chain.id)) continue
    const isThere = (yield* cursors.find(chain.id)) !== undefined
    const begin = isThere ? Effect.void : startWatching(chain.id)
    const hasBegun = yield* Effect.match(begin, { onFailure: () => false, onSuccess: () => true })
    ;(hasBegun ? watched : unwatched).add(chain.id)
  }
  return unwatched as ReadonlySet<string>
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
