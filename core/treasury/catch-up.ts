/**
 * Makes records whole that came from a standby or a backup: fences the signers of the line before, waits until what
 * they signed has run out at finality, and charges what the chains have and the records do not explain. Meanwhile
 * nothing is sent; everything else goes on.
 */
import { Clock, DateTime, Duration, Effect, Record, Ref, Result } from "effect"
import { PollInterval, supervise } from "../background/loop.ts"
import { validForSeconds as evmSeconds } from "../evm/look.ts"
import { type Block, Chains, type ChainUnavailable, type Connected } from "../ports/chains.ts"
import { Ids } from "../ports/ids.ts"
import { validForSeconds as solanaSeconds } from "../solana/prepare.ts"
import { orderMinutes } from "../swaps/sign-order.ts"
import { alsoWaiting } from "../timeline/sending.ts"
import { begun, Timeline, type Waited } from "../timeline/timeline.ts"
import { readOn } from "./charge-unexplained.ts"
import { type HeldLine, leftAloneMs, withReader } from "./reading-lease.ts"

/** How far the clocks of nodes and of processes may lie apart. */
const clocksDifferSeconds = 60

/** How long anything that a wallet signs can be carried out, at most. */
export const longestSeconds =
  Math.max(evmSeconds, solanaSeconds, orderMinutes * 60) + clocksDifferSeconds

const without = <A>(all: ReadonlyMap<string, A>, id: string): ReadonlyMap<string, A> =>
  all.has(id) ? new Map([...all].filter(([each]) => each !== id)) : all

const secondsOf = (at: DateTime.Utc) => Math.ceil(DateTime.toEpochMillis(at) / 1000)

/** By chain: a block that is later than all that was signed before, and waits to be finalized. */
export type Marks = ReadonlyMap<string, Block>

/** What a process keeps of its steps: none of it is needed after its end. */
export interface Progress {
  readonly marks: Ref.Ref<Marks>
  /** By what the process is known to the others while it reads. */
  readonly readerId: string
  /** By chain that did not answer when it was last asked: when that was. */
  readonly unanswered: Ref.Ref<ReadonlyMap<string, number>>
  /** By chain that is late and does not answer: when the log last said so. */
  readonly warnedAt: Ref.Ref<ReadonlyMap<string, number>>
}

/** What a process that has just started keeps. */
export const newProgress = (readerId: string): Effect.Effect<Progress> =>
  Effect.gen(function* () {
    const marks = yield* Ref.make<Marks>(new Map())
    const unanswered = yield* Ref.make<ReadonlyMap<string, number>>(new Map())
    const warnedAt = yield* Ref.make<ReadonlyMap<string, number>>(new Map())
    return { marks, readerId, unanswered, warnedAt }
  })

/** How long a chain that did not answer is asked after all others. */
const unansweredMs = 30_000

/** How often the log says that a late chain does not answer. */
const warnAgainMs = 600_000

/** The final block by which what earlier signers signed for a chain has run out; undefined until there is one. */
const endedBy = Effect.fnUntraced(function* (
  chainId: string,
  since: number,
  marks: Ref.Ref<Marks>
) {
  const chains = yield* Chains
  const isLater = (block: Block) => secondsOf(block.timestamp) >= since + longestSeconds
  const known = (yield* Ref.get(marks)).get(chainId)
  // One of an earlier wait says nothing of this one.
  const block = known !== undefined && isLater(known) ? known : yield* chains.newestFinal(chainId)
  if (!isLater(block)) return undefined
  const finality = yield* chains.finality(chainId, block)
  yield* Ref.update(marks, (all) => {
    const next = new Map(all)
    if (finality === "dropped") next.delete(chainId)
    else next.set(chainId, block)
    return next
  })
  return finality === "finalized" ? block : undefined
})

/** Takes the time of a chain: the later of the clock and of its own. Nobody signs for the line before from then on. */
const takeTime = Effect.fnUntraced(function* ({ held, line }: HeldLine, { chain }: Connected) {
  if (held.since[chain.id] !== undefined) return undefined
  const { timestamp } = yield* (yield* Chains).tip(chain.id)
  const now = Math.ceil((yield* Clock.currentTimeMillis) / 1000)
  const since = { ...held.since, [chain.id]: Math.max(now, secondsOf(timestamp)) }
  yield* (yield* Timeline).write(line, { ...line, held: { ...held, since } })
  return 0
})

/** Writes down by which block the wait of a chain has ended, once there is one. */
const endWait = Effect.fnUntraced(function* (
  { held, line }: HeldLine,
  { chain }: Connected,
  { marks }: Progress
) {
  const since = held.since[chain.id]
  if (since === undefined || held.read[chain.id] !== undefined) return undefined
  const block = yield* endedBy(chain.id, since, marks)
  if (block === undefined) return undefined
  const through = { number: block.number, hash: block.hash }
  const read = { ...held.read, [chain.id]: { through, after: null, isDone: false } }
  yield* (yield* Timeline).write(line, { ...line, held: { ...held, read } })
  return 0
})

/** Reads a page of a chain whose wait has ended. */
const readChain = Effect.fnUntraced(function* (
  held: HeldLine,
  connected: Connected,
  { readerId, unanswered }: Progress
) {
  const { id } = connected.chain
  const reading = held.held.read[id]
  if (reading === undefined || reading.isDone) return undefined
  const renews = !(yield* Ref.get(unanswered)).has(id)
  return yield* readOn(held, reading, connected, { readerId, renews })
})

type Part = (
  held: HeldLine,
  connected: Connected,
  progress: Progress
) => Effect.Effect<
  number | undefined,
  ChainUnavailable,
  Effect.Services<ReturnType<typeof takeTime | typeof endWait | typeof readChain>>
>

/** Does a part for the first chain that has something to do; the chains that do not answer are passed over. */
const partFor = Effect.fnUntraced(function* (
  part: Part,
  held: HeldLine,
  chains: ReadonlyArray<Connected>,
  progress: Progress
) {
  let failure: ChainUnavailable | undefined
  for (const connected of chains) {
    const { id } = connected.chain
    const nowMs = yield* Clock.currentTimeMillis
    const done = yield* Effect.result(part(held, connected, progress))
    if (Result.isFailure(done)) {
      failure ??= done.failure
      yield* Ref.update(progress.unanswered, (all) => new Map(all).set(id, nowMs))
    } else if (done.success !== undefined) {
      yield* Ref.update(progress.unanswered, (all) => without(all, id))
      return { failure, nextMs: done.success }
    }
  }
  return { failure, nextMs: undefined }
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
  if (line.through !== undefined) {
    const late = Object.keys(through).filter((chainId) => line.through?.[chainId] === undefined)
    const why =
      late.length === 0 ? "though nothing more was read" : `as ${late.join(", ")} was read`
    return yield* Effect.logWarning(
      `Line ${line.number} of the records sends again, ${why}; ${charged}`
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
 * Holds an open line once more for a chain that was not connected while it waited, as its wallets may have paid there in
 * the moments that were lost. It begins when all that was signed before has run out there too, so it is over soon, and a
 * chain that does not answer keeps nobody waiting.
 */
const holdAgain = Effect.fnUntraced(function* (
  { line, through }: Waited,
  { chain: { id } }: Connected,
  { marks, readerId }: Progress
) {
  const { write } = yield* Timeline
  const { fenced } = line
  if (fenced === undefined) {
    const now = Math.ceil((yield* Clock.currentTimeMillis) / 1000)
    yield* write(line, { ...line, fenced: now })
    return true
  }
  const block = yield* endedBy(id, fenced, marks)
  if (block === undefined) return false
  const done = Record.map(through, (each) => ({ through: each, after: null, isDone: true }))
  const reading = {
    through: { number: block.number, hash: block.hash },
    after: null,
    isDone: false
  }
  const read = { ...done, [id]: reading }
  const nowMs = yield* Clock.currentTimeMillis
  // With its lease from the start: a process that is not connected there would release the line at once.
  const held = withReader(
    { ...begun, since: Record.map(read, () => fenced), read },
    readerId,
    nowMs
  )
  if (yield* write(line, { ...line, held })) {
    yield* Effect.logWarning(
      `Line ${line.number} of the records began while ${id} was not connected; nothing is sent until that chain was read.`
    )
  }
  return true
})

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

/** Begins to read one of the chains that the wait of the line knew nothing of; how long until the next step. */
const readLate = Effect.fnUntraced(function* (waited: Waited, progress: Progress) {
  const { connected } = yield* Chains
  for (const each of connected) {
    if (waited.through[each.chain.id] !== undefined) continue
    const begins = yield* Effect.result(holdAgain(waited, each, progress))
    if (Result.isFailure(begins)) yield* warnOfSilence(begins.failure, progress)
    else if (begins.success) return 0
  }
  return Duration.toMillis(yield* PollInterval)
})

/**
 * One step of a wait: chains are asked for their time, waited for, and read, each for itself. One that does not answer
 * keeps no other from it. A line that is held again waits for what it is held for alone.
 */
const waitOn = Effect.fnUntraced(function* (held: HeldLine, progress: Progress) {
  const isFirst = held.line.through === undefined
  const connected = (yield* Chains).connected.filter(
    ({ chain }) => isFirst || held.held.read[chain.id] !== undefined
  )
  const nowMs = yield* Clock.currentTimeMillis
  const unanswered = yield* Ref.get(progress.unanswered)
  const isLate = ({ chain }: Connected) =>
    nowMs - (unanswered.get(chain.id) ?? Number.NEGATIVE_INFINITY) < unansweredMs
  let failure: ChainUnavailable | undefined
  for (const chains of [connected.filter((each) => !isLate(each)), connected.filter(isLate)]) {
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
      return line.held === null ? 0 : yield* waitOn({ line, held: line.held }, progress)
    }
  }
})

/** Watches which line the records are on, for as long as the process runs. */
export const catchUp = Effect.gen(function* () {
  const progress = yield* newProgress(yield* (yield* Ids).uuid)
  const turn = Effect.flatMap(catchUpOnce(progress), (ms) => Effect.sleep(ms))
  return yield* supervise("Catching up with the chains", turn)
})
