/**
 * Port Prices over DefiLlama's coins API. What it says is kept for a minute; while it is away, what it said
 * last is given with its own time for a day, and it is asked again only now and then.
 */
import { Clock, DateTime, Effect, Layer, Semaphore } from "effect"
import type { TokenId } from "../../core/chains/token-amount.ts"
import type { Decimal } from "../../core/money/decimal.ts"
import { type Price, Prices, type Quotes } from "../../core/ports/prices.ts"
import * as Answer from "./answer.ts"
import * as Coins from "./coins.ts"

export const publicUrl = "https://coins.llama.fi"

export interface Options {
  /** Without a trailing slash; may carry a key. */
  readonly url: string
  /** How long an answer is not asked for again; a minute when not given. */
  readonly keepMs?: number
  readonly deadlineMs?: number
  /** Further chains by their name there; tests only. */
  readonly names?: Readonly<Record<string, string>>
}

const keepMs = 60_000
const deadlineMs = 5_000
const maxBytes = 256 * 1024
/** After a failure the provider is left alone for so long. */
const restMs = 15_000
/** A price that is older says nothing any more. */
const forgottenMs = 86_400_000
const coinsPerQuestion = 40
const maxKept = 5_000

interface Known {
  readonly row: Coins.Row | undefined
  readonly change: Decimal | undefined
  /** When it was asked for; the change may be of an earlier answer. */
  readonly askedMs: number
  readonly hasFreshChange: boolean
}

interface Market {
  readonly connections: Answer.Connections
  readonly options: Options
  readonly known: Map<string, Known>
  readonly turn: Semaphore.Semaphore
  restsUntilMs: number
}

/** Asks one question and reads its answer; undefined when there is none, or not of its shape. */
const ask = <A>(
  market: Market,
  kind: "prices/current" | "percentage",
  names: ReadonlyArray<string>,
  read: (answer: unknown) => A | undefined
): Effect.Effect<A | undefined> =>
  Answer.get(market.connections, `${market.options.url}/${kind}/${names.join(",")}`, {
    deadlineMs: market.options.deadlineMs ?? deadlineMs,
    maxBytes
  }).pipe(
    Effect.map(read),
    Effect.catch(() => Effect.undefined)
  )

const keep = (market: Market, name: string, known: Known): void => {
  market.known.delete(name)
  market.known.set(name, known)
  const [oldest] = market.known.keys()
  if (market.known.size > maxKept && oldest !== undefined) market.known.delete(oldest)
}

/** Asks for so many coins; false when the provider gave no prices. */
const refresh = Effect.fnUntraced(function* (market: Market, names: ReadonlyArray<string>) {
  const now = yield* DateTime.now
  const [rows, changes] = yield* Effect.all(
    [
      ask(market, "prices/current", names, (answer) => Coins.prices(answer, now)),
      ask(market, "percentage", names, Coins.changes)
    ],
    { concurrency: 2 }
  )
  if (rows === undefined) return false
  for (const name of names) {
    const change = changes === undefined ? market.known.get(name)?.change : changes.get(name)
    const askedMs = DateTime.toEpochMillis(now)
    const hasFreshChange = changes !== undefined
    keep(market, name, { row: rows.get(name), change, askedMs, hasFreshChange })
  }
  return true
})

const isFresh = (market: Market, name: string, nowMs: number): boolean => {
  const known = market.known.get(name)
  return known !== undefined && nowMs - known.askedMs < (market.options.keepMs ?? keepMs)
}

/** Learns what is not known freshly, one caller at a time: who waited finds it known. */
const learn = (market: Market, names: ReadonlyArray<string>) =>
  market.turn.withPermits(1)(
    Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      const missing = names.filter((name) => !isFresh(market, name, nowMs))
      for (let start = 0; start < missing.length; start += coinsPerQuestion) {
        if (nowMs < market.restsUntilMs) return
        const isLearnt = yield* refresh(market, missing.slice(start, start + coinsPerQuestion))
        if (!isLearnt) market.restsUntilMs = nowMs + restMs
      }
    })
  )

const priceOf = ({ row, change }: Known): Price | undefined =>
  row === undefined ? undefined : { usd: row.usd, change24hPct: change, asOf: row.at }

const quote = Effect.fnUntraced(function* (
  market: Market,
  tokens: ReadonlyArray<TokenId>
): Effect.fn.Return<Quotes> {
  const chainNames = { ...Coins.chainNames, ...market.options.names }
  const names = tokens.map((token) => Coins.nameOf(token, chainNames))
  const wanted = [...new Set(names.filter((name) => name !== undefined))]
  const askedMs = yield* Clock.currentTimeMillis
  if (wanted.some((name) => !isFresh(market, name, askedMs))) yield* learn(market, wanted)
  const prices = names.map((name) => {
    const known = name === undefined ? undefined : market.known.get(name)
    if (known?.row === undefined) return undefined
    if (askedMs - DateTime.toEpochMillis(known.row.at) > forgottenMs) return undefined
    return priceOf(known)
  })
  const isSure = (name: string) => {
    const known = market.known.get(name)
    const isRecent = (known?.askedMs ?? 0) >= askedMs - (market.options.keepMs ?? keepMs)
    return isRecent && known?.hasFreshChange === true
  }
  return {
    prices,
    stale: !wanted.every(isSure)
  }
})

export const layer = (options: Options): Layer.Layer<Prices> =>
  Layer.effect(
    Prices,
    Effect.gen(function* () {
      const market: Market = {
        connections: yield* Answer.connections,
        options,
        known: new Map(),
        turn: yield* Semaphore.make(1),
        restsUntilMs: 0
      }
      return { of: (tokens) => quote(market, tokens) }
    })
  )
