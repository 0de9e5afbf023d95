/**
 * Port YieldMarkets over DefiLlama's list of pools (api-docs.defillama.com, yields). The answer is large and is
 * read as it comes; what is kept of it is small: markets of one token on chains of ours.
 */
import { Clock, DateTime, Effect, Layer, Semaphore } from "effect"
import * as Decimal from "../../core/money/decimal.ts"
import {
  YieldMarkets,
  YieldMarketsUnavailable,
  type YieldRate,
  type YieldRates
} from "../../core/ports/yield-markets.ts"
import * as Answer from "./answer.ts"
import { items } from "./array-items.ts"
import * as Read from "./read-row.ts"

export const publicUrl = "https://yields.llama.fi"

export interface Options {
  readonly url: string
  readonly deadlineMs?: number
  /** Further chains by their name there; tests only. */
  readonly names?: Readonly<Record<string, string>>
}

/** A chain by its name there, which is what people call it. */
const chainByName: Readonly<Record<string, string>> = {
  Ethereum: "ethereum",
  Base: "base",
  Arbitrum: "arbitrum",
  "OP Mainnet": "optimism",
  Optimism: "optimism",
  Polygon: "polygon",
  Solana: "solana"
}

const keepMs = 900_000
const forgottenMs = 86_400_000
const restMs = 60_000
const bounds = { deadlineMs: 30_000, maxBytes: 64 * 1024 * 1024 }
const maxRates = 5_000

/** A rate in percent; below zero is no yield, and beyond a thousand nobody means it. */
const rateIn = (value: unknown): Decimal.Decimal | undefined => {
  const read = Decimal.ofNumber(value)
  if (read === undefined || read.units < 0n) return undefined
  return read.units > 100_000n * 10n ** BigInt(read.places) ? undefined : read
}

const rateOf = (value: unknown, names: Readonly<Record<string, string>>): YieldRate | undefined => {
  const row = Read.objectOf(value)
  const chainId = typeof row?.chain === "string" ? names[row.chain] : undefined
  if (row === undefined || chainId === undefined || row.exposure === "multi") return undefined
  const tokens = Array.isArray(row.underlyingTokens) ? row.underlyingTokens : []
  const asset = tokens.length === 1 ? Read.addressOf(chainId, tokens[0]) : undefined
  const poolId = Read.textOf(row.pool)
  if (asset === undefined || poolId === "") return undefined
  return {
    poolId,
    chainId,
    project: Read.textOf(row.project),
    asset,
    apyPct: rateIn(row.apy),
    apyBasePct: rateIn(row.apyBase),
    apyRewardPct: rateIn(row.apyReward),
    tvlUsd: Read.amountOf(row.tvlUsd),
    isOutlier: row.outlier === true
  }
}

const cents = ({ tvlUsd }: YieldRate): bigint =>
  tvlUsd === undefined ? 0n : Decimal.rounded(tvlUsd, 2).units

const byValue = (one: YieldRate, other: YieldRate): number => {
  const rest = cents(other) - cents(one)
  return rest === 0n ? 0 : rest > 0n ? 1 : -1
}

/** The rates in a stream; undefined when it is not the list, or ends before it does. */
const ratesIn =
  (names: Readonly<Record<string, string>>) =>
  async (chunks: AsyncIterable<Uint8Array>): Promise<ReadonlyArray<YieldRate> | undefined> => {
    const found: Array<YieldRate> = []
    const rows = items(chunks)
    for (;;) {
      const { done, value } = await rows.next()
      if (done === true) {
        return value === true ? found.sort(byValue).slice(0, maxRates) : undefined
      }
      const rate = rateOf(value, names)
      if (rate !== undefined) found.push(rate)
    }
  }

interface State {
  readonly connections: Answer.Connections
  readonly options: Options
  readonly turn: Semaphore.Semaphore
  known: { readonly rates: ReadonlyArray<YieldRate>; readonly asOf: DateTime.Utc } | undefined
  restsUntilMs: number
  reason: YieldMarketsUnavailable["reason"]
}

const refresh = Effect.fnUntraced(function* (state: State, nowMs: number) {
  const { deadlineMs, names, url } = state.options
  const limits = { ...bounds, deadlineMs: deadlineMs ?? bounds.deadlineMs }
  const fail = (reason: State["reason"], forMs: number) => {
    state.reason = reason
    state.restsUntilMs = nowMs + forMs
  }
  const read = ratesIn({ ...chainByName, ...names })
  yield* Answer.stream(state.connections, `${url}/pools`, limits, read).pipe(
    Effect.match({
      onSuccess: (rates) => {
        if (rates === undefined) fail("unreadable", restMs)
        else state.known = { rates, asOf: DateTime.makeUnsafe(nowMs) }
      },
      onFailure: ({ reason, retryAfterMs }) =>
        reason === "limited"
          ? fail("limited", retryAfterMs ?? restMs)
          : fail(reason === "unreachable" ? "unreachable" : "unreadable", restMs)
    })
  )
})

const ageMs = (state: State, nowMs: number): number =>
  state.known === undefined
    ? Number.POSITIVE_INFINITY
    : nowMs - DateTime.toEpochMillis(state.known.asOf)

const rates = Effect.fnUntraced(function* (
  state: State
): Effect.fn.Return<YieldRates, YieldMarketsUnavailable> {
  const nowMs = yield* Clock.currentTimeMillis
  if (ageMs(state, nowMs) >= keepMs && nowMs >= state.restsUntilMs) yield* refresh(state, nowMs)
  const age = ageMs(state, nowMs)
  if (state.known === undefined || age >= forgottenMs) {
    return yield* new YieldMarketsUnavailable({ reason: state.reason })
  }
  return { ...state.known, isStale: age >= keepMs }
})

export const layer = (options: Options): Layer.Layer<YieldMarkets> =>
  Layer.effect(
    YieldMarkets,
    Effect.gen(function* () {
      const state: State = {
        connections: yield* Answer.connections,
        options,
        turn: yield* Semaphore.make(1),
        known: undefined,
        restsUntilMs: 0,
        reason: "unreachable"
      }
      // Who waited finds it read.
      return { rates: state.turn.withPermits(1)(rates(state)) }
    })
  )
