/**
 * Makes records whole that came from a standby or a backup: fences the signers of the line before, waits until what
 * they signed has run out at finality, and charges what the chains have and the records do not explain. Meanwhile
 * nothing is sent; everything else goes on.
 */
import { Clock, DateTime, Duration, Effect, Record, Ref } from "effect"
import { PollInterval, supervise } from "../background/loop.ts"
import { type Block, Chains, type ChainUnavailable, type Connected } from "../ports/chains.ts"
import { Ids } from "../ports/ids.ts"
import { alsoWaiting } from "../timeline/sending.ts"
import { type Held, type Mark, Timeline } from "../timeline/timeline.ts"
import {
  endedBy,
  isPastAll,
  isSilent,
  newProgress,
  type Progress,
  partFor,
  readChain,
  secondsOf
} from "./chain-steps.ts"
import { readLate } from "./read-late.ts"
import { type HeldLine, leave, leftAloneMs } from "./reading-lease.ts"

/** Takes the time of a chain: the later of the clock and of its own. Nobody signs for the line before from then on. */
const takeTime = Effect.fnUntraced(function* ({ held, line }: HeldLine, { chain }: Connected) {
  if (held.since[chain.id] !== undefined) return undefined
  const { timestamp } = yield* (yield* Chains).tip(chain.id)
  const now = Math.ceil((yield* Clock.currentTimeMillis) / 1000)
  const since = { ...held.since, [chain.id]: Math.max(now, secondsOf(timestamp)) }
  yield* (yield* Timeline).write(line, { ...line, held: { ...held, since } })
  return 0
})

/** What is held, with the mark of a chain, or without one that was dropped. */
const withMark = (held: Held, chainId: string, block: Block | undefined): Held => {
  const others = Record.filter(held.marks ?? {}, (_, id) => id !== chainId)
  if (block === undefined) return { ...held, marks: others }
  const { hash, number, timestamp } = block
  const mark = { number, hash, unixSeconds: secondsOf(timestamp) }
  return { ...held, marks: { ...others, [chainId]: mark } }
}

const blockOf = ({ hash, number, unixSeconds }: Mark): Block => ({
  ...{ number, hash },
  timestamp: DateTime.makeUnsafe(unixSeconds * 1000)
})

/** Writes down by which block the wait of a chain has ended, once there is one; before that, the block it is to end by. */
const endWait = Effect.fnUntraced(function* (
  { held, line }: HeldLine,
  { chain }: Connected,
  { marks }: Progress
) {
  const since = held.since[chain.id]
  if (since === undefined || held.read[chain.id] !== undefined) return undefined
  const { write } = yield* Timeline
  const kept = held.marks?.[chain.id]
  // All processes wait for the one that was first written down, and whoever is started later goes on with it.
  if (kept !== undefined)
    yield* Ref.update(marks, (all) => new Map(all).set(chain.id, blockOf(kept)))
  const block = yield* endedBy(chain.id, since, marks)
  if (block !== undefined) {
    const through = { number: block.number, hash: block.hash }
    const read = { ...held.read, [chain.id]: { through, after: null, isDone: false } }
    yield* write(line, { ...line, held: { ...held, read } })
    return 0
  }
  const known = (yield* Ref.get(marks)).get(chain.id)
  // One of an earlier wait says nothing of this one.
  const mark = known !== undefined && isPastAll(known, since) ? known : undefined
  if (mark?.hash === kept?.hash) return undefined
  yield* write(line, { ...line, held: withMark(held, chain.id, mark) })
  return 0
})

/** Lets sending go on, once all was read and charged; a chain that was not read to its end stays unread in the line. */
const release = Effect.fnUntraced(function* ({ held, line }: HeldLine) {
  const through = Record.map(
    Record.filter(held.read, ({ isDone }) => isDone),
    (reading) => reading.through
  )
  const fenced = line.fenced ?? Math.max(0, ...Object.values(held.since))
  // Another process may be first.
  if (!(yield* (yield* Timeline).write(line, { ...line, through, fenced, held: null }))) return
  const charged = `${held.charged} payment(s) that the records did not explain were charged to the caps of their day.`
  const unread = Object.keys(held.read).filter((chainId) => through[chainId] === undefined)
  if (unread.length > 0) {
    yield* Effect.logWarning(
      `Line ${line.number} of the records does not wait for ${unread.join(", ")} any more, as no process reads it; it is read once one is connected to it.`
    )
  }
  const minutes = Duration.toMinutes(
    DateTime.distance(DateTime.makeUnsafe(line.begunAt), yield* DateTime.now)
  )
  yield* Effect.logWarning(
    `Line ${line.number} of the records sends again after ${minutes.toFixed(1)} minutes without sending; ${charged}`
  )
})

/** How long another process is left alone with a chain that it reads and this one is not connected to. */
const leftWithOthersMs = Effect.fnUntraced(function* ({ held }: HeldLine, readerId: string) {
  const isAllRead = Object.values(held.read).every(({ isDone }) => isDone)
  return isAllRead ? 0 : leftAloneMs(held, readerId, yield* Clock.currentTimeMillis)
})

/**
 * One step of a wait: chains are asked for their time, waited for, and read, each for itself. One that does not answer
 * keeps no other from it.
 */
const waitOn = Effect.fnUntraced(function* (held: HeldLine, progress: Progress) {
  const { connected } = yield* Chains
  const isLast = yield* isSilent(progress)
  let failure: ChainUnavailable | undefined
  for (const chains of [connected.filter((each) => !isLast(each)), connected.filter(isLast)]) {
    for (const part of [takeTime, endWait, readChain]) {
      const done = yield* partFor(part, held, chains, progress)
      failure ??= done.failure
      if (done.nextMs === undefined) continue
      if (failure !== undefined) {
        yield* Effect.logWarning(`Catching up with the other chains goes on: ${failure.message}`)
      }
      return done.nextMs
    }
  }
  if (failure !== undefined) return yield* failure
  const isWhole = connected.every(({ chain }) => held.held.read[chain.id]?.isDone === true)
  if (!isWhole) return Duration.toMillis(yield* PollInterval)
  const othersMs = yield* leftWithOthersMs(held, progress.readerId)
  if (othersMs > 0) return Math.min(othersMs, 5000)
  yield* release(held)
  return 0
})

/** One step towards sending again; how long until the next. */
export const catchUpOnce = Effect.fnUntraced(function* (progress: Progress) {
  const { keep, look, write } = yield* Timeline
  const pauseMs = Duration.toMillis(yield* PollInterval)
  const standing = yield* look
  switch (standing._tag) {
    case "open":
      return standing.waited === undefined ? pauseMs : yield* readLate(standing.waited, progress)
    case "fenced":
      yield* Effect.logError(
        `Line ${standing.line.number} of the records was replaced by a later one; nothing is sent from here.`
      )
      return 60_000
    case "missing":
      yield* Effect.logError(
        `The key store in which line ${standing.line.number} of the records was kept is not there, so nothing is sent: is the folder of BURSAR_TIMELINE_DIR mounted? If it is lost, end all processes on other servers and run bursar hold-sending --new-key-store. ${alsoWaiting}`
      )
      return 60_000
    case "silent":
      yield* Effect.logError(
        `The key store cannot be read, so nothing is sent: ${standing.detail} ${alsoWaiting}`
      )
      return 10_000
    case "unnamed":
      yield* write(standing.line, standing.next)
      return 0
    case "moved": {
      const { line, next } = standing
      if (next.held !== null) {
        yield* Effect.logWarning(
          `The records came from a standby or a backup. Line ${next.number} begins, and nothing is sent until the chains were read.`
        )
      }
      yield* write(line, next)
      return 0
    }
    case "unkept":
      yield* keep(standing.line)
      return 0
    case "held": {
      const { line } = standing
      if (line.held === null) return 0
      if (line.through === undefined) return yield* waitOn({ line, held: line.held }, progress)
      // An earlier version held all chains for one that was late; that one stays unread and is read by itself.
      yield* write(line, { ...line, held: null })
      return 0
    }
  }
})

/** A process that ends waits no longer to leave its reading to others. */
const longestLeavingMs = 2000

/** Watches which line the records are on, for as long as the process runs. */
export const catchUp = Effect.gen(function* () {
  const progress = yield* newProgress(yield* (yield* Ids).uuid)
  const turn = Effect.flatMap(catchUpOnce(progress), (ms) => Effect.sleep(ms))
  // The records may be away, and the process is not to hang on them.
  const leaving = Effect.ignoreCause(
    Effect.timeout(Effect.interruptible(leave(progress.readerId)), longestLeavingMs)
  )
  return yield* Effect.onInterrupt(supervise("Catching up with the chains", turn), () => leaving)
})
