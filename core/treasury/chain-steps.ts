/**
 * What a process does for one chain on the way to a line that sends, and what it keeps meanwhile: a chain that does not
 * answer is asked after the others, and none of them waits for it.
 */
import { Clock, DateTime, Effect, Ref, Result } from "effect"
import { validForSeconds as evmSeconds } from "../evm/look.ts"
import { type Block, Chains, type ChainUnavailable, type Connected } from "../ports/chains.ts"
import { validForSeconds as solanaSeconds } from "../solana/prepare.ts"
import { orderMinutes } from "../swaps/sign-order.ts"
import { readOn } from "./charge-unexplained.ts"
import type { HeldLine } from "./reading-lease.ts"

/** How far the clocks of nodes and of processes may lie apart. */
const clocksDifferSeconds = 60

/** How long anything that a wallet signs can be carried out, at most. */
export const longestSeconds =
  Math.max(evmSeconds, solanaSeconds, orderMinutes * 60) + clocksDifferSeconds

const without = <A>(all: ReadonlyMap<string, A>, id: string): ReadonlyMap<string, A> =>
  all.has(id) ? new Map([...all].filter(([each]) => each !== id)) : all

export const secondsOf = (at: DateTime.Utc) => Math.ceil(DateTime.toEpochMillis(at) / 1000)

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

/** Which chains have just not answered. */
export const isSilent = Effect.fnUntraced(function* ({ unanswered }: Progress) {
  const nowMs = yield* Clock.currentTimeMillis
  const askedAt = yield* Ref.get(unanswered)
  return ({ chain }: Connected) =>
    nowMs - (askedAt.get(chain.id) ?? Number.NEGATIVE_INFINITY) < unansweredMs
})

/** Whether a block is later than all that was signed until a time, in Unix seconds. */
export const isPastAll = ({ timestamp }: Block, since: number) =>
  secondsOf(timestamp) >= since + longestSeconds

/** The final block by which what earlier signers signed for a chain has run out; undefined until there is one. */
export const endedBy = Effect.fnUntraced(function* (
  chainId: string,
  since: number,
  marks: Ref.Ref<Marks>
) {
  const chains = yield* Chains
  const known = (yield* Ref.get(marks)).get(chainId)
  // One of an earlier wait says nothing of this one.
  const block =
    known !== undefined && isPastAll(known, since) ? known : yield* chains.newestFinal(chainId)
  if (!isPastAll(block, since)) return undefined
  const finality = yield* chains.finality(chainId, block)
  yield* Ref.update(marks, (all) => {
    const next = new Map(all)
    if (finality === "dropped") next.delete(chainId)
    else next.set(chainId, block)
    return next
  })
  return finality === "finalized" ? block : undefined
})

/** Reads a page of a chain whose wait has ended. */
export const readChain = Effect.fnUntraced(function* (
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

/** What is done for one chain; how long until the next step, or undefined when there was nothing to do. */
type Part<R> = (
  held: HeldLine,
  connected: Connected,
  progress: Progress
) => Effect.Effect<number | undefined, ChainUnavailable, R>

/** Does a part for the first chain that has something to do; the chains that do not answer are passed over. */
export const partFor = Effect.fnUntraced(function* <R>(
  part: Part<R>,
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
