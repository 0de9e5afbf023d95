/**
 * Kept-alive connections, at most four per endpoint. They are kept by URL rather than by origin, so that
 * one endpoint that hangs never takes the connections of another on the same host.
 */
import { Effect } from "effect"
import type { buildConnector, Pool } from "undici"

interface Kept {
  readonly url: URL
  readonly pool: Pool
  borrowers: number
}

const settings = {
  connections: 4,
  pipelining: 1,
  allowH2: false,
  maxHeaderSize: 8192,
  keepAliveTimeout: 4000,
  keepAliveMaxTimeout: 10_000,
  // A busy connection is renewed this often, so that a changed name is followed.
  clientTtl: 30_000
} satisfies Pool.Options

let opening: typeof Pool | undefined

/** Brought in for the first delivery, so that a start does without; from then on there at once. */
const pools = Effect.suspend(() =>
  opening === undefined
    ? Effect.promise(async () => {
        opening = (await import("undici")).Pool
        return opening
      })
    : Effect.succeed(opening)
)

/** Lends the pool of a URL to the work; all connections are closed with the scope. */
export const make = Effect.fnUntraced(function* (connect: buildConnector.connector) {
  const keptByUrl = new Map<string, Kept>()

  const dropWhenUnused = (address: string, kept: Kept) => {
    if (kept.borrowers > 0 || kept.pool.stats.connected > 0) return
    if (keptByUrl.get(address) === kept) keptByUrl.delete(address)
    // Nothing is lost with it; its promise only tells when the sockets are gone.
    void kept.pool.destroy()
  }

  const open = (pool: typeof Pool, address: string): Kept => {
    const url = new URL(address)
    const kept: Kept = { url, pool: new pool(url.origin, { ...settings, connect }), borrowers: 0 }
    kept.pool.on("disconnect", () => dropWhenUnused(address, kept))
    keptByUrl.set(address, kept)
    return kept
  }

  const borrow = (address: string) =>
    Effect.map(pools, (pool) => {
      const kept = keptByUrl.get(address) ?? open(pool, address)
      kept.borrowers++
      return kept
    })

  yield* Effect.addFinalizer(() =>
    Effect.promise(() => Promise.all([...keptByUrl.values()].map(({ pool }) => pool.destroy())))
  )

  return <A, E, R>(address: string, work: (pool: Pool, url: URL) => Effect.Effect<A, E, R>) =>
    Effect.acquireUseRelease(
      borrow(address),
      ({ pool, url }) => work(pool, url),
      (kept) =>
        Effect.sync(() => {
          kept.borrowers--
          dropWhenUnused(address, kept)
        })
    )
})
