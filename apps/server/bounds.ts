/** The settings of the guards around the server: how many connections, and how long clients may take to read. */
import type * as Guards from "../../adapters/http/guards/guards.ts"
import * as UnsentBytes from "../../adapters/http/guards/unsent-bytes.ts"
import * as Setting from "./setting.ts"

export const connections = Setting.integer(
  "BURSAR_CONNECTIONS",
  "Maximum number of connections of one process. Above three quarters, clients that do not read are disconnected after 3 seconds.",
  10_000,
  { least: 10, most: 1_000_000 }
)

export const connectionsPerClient = Setting.integer(
  "BURSAR_CONNECTIONS_PER_CLIENT",
  "Maximum number of connections per client address, or per /64 of IPv6. Not limited behind proxies (`BURSAR_PROXIES`), where every connection comes from the proxy.",
  256,
  { least: 1, most: 1_000_000 }
)

export const stalledSeconds = Setting.integer(
  "BURSAR_STALLED_SECONDS",
  "A client that reads less than 1 KiB per second on average over this time is disconnected.",
  15,
  { least: 1, most: 3600 }
)

export const answerSeconds = Setting.integer(
  "BURSAR_ANSWER_SECONDS",
  "How long a client may take to read one response, from its first byte.",
  120,
  { least: 1, most: 86_400 }
)

export const streamSeconds = Setting.integer(
  "BURSAR_STREAM_SECONDS",
  "How long a page's live stream lasts before the browser opens a new one.",
  300,
  { least: 1, most: 86_400 }
)

export const unsentMib = Setting.integer(
  "BURSAR_UNSENT_MIB",
  "Maximum MiB of unread responses in total; never more than a quarter of the heap limit. Above it, calls fail with `OVERLOADED`.",
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
