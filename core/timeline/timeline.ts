/**
 * The line of history that the records are on. A standby that is promoted, and a backup that is restored, may lack the
 * newest commits: each begins a line with a higher number, and nothing is signed on it until what was signed on the
 * lines before has run out and the chains were read.
 */
import { Context, Effect, Schema } from "effect"

const Through = Schema.Struct({ number: Schema.Int, hash: Schema.String })

/** A block that is later than all that was signed before, and waits to be finalized. */
export const Mark = Schema.Struct({ ...Through.fields, unixSeconds: Schema.Int })
export type Mark = typeof Mark.Type

/** How far the payments of one chain were read. */
export const Reading = Schema.Struct({
  /** The final block that ended the wait; whoever is asked must have it. */
  through: Through,
  /** The last wallet, by the key of its address, that was read. */
  after: Schema.NullOr(Schema.String),
  isDone: Schema.Boolean
})
export type Reading = typeof Reading.Type

/** What has to be read before wallets sign, and how far that has come. */
export const Held = Schema.Struct({
  /** From when on nobody signs for an earlier line, in Unix seconds of each chain that was asked. */
  since: Schema.Record(Schema.String, Schema.Int),
  /** By chain: what its wait ends with, whichever process waits by then. */
  marks: Schema.optionalKey(Schema.Record(Schema.String, Mark)),
  /** By chain, once what was signed before has run out. */
  read: Schema.Record(Schema.String, Reading),
  /** How many payments were charged. */
  charged: Schema.Int,
  /** The process that reads, and until when the others leave it alone. */
  reader: Schema.NullOr(Schema.Struct({ id: Schema.String, until: Schema.String }))
})
export type Held = typeof Held.Type

/** As the records say it. */
export const Line = Schema.Struct({
  number: Schema.Int,
  /** Which database server the line is on, and which of that server's own timelines. */
  server: Schema.String,
  /** ISO 8601. */
  begunAt: Schema.String,
  /** The shared key store that has kept a number of these records; null where each machine has its own. */
  keyStore: Schema.NullOr(Schema.String),
  /** Whether the key store has given the number to the server: from then on nobody else has the line. */
  isKept: Schema.optionalKey(Schema.Boolean),
  /** By chain, the final block that ended the wait of this line; nothing signed before takes effect after it. */
  through: Schema.optionalKey(Schema.Record(Schema.String, Through)),
  /** From when on nobody signed for an earlier line, in Unix seconds, once a wait has ended. */
  fenced: Schema.optionalKey(Schema.Int),
  /** Null once wallets may sign. */
  held: Schema.NullOr(Held),
  /** The chains that the wait knew nothing of, each by itself: no wallet signs there, and all others go on. */
  late: Schema.optionalKey(Schema.Record(Schema.String, Held)),
  /** By such a chain: since when a process is connected to it. ISO 8601. */
  connectedAt: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
})
export type Line = typeof Line.Type

/** A line whose wait has ended on these chains; on any other it was not connected to, nothing was read. */
export interface Waited {
  readonly line: Line
  readonly through: NonNullable<Line["through"]>
}

/** Nothing was asked yet, and nothing read. */
export const begun: Held = { since: {}, read: {}, charged: 0, reader: null }

/** How records stand to the key store and to the server that they are on. */
export type Standing =
  /** Wallets may sign. */
  | { readonly _tag: "open"; readonly waited?: Waited }
  /** These records came from elsewhere, and `next` is to begin. */
  | { readonly _tag: "moved"; readonly line: Line | undefined; readonly next: Line }
  /** The key store does not know the line yet, so signers of an earlier one are not fenced. */
  | { readonly _tag: "unkept"; readonly line: Line }
  /** It does, and the records do not say yet that it does, or which key store that is. */
  | { readonly _tag: "unnamed"; readonly line: Line; readonly next: Line }
  /** The key store of these records is not there, so nobody can tell whether they were replaced. */
  | { readonly _tag: "missing"; readonly line: Line }
  /** The key store cannot be read. */
  | { readonly _tag: "silent"; readonly detail: string }
  /** They may lack payments that were made. */
  | { readonly _tag: "held"; readonly line: Line }
  /** Other records have taken their place. */
  | { readonly _tag: "fenced"; readonly line: Line }

/** The highest line in the key store, and the server that has taken it. */
export interface Kept {
  readonly number: number
  readonly server: string
}

/** What stands in the key store. */
export interface KeyStore {
  /** Whether all processes have the same one. */
  readonly isShared: boolean
  /** Undefined while nothing was ever kept there. */
  readonly id: string | undefined
  readonly kept: Kept | undefined
}

const open: Standing = { _tag: "open" }

/** Judges the line of the records by the highest one in the key store and the server as it is now. */
export const standingOf = (
  {
    keyStore: { id, isShared, kept },
    line,
    server
  }: {
    readonly keyStore: KeyStore
    readonly line: Line | undefined
    readonly server: string
  },
  now: string
): Standing => {
  const named = line?.keyStore ?? null
  // An empty folder in its place knows no higher line, whatever was begun meanwhile.
  if (line !== undefined && named !== null && named !== id) return { _tag: "missing", line }
  // Two that were promoted at once want the same number, and the key store gives it to one.
  const isTaken = kept !== undefined && kept.number === line?.number && kept.server !== server
  if (line === undefined || line.server !== server || isTaken) {
    const before = Math.max(kept?.number ?? 0, line?.number ?? 0)
    const held = before === 0 ? null : begun
    const next = { number: before + 1, server, begunAt: now, keyStore: named, held }
    return { _tag: "moved", line, next }
  }
  const isAnonymous = isShared && id === undefined
  if (kept === undefined || kept.number < line.number || isAnonymous)
    return { _tag: "unkept", line }
  if (kept.number > line.number) return { _tag: "fenced", line }
  const isNamed = !isShared || named !== null
  if (!isNamed || line.isKept !== true) {
    const keyStore = isNamed ? named : (id ?? null)
    return { _tag: "unnamed", line, next: { ...line, keyStore, isKept: true } }
  }
  if (line.held !== null) return { _tag: "held", line }
  const { through } = line
  return through === undefined ? open : { _tag: "open", waited: { line, through } }
}

/** Whether the wait of the line knew nothing of a chain, and nobody has read it since. */
export const isUnread = (standing: Standing, chainId: string): boolean =>
  standing._tag === "open" &&
  standing.waited !== undefined &&
  standing.waited.through[chainId] === undefined

/** A chain that is connected and was not read since the line began, so that no wallet signs there. */
export const UnreadChain = Schema.Struct({ chainId: Schema.String, since: Schema.String })
export type UnreadChain = typeof UnreadChain.Type

/** The chains on which a line that sends lets no wallet sign yet, since the time when each was connected. */
export const unreadOf = (line: Line | undefined): ReadonlyArray<UnreadChain> =>
  Object.entries(line?.connectedAt ?? {}).map(([chainId, since]) => ({ chainId, since }))

/** Where the records do not outlive their process there is one line, and it is always open. */
export const Timeline = Context.Reference<{
  /** Asks the records, the server they are on and then the key store, each anew. */
  readonly look: Effect.Effect<Standing>
  /** Puts a line in the place of another in records on the server it names; false when either is another by now. */
  readonly write: (from: Line | undefined, to: Line) => Effect.Effect<boolean>
  /** Takes the line's number in the key store, which fences every lower one; nothing happens when it is taken. */
  readonly keep: (line: Kept) => Effect.Effect<void>
}>("bursar/timeline/Timeline", {
  defaultValue: () => ({
    look: Effect.succeed(open),
    write: () => Effect.succeed(false),
    keep: () => Effect.void
  })
})
