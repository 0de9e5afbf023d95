/** The settings of the guards around the server: how many connections, and how long clients may take to read. */
import type * as Guards from "../../adapters/http/guards/guards.ts"
import * as UnsentBytes from "../../adapters/http/guards/unsent-bytes.ts"
import * as Setting from "./setting.ts"

export const connections = Setting.integer(
  "BURSAR_CONNECTIONS",
  "How many connections one process holds. At three quarters, clients that do not read are cut after 3 seconds.",
  10_000,
  { least: 10, most: 1_000_000 }
)

export const connectionsPerClient = Setting.integer(
  "BURSAR_CONNECTIONS_PER_CLIENT",
  "How many of them one address may have, or one /64 of IPv6. Not bounded behind proxies (`BURSAR_PROXIES`), where every connection is the proxy's.",
  256,
  { least: 1, most: 1_000_000 }
)

export const stalledSeconds = Setting.integer(
  "BURSAR_STALLED_SECONDS",
  "With bytes waiting for it, a client that takes less than 1 KiB a second on average over this long is cut.",
  15,
  { least: 1, most: 3600 }
)

export const answerSeconds = Setting.integer(
  "BURSAR_ANSWER_SECONDS",
  "How long a client may take to read one answer, from its first byte.",
  120,
  { least: 1, most: 86_400 }
)

export const streamSeconds = Setting.integer(
  "BURSAR_STREAM_SECONDS",
  "How long a page's live stream lasts before the browser is asked to open the next.",
  300,
  { least: 1, most: 86_400 }
)

export const unsentMib = Setting.integer(
  "BURSAR_UNSENT_MIB",
  "How many MiB of answers may wait to be read, in all; never more than a quarter of the heap's limit. Past it, calls are refused with `OVERLOADED`.",
  256,
  { least: 1, most: 65_536 }
)

export interface Values {
  readonly proxies: number
  readonly connections: number
  readonly connectionsPerClient: number
  readonly stalledSeconds: number
  readonly answerSeconds: number
  readonly streamSeconds: number
  readonly unsentMib: number
}

/** The guards as the settings say. */
export const guards = (values: Values): Guards.Options => ({
  connections: {
    max: values.connections,
    maxPerClient: values.proxies === 0 ? values.connectionsPerClient : undefined
  },
  slowReaders: {
    stalledMs: values.stalledSeconds * 1000,
    answerMs: values.answerSeconds * 1000,
    streamMs: values.streamSeconds * 1000
  },
  unsentBytes: { maxBytes: Math.min(values.unsentMib * 1024 * 1024, UnsentBytes.maxOfHeap()) }
})
