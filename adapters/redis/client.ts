/**
 * A connection to Redis and the one script run on it. The package is loaded only when somebody connects,
 * and no call waits for a connection: while there is none, it fails at once.
 */
import { Effect } from "effect"

/**
 * Consumes one from a counter unless that is spent, and gives how many were drawn before; one round trip and
 * one step, so replicas that consume at once never consume the same one.
 */
const drawing = `
local spent = tonumber(redis.call("GET", KEYS[1]) or "0")
if spent < tonumber(ARGV[1]) then
  redis.call("INCR", KEYS[1])
  redis.call("PEXPIRE", KEYS[1], ARGV[2])
end
return spent`

export interface Counters {
  /** How many were drawn before this one; at the limit and above nothing is drawn. */
  readonly consume: (name: string, limit: number, keptMs: number) => Promise<number>
  readonly spent: (name: string) => Promise<number>
}

const reconnectMs = 500
const connectTimeoutMs = 2_000
const firstWait = "1 second"

const connected = async (url: string) => {
  const { createClient, defineScript } = await import("redis")
  const client = createClient({
    url,
    // A call that cannot be answered now is answered by somebody else, not kept for later.
    disableOfflineQueue: true,
    socket: { connectTimeout: connectTimeoutMs, reconnectStrategy: reconnectMs },
    scripts: {
      consume: defineScript({
        SCRIPT: drawing,
        NUMBER_OF_KEYS: 1,
        parseCommand: (parser, key: string, limit: number, keptMs: number) => {
          parser.pushKey(key)
          parser.push(String(limit), String(keptMs))
        },
        transformReply: (reply: unknown) => Number(reply)
      })
    }
  })
  // Whoever asks hears of it by a call that fails; without a listener the process would end.
  client.on("error", () => {})
  return { client, first: client.connect().catch(() => {}) }
}

/** Connects, and goes on trying to for as long as the scope lives. */
export const counters = (url: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => connected(url)),
      ({ client }) => Effect.sync(() => client.destroy())
    ).pipe(
      // A Redis that is there is used from the first call on; one that is not holds nobody up.
      Effect.tap(({ first }) =>
        Effect.timeoutOption(
          Effect.promise(() => first),
          firstWait
        )
      )
    ),
    ({ client }): Counters => ({
      consume: (name, limit, keptMs) => client.consume(name, limit, keptMs),
      spent: async (name) => Number((await client.get(name)) ?? 0)
    })
  )
