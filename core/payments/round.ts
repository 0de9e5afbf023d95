/**
 * Which vaults one look at a chain is at, where it tells of transfers by address: all of them where they are few, and
 * else those that money is expected on and a page of all, which goes round. Time passes only as far as it is known of
 * every vault, so that nothing expires before its vault was looked at.
 */
import { Context, DateTime, Effect } from "effect"
import { familyOf } from "../chains/address.ts"
import type { Block, ChainUpdate, Watched as Looked } from "../ports/chains.ts"
import { SettledBalances, type Watched } from "./settled-balance-store.ts"
import type { Cursor, Round } from "./transfer-store.ts"

/** How many vaults one look is at. */
export interface Extent {
  /** Of all, in their turn; a chain that has fewer is looked at whole. */
  readonly all: number
  /** Of those that money is expected on, in their turn. */
  readonly expecting: number
  /** Of those that were asked for last, in every look. */
  readonly newest: number
  /** Transfers that are followed until they are final. */
  readonly followed: number
}

export const LookExtent = Context.Reference<Extent>("bursar/payments/LookExtent", {
  defaultValue: () => ({ all: 2000, expecting: 700, newest: 300, followed: 2000 })
})

/** What a look is at, in the order in which their turns come. */
export interface Turns {
  readonly vaults: ReadonlyArray<Watched>
  /** From where the round is, to its end if `reachesEnd`. */
  readonly page: ReadonlyArray<Watched>
  readonly reachesEnd: boolean
  /** From the start of the next round. */
  readonly next: ReadonlyArray<Watched>
  /** Whether these are all vaults of the chain. */
  readonly isWhole: boolean
  readonly expecting: ReadonlyArray<{ readonly address: string; readonly place: number }>
  /** Whether these are the last of those that money is expected on. */
  readonly expectsNoMore: boolean
}

const atStart: Round = { after: null, since: null, expecting: 0 }

/** All vaults from where the round is, and then from the start, as many as one look is at. */
const pageFrom = Effect.fnUntraced(function* (chainId: string, after: string | null, max: number) {
  const settled = yield* SettledBalances
  const found = yield* settled.page(chainId, after, max + 1)
  const page = found.slice(0, max)
  const reachesEnd = found.length === page.length
  if (after === null) return { page, reachesEnd, next: [], isWhole: reachesEnd }
  const room = reachesEnd ? max - page.length : 0
  const first = room === 0 ? [] : yield* settled.page(chainId, null, room)
  const next = first.filter(({ vaultId }) => vaultId <= after)
  return { page, reachesEnd, next, isWhole: next.length < room }
})

/** Those that money is expected on: the newest, and a page of all; what is over is forgotten. */
const expectingFrom = Effect.fnUntraced(function* ({ chainId, finalTime, round }: Cursor) {
  const settled = yield* SettledBalances
  const { expecting: max, newest } = yield* LookExtent
  const [last, page] = yield* Effect.all(
    [
      settled.newlyExpecting(chainId, newest),
      settled.expecting(chainId, (round ?? atStart).expecting, max)
    ],
    { concurrency: "unbounded" }
  )
  const [from, to] = [page[0]?.place, page.at(-1)?.place]
  const isOver = page.some(({ until }) => DateTime.isLessThan(until, finalTime))
  if (isOver && from !== undefined && to !== undefined) {
    yield* settled.forget(chainId, { from, to }, finalTime)
  }
  return { last, page, expectsNoMore: page.length < max }
})

const once = (vaults: ReadonlyArray<Watched>): ReadonlyArray<Watched> => [
  ...new Map(vaults.map((vault) => [vault.vaultId, vault])).values()
]

/** Which vaults of a chain have their turn now, beside those that are looked at whatever their turn. */
export const turns = Effect.fnUntraced(function* (cursor: Cursor, always: ReadonlyArray<Watched>) {
  const { all } = yield* LookExtent
  const paged = yield* pageFrom(cursor.chainId, (cursor.round ?? atStart).after, all)
  const ofPage = [...always, ...paged.page, ...paged.next]
  if (paged.isWhole) {
    return {
      ...paged,
      vaults: once(ofPage),
      expecting: [],
      expectsNoMore: true
    } satisfies Turns as Turns
  }
  const { expectsNoMore, last, page } = yield* expectingFrom(cursor)
  const vaults = once([...last, ...page, ...ofPage])
  return { ...paged, vaults, expecting: page, expectsNoMore } satisfies Turns as Turns
})

/** The time of the newest block up to a number, if one is remembered. */
const timeOf = (blocks: ReadonlyArray<Block>, through: number) =>
  blocks.findLast(({ number }) => number <= through)?.timestamp

/** Those at the start of which it is known what they received. */
const knownOf = <A extends { readonly address: string }>(
  vaults: ReadonlyArray<A>,
  except: ReadonlySet<string>
): ReadonlyArray<A> => {
  const at = vaults.findIndex(({ address }) => except.has(address))
  return at < 0 ? vaults : vaults.slice(0, at)
}

type Passed = Pick<Cursor, "round" | "finalTime">

/** Where the round of all vaults is once this look knows of some that they received nothing more until a time. */
const pageAfter = (
  { finalTime, round }: Passed,
  { isWhole, next, page, reachesEnd }: Turns,
  except: ReadonlySet<string>,
  time: DateTime.Utc
): { readonly finalTime: DateTime.Utc; readonly at: Pick<Round, "after" | "since"> } => {
  const { after, since } = round ?? atStart
  const [known, knownNext] = [knownOf(page, except), knownOf(next, except)]
  const isKnown = known.length === page.length
  if (isWhole && isKnown && knownNext.length === next.length) {
    return { finalTime: DateTime.max(finalTime, time), at: { after: null, since: null } }
  }
  const last = known.at(-1)
  const until = DateTime.min(since ?? time, time)
  if (!isKnown || !reachesEnd) {
    // It goes no further than to the first of which it is not known, and has it again in the next look.
    const at = last === undefined ? { after, since } : { after: last.vaultId, since: until }
    return { finalTime, at }
  }
  const first = knownNext.at(-1)
  return {
    finalTime: DateTime.max(finalTime, until),
    at: first === undefined ? { after: null, since: null } : { after: first.vaultId, since: time }
  }
}

/** Their turns wait for nobody: what is not known of one of them holds up the round of all vaults alone. */
const expectingAfter = ({ round }: Passed, { expecting, expectsNoMore }: Turns): number =>
  expectsNoMore ? 0 : (expecting.at(-1)?.place ?? (round ?? atStart).expecting)

/** How far time and the round are after a look; nowhere further when it is not known what was received. */
export const passed = (
  cursor: Cursor,
  blocks: ReadonlyArray<Block>,
  known: ChainUpdate["known"],
  turns: Turns | undefined
): Passed => {
  const { finalTime, round } = cursor
  if (known === undefined || turns === undefined) return { finalTime, round }
  // Of each vault it is known until then already; the round goes on, however far behind what is final is.
  const time = timeOf(blocks, known.through) ?? finalTime
  const except: ReadonlySet<string> = new Set(known.except)
  const { at, finalTime: passedTime } = pageAfter(cursor, turns, except, time)
  const expecting = expectingAfter(cursor, turns)
  const isAtStart = at.after === null && expecting === 0
  return { finalTime: passedTime, round: isAtStart ? null : { ...at, expecting } }
}

/**
 * Final blocks whose transfers a chain is still told of, so that it need not report them again: as many as a look takes,
 * and more than are remembered.
 */
const newlyFinal = 200

/** What a chain is asked about in this look, and the turns it is in; nothing of either where a chain tells of all. */
export const watchedOn = Effect.fnUntraced(function* (cursor: Cursor) {
  const { blocks, chainId, finalNumber } = cursor
  if (!familyOf(chainId).tellsByAddress) return undefined
  const { followed: max } = yield* LookExtent
  // While money is unexplained, no block counts as final: what was final is not read again from the start for that.
  const aboveBlock = Math.max(finalNumber, blocks[0]?.number ?? 0) - newlyFinal
  const followed = yield* (yield* SettledBalances).followed(chainId, aboveBlock, max)
  const now = yield* turns(cursor, followed.vaults)
  const watched: Looked = {
    addresses: now.vaults,
    recorded: followed.transfers,
    recordedAbove: followed.above
  }
  return { turns: now, watched, seenThrough: followed.seenThrough }
})
