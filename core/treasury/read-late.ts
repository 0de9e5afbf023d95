/**
 * Reads the chains that the wait of a line knew nothing of, as they were not connected then, while all others go on: on
 * such a chain no wallet signs before it was read to its end, however long its nodes keep its history back.
 */
import { Clock, DateTime, Duration, Effect, Record, Ref } from "effect"
import { PollInterval } from "../background/loop.ts"
import { Chains, type ChainUnavailable, type Connected } from "../ports/chains.ts"
import { begun, type Line, Timeline, type Waited } from "../timeline/timeline.ts"
import { endedBy, isSilent, type Progress, partFor, readChain } from "./chain-steps.ts"
import { giveUp, type HeldLine } from "./reading-lease.ts"

/** How often the log says that a late chain cannot be read. */
const warnAgainMs = 600_000

/** Says now and then that a chain which is to be read does not answer. */
const warnOfSilence = Effect.fnUntraced(function* (
  { chainId, message }: ChainUnavailable,
  { warnedAt }: Progress
) {
  const nowMs = yield* Clock.currentTimeMillis
  const warnedMs = (yield* Ref.get(warnedAt)).get(chainId)
  if (warnedMs !== undefined && nowMs - warnedMs < warnAgainMs) return
  yield* Ref.update(warnedAt, (all) => new Map(all).set(chainId, nowMs))
  yield* Effect.logWarning(
    `${chainId} was not connected when the records were replaced by older ones, and cannot be read yet, so nothing is signed there: ${message}`
  )
})

/** Begins to read a chain once all that earlier signers signed has run out there too. */
const begin = Effect.fnUntraced(function* (
  { held, line }: HeldLine,
  { chain: { id } }: Connected,
  { marks }: Progress
) {
  const { fenced } = line
  if (fenced === undefined || held.read[id] !== undefined) return undefined
  const block = yield* endedBy(id, fenced, marks)
  if (block === undefined) return undefined
  const through = { number: block.number, hash: block.hash }
  const read = { [id]: { through, after: null, isDone: false } }
  const late = { ...line.late, [id]: { ...begun, since: { [id]: fenced }, read } }
  if (yield* (yield* Timeline).write(line, { ...line, late })) {
    yield* Effect.logWarning(
      `Line ${line.number} of the records began while ${id} was not connected. That chain is read now; nothing is signed there until it was.`
    )
  }
  return 0
})

const without = <A>(all: Readonly<Record<string, A>> | undefined, id: string) => {
  const left = Record.filter(all ?? {}, (_, each) => each !== id)
  return Object.keys(left).length === 0 ? undefined : left
}

/** The line with a chain that was read to its end. */
const withRead = (
  { connectedAt, late, ...line }: Line,
  id: string,
  through: Waited["through"]
): Line => {
  const stillLate = without(late, id)
  const stillUnread = without(connectedAt, id)
  return {
    ...line,
    through,
    ...(stillLate === undefined ? {} : { late: stillLate }),
    ...(stillUnread === undefined ? {} : { connectedAt: stillUnread })
  }
}

/** Lets wallets sign on a chain that was read to its end. */
const end = Effect.fnUntraced(function* ({ held, line }: HeldLine, { chain: { id } }: Connected) {
  const reading = held.read[id]
  if (reading?.isDone !== true) return undefined
  const to = withRead(line, id, { ...line.through, [id]: reading.through })
  if (yield* (yield* Timeline).write(line, to)) {
    yield* Effect.logWarning(
      `Line ${line.number} of the records sends on ${id} too, as that chain was read; ${held.charged} payment(s) that the records did not explain were charged to the caps of their day.`
    )
  }
  return 0
})

/** One step for a late chain; how long until the next. */
const stepOn = Effect.fnUntraced(function* (
  held: HeldLine,
  connected: Connected,
  progress: Progress
) {
  for (const part of [begin, readChain, end]) {
    const { failure, nextMs } = yield* partFor(part, held, [connected], progress)
    if (failure !== undefined) {
      yield* warnOfSilence(failure, progress)
      // Another process may have a node that tells more.
      yield* giveUp(held, progress.readerId)
      return 0
    }
    if (nextMs !== undefined) return nextMs
  }
  return undefined
})

/** One step for each late chain that this process is connected to; how long until the next. */
export const readLate = Effect.fnUntraced(function* (
  { line, through }: Waited,
  progress: Progress
) {
  const { write } = yield* Timeline
  const pauseMs = Duration.toMillis(yield* PollInterval)
  const { connected } = yield* Chains
  const late = connected.filter(({ chain }) => through[chain.id] === undefined)
  const nowMs = yield* Clock.currentTimeMillis
  const seen = late.filter(({ chain }) => line.connectedAt?.[chain.id] === undefined)
  if (late.length > 0 && (line.fenced === undefined || seen.length > 0)) {
    const now = DateTime.formatIso(yield* DateTime.now)
    const connectedAt = Object.fromEntries(seen.map(({ chain }) => [chain.id, now]))
    yield* write(line, {
      ...line,
      fenced: line.fenced ?? Math.ceil(nowMs / 1000),
      connectedAt: { ...line.connectedAt, ...connectedAt }
    })
    return 0
  }
  let nextMs = pauseMs
  const isLeft = yield* isSilent(progress)
  for (const each of late.filter((one) => !isLeft(one))) {
    const { id } = each.chain
    const held = { line, held: line.late?.[id] ?? begun, late: id }
    const stepMs = yield* stepOn(held, each, progress)
    // What was written is another line by now.
    if (stepMs === 0) return 0
    if (stepMs !== undefined) nextMs = Math.min(nextMs, stepMs)
  }
  return nextMs
})
