/**
 * Which process reads the chains for a line that is held. The lease only saves the others the same work: what a process
 * has read is kept whoever has the lease by then, unless somebody came as far before.
 */
import { Clock, DateTime, Effect, Ref } from "effect"
import { logFailure } from "../background/outage.ts"
import { type Held, type Line, type Standing, Timeline } from "../timeline/timeline.ts"

/** How long the others leave alone what one process reads, unless it renews that. */
const leaseMs = 120_000

const renewalMs = 30_000

/** How often a line is written once more, as another process has just written it. */
const maxWrites = 10

/** A line that is held, as a process knows it. */
export interface HeldLine {
  readonly line: Line
  readonly held: Held
  /** The chain that is held alone, where the others send. */
  readonly late?: string
}

/** The line with what is held as it is by now. */
export const lineWith = ({ late, line }: HeldLine, held: Held): Line =>
  late === undefined ? { ...line, held } : { ...line, late: { ...line.late, [late]: held } }

/** What a standing holds, of a late chain or of all. */
const heldIn = (standing: Standing, late: string | undefined): HeldLine | undefined => {
  if (late === undefined) {
    if (standing._tag !== "held" || standing.line.held === null) return undefined
    return { line: standing.line, held: standing.line.held }
  }
  const line = standing._tag === "open" ? standing.waited?.line : undefined
  const held = line?.late?.[late]
  return line === undefined || held === undefined ? undefined : { line, held, late }
}

/** How long another process is to be left alone. */
export const leftAloneMs = ({ reader }: Held, readerId: string, nowMs: number) =>
  reader === null || reader.id === readerId ? 0 : Math.max(0, Date.parse(reader.until) - nowMs)

/** Whether this process may read. */
export const isReadBy = ({ reader }: Held, readerId: string, nowMs: number) =>
  reader?.id === readerId && Date.parse(reader.until) > nowMs

/** With this process as the one that reads, from now on. */
export const withReader = (held: Held, readerId: string, nowMs: number): Held => ({
  ...held,
  reader: { id: readerId, until: DateTime.formatIso(DateTime.makeUnsafe(nowMs + leaseMs)) }
})

/** With the lease renewed if this process has it; another's stays as it is. */
export const withRenewal = (held: Held, readerId: string, nowMs: number): Held =>
  held.reader?.id === readerId ? withReader(held, readerId, nowMs) : held

/** Writes that this process reads; nothing happens when another was first. */
export const take = Effect.fnUntraced(function* (from: HeldLine, readerId: string) {
  const held = withReader(from.held, readerId, yield* Clock.currentTimeMillis)
  yield* (yield* Timeline).write(from.line, lineWith(from, held))
})

/** The line of the records by now, if it is still the same one and held. */
const standingNow = Effect.fnUntraced(function* ({ late, line: { number, server } }: HeldLine) {
  const now = heldIn(yield* (yield* Timeline).look, late)
  return now?.line.number === number && now.line.server === server ? now : undefined
})

/**
 * Changes the line although others change it too. False, and nothing changed, when it is another line by now or `next`
 * has no change for what it has become.
 */
export const change = Effect.fnUntraced(function* <R>(
  known: Ref.Ref<HeldLine>,
  next: (held: Held, nowMs: number) => Held | undefined,
  write: (from: Line, to: Line) => Effect.Effect<boolean, never, R>
) {
  for (let count = 0; count < maxWrites; count++) {
    const from = yield* Ref.get(known)
    const held = next(from.held, yield* Clock.currentTimeMillis)
    if (held === undefined) return false
    const line = lineWith(from, held)
    const isWritten = yield* write(from.line, line)
    const now = isWritten ? { ...from, line, held } : yield* standingNow(from)
    if (now === undefined) return false
    yield* Ref.set(known, now)
    if (isWritten) return true
  }
  return false
})

/** Leaves the reading to whoever comes next, if this process has the lease. */
export const giveUp = Effect.fnUntraced(function* (from: HeldLine, readerId: string) {
  const { write } = yield* Timeline
  const ours = (held: Held) =>
    held.reader?.id === readerId ? { ...held, reader: null } : undefined
  yield* change(yield* Ref.make(from), ours, write)
})

/** Leaves to others all that a process reads, as it ends: whoever is started in its place waits for nobody. */
export const leave = Effect.fnUntraced(function* (readerId: string) {
  const standing = yield* (yield* Timeline).look
  const late = standing._tag === "open" ? Object.keys(standing.waited?.line.late ?? {}) : []
  for (const each of [undefined, ...late]) {
    const held = heldIn(standing, each)
    if (held !== undefined) yield* giveUp(held, readerId)
  }
})

/** Renews the lease for as long as this process has it, and never ends by itself. */
export const keepRenewed = Effect.fnUntraced(function* (
  known: Ref.Ref<HeldLine>,
  readerId: string
) {
  const { write } = yield* Timeline
  const isOurs = (held: Held) => held.reader?.id === readerId
  const renew = change(
    known,
    (held, nowMs) => (isOurs(held) ? withReader(held, readerId, nowMs) : undefined),
    write
  ).pipe(
    // The records may be away for a moment; what is read meanwhile is not lost.
    Effect.catchCause((cause) =>
      Effect.as(logFailure("The lease of what reads the chains was not renewed", cause), true)
    )
  )
  let isKept = true
  while (isKept) {
    yield* Effect.sleep(renewalMs)
    isKept = yield* renew
  }
  return yield* Effect.never
})
