/**
 * Takes the rent of old marks back: of payments that the records call final, whose marks final blocks made before the
 * horizon. Nothing of it is written down, as each mark itself says whether it still stands; so it may stop anywhere.
 */
import { Clock, Data, DateTime, Effect } from "effect"
import { record } from "../policy/lay-out.ts"
import type { Reclaim } from "../submissions/reclaim.ts"
import type { Submission } from "../submissions/submission.ts"
import type { KnownPayment } from "../submissions/submitter.ts"
import type { Attempt } from "./journal.ts"
import { MarkRent, type StandingMark } from "./mark-rent.ts"
import { feeOf } from "./outlay.ts"
import { type Conditions, SolanaRelay } from "./relay.ts"

/** As many marks of a wallet as fit into a transaction. */
const marksInOne = 12
/** As many transactions as are handed over before they are waited for. */
const transactionsAtOnce = 20
const asksAtOnce = 8
const lookMs = 1_000
/** Longer than a transaction can come into a block. */
const patienceMs = 150_000

/** Payments read at once. */
export const pageSize = 1_000

/** Marks of one wallet that one transaction takes back. */
export interface Batch {
  readonly reclaim: Reclaim
  readonly marks: ReadonlyArray<StandingMark>
}

export interface Tally {
  readonly reclaimed: number
  /** In the smallest unit of the coin. */
  readonly units: bigint
  /** Made after the horizon, whatever the records say. */
  readonly young: number
  /** The node does not show the final block that made them. */
  readonly unproven: number
  /** Handed over, and not taken by a block. */
  readonly untaken: number
}

const nothing: Tally = { reclaimed: 0, units: 0n, young: 0, unproven: 0, untaken: 0 }

/** Why it cannot go on, and what to do. */
export class ReclaimStopped extends Data.TaggedError("ReclaimStopped")<{
  readonly message: string
}> {}

/** The records, read and signed for in transactions of their own, which end before a chain is asked anything. */
export interface Reclaimer<E, R, S = R> {
  readonly page: (after: Submission | undefined) => Effect.Effect<ReadonlyArray<Submission>, E, R>
  readonly sign: (
    batches: ReadonlyArray<Batch>,
    conditions: Conditions
  ) => Effect.Effect<ReadonlyArray<Pick<Attempt, "wire">>, E, S>
}

const chunks = <A>(all: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) =>
    all.slice(at * size, (at + 1) * size)
  )

const paymentOf = ({ chainId, terms: { from, identity } }: Submission): KnownPayment => ({
  chainId,
  from,
  identity
})

const bidOf = ({ marks }: Batch, { priority }: Pick<Conditions, "priority">) => ({
  priority,
  units: 1_000 + 500 * marks.length
})

const batchesOf = (
  page: ReadonlyArray<Submission>,
  marks: ReadonlyArray<StandingMark>
): ReadonlyArray<Batch> =>
  [...Map.groupBy(marks, ({ from }) => from)].flatMap(([from, ofWallet]) => {
    const paid = page.find(({ terms }) => terms.from === from)
    const wallet = paid?.terms.wallet
    const accountId = paid?.purpose.accountId
    if (paid === undefined || !wallet || !accountId) return []
    const { chainId } = paid
    return chunks(ofWallet, marksInOne).map((some) => ({
      reclaim: {
        ...{ accountId, chainId, from, walletId: wallet.id, key: wallet.key },
        identities: some.map(({ identity }) => identity)
      },
      marks: some
    }))
  })

/** Signs each as its wallet and as the relayer, whose fees are counted as laid out for nobody. */
export const signAll = (batches: ReadonlyArray<Batch>, conditions: Conditions) =>
  Effect.forEach(
    batches,
    Effect.fnUntraced(function* (batch) {
      const { sign } = yield* MarkRent
      const { marks, reclaim } = batch
      const bid = bidOf(batch, conditions)
      const signed = yield* sign(reclaim, marks, bid, conditions)
      const key = `reclaim ${signed.txId}`
      yield* record({ key, chainId: reclaim.chainId, accountId: null, units: feeOf(bid) })
      return signed
    })
  )

const requireCoins = Effect.fnUntraced(function* (
  chainId: string,
  batches: ReadonlyArray<Batch>,
  conditions: Conditions
) {
  const { maxPriority, priority, relayerLamports } = conditions
  if (priority > maxPriority) {
    return yield* new ReclaimStopped({
      message: `The network asks a priority fee of ${priority} micro-lamports on ${chainId}, more than the limit of ${maxPriority}. Run it again when it asks less.`
    })
  }
  const fees = batches.reduce((sum, batch) => sum + feeOf(bidOf(batch, conditions)), 0n)
  if (relayerLamports > fees) return
  const relayer = yield* (yield* SolanaRelay).relayerAddress(chainId)
  return yield* new ReclaimStopped({
    message: `The relayer ${relayer} has too little SOL on ${chainId} for the fees of taking marks back. Fund it, then run it again.`
  })
})

const handOver = Effect.fnUntraced(function* (
  chainId: string,
  batches: ReadonlyArray<Batch>,
  signed: ReadonlyArray<Pick<Attempt, "wire">>
) {
  const { broadcast } = yield* SolanaRelay
  const { standing } = yield* MarkRent
  const deadline = (yield* Clock.currentTimeMillis) + patienceMs
  const all = batches.flatMap(({ marks }) => marks)
  for (;;) {
    const left = yield* standing(chainId, all)
    const isOver = left.length === 0 || (yield* Clock.currentTimeMillis) >= deadline
    if (isOver) return left
    const isLeft = new Set(left.map(({ identity }) => identity))
    for (const [index, { marks }] of batches.entries()) {
      const wire = marks.some(({ identity }) => isLeft.has(identity)) && signed[index]?.wire
      // What a node says to it means nothing; the marks are looked at.
      if (wire) yield* Effect.ignore(broadcast(chainId, wire))
    }
    yield* Effect.sleep(lookMs)
  }
})

const added = (
  tally: Tally,
  batches: ReadonlyArray<Batch>,
  left: ReadonlyArray<StandingMark>
): Tally => {
  const stands = new Set(left.map(({ identity }) => identity))
  const gone = batches.flatMap(({ marks }) => marks).filter(({ identity }) => !stands.has(identity))
  return {
    ...tally,
    reclaimed: tally.reclaimed + gone.length,
    units: gone.reduce((sum, { lamports }) => sum + lamports, tally.units),
    untaken: tally.untaken + stands.size
  }
}

/** Those of a page whose marks stand and are old enough, and how many are not. */
const oldAmong = Effect.fnUntraced(function* (
  chainId: string,
  page: ReadonlyArray<Submission>,
  before: DateTime.Utc
) {
  const rent = yield* MarkRent
  const standing = yield* rent.standing(chainId, page.map(paymentOf))
  const times = yield* Effect.forEach(standing, rent.madeAt, { concurrency: asksAtOnce })
  const isOld = (time: DateTime.Utc | null | undefined) => time && DateTime.isLessThan(time, before)
  return {
    old: standing.filter((_, at) => isOld(times[at])),
    young: times.filter((time) => time !== null && !isOld(time)).length,
    unproven: times.filter((time) => time === null).length
  }
})

/** Takes back every mark of a chain that may be, and says how far it has come after each step. */
export const reclaim = <E, R, S, T>(
  chainId: string,
  before: DateTime.Utc,
  reclaimer: Reclaimer<E, R, S>,
  say: (tally: Tally) => Effect.Effect<void, never, T>
) =>
  Effect.gen(function* () {
    let tally = nothing
    let page = yield* reclaimer.page(undefined)
    while (page.length > 0) {
      const { old, unproven, young } = yield* oldAmong(chainId, page, before)
      tally = { ...tally, young: tally.young + young, unproven: tally.unproven + unproven }
      for (const batches of chunks(batchesOf(page, old), transactionsAtOnce)) {
        const conditions = yield* (yield* SolanaRelay).conditions(chainId)
        yield* requireCoins(chainId, batches, conditions)
        const signed = yield* reclaimer.sign(batches, conditions)
        tally = added(tally, batches, yield* handOver(chainId, batches, signed))
        yield* say(tally)
      }
      page = yield* reclaimer.page(page.at(-1))
    }
    return tally
  })
