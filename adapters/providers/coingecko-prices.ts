/**
 * A second source of prices: what CoinGecko says of each coin (docs.coingecko.com, simple/price), by the id that the
 * pinned list gives it. It only confirms or denies what another source says, so while it is away nothing is confirmed.
 */
import { Clock, DateTime, Effect, Layer, Semaphore } from "effect"
import { keyOf } from "../../core/chains/address.ts"
import type { TokenId } from "../../core/chains/token-amount.ts"
import type { Price } from "../../core/ports/prices.ts"
import { SecondPrices } from "../../core/tokens/agreed-price.ts"
import { type Listed, wellKnown } from "../../core/tokens/token.ts"
import * as Answer from "./answer.ts"
import { keyHeader, publicUrl } from "./coingecko.ts"
import * as Read from "./read-row.ts"

export interface Options {
  readonly key: string
  readonly url?: string
  readonly deadlineMs?: number
  /** How long an answer is not asked for again; a minute when not given. */
  readonly keepMs?: number
}

const keepMs = 60_000
const bounds = { deadlineMs: 5_000, maxBytes: 256 * 1024 }
/** After a failure the provider is left alone for so long. */
const restMs = 15_000
const idsPerQuestion = 100

const placeOf = ({ address, chainId }: TokenId): string => `${chainId} ${address}`

/** What CoinGecko calls each token of the pinned list. */
const idsOf = (added: ReadonlyArray<Listed>): ReadonlyMap<string, string> =>
  new Map(
    [...added, ...wellKnown].flatMap(({ address, chainId, priceId }) =>
      priceId === null
        ? []
        : [[placeOf({ chainId, address: keyOf(chainId, address) }), priceId] as const]
    )
  )

/** A price with its time; one from the future is of now, as nobody's clock is exact. */
const priceOf = (value: unknown, now: DateTime.Utc): Price | undefined => {
  const row = Read.objectOf(value)
  const usd = Read.amountOf(row?.usd)
  const seconds = row?.last_updated_at
  if (usd === undefined || typeof seconds !== "number" || !Number.isSafeInteger(seconds)) {
    return undefined
  }
  const at = DateTime.make(seconds * 1000)
  return at._tag === "None"
    ? undefined
    : { usd, change24hPct: undefined, asOf: DateTime.min(at.value, now) }
}

interface Known {
  readonly price: Price | undefined
  readonly askedMs: number
}

const source = (
  connections: Answer.Connections,
  options: Options,
  added: ReadonlyArray<Listed>
) => {
  const base = options.url ?? publicUrl
  const ids = idsOf(added)
  const turn = Semaphore.makeUnsafe(1)
  const known = new Map<string, Known>()
  let restsUntilMs = 0

  const isKept = (id: string, nowMs: number) => {
    const kept = known.get(id)
    return kept !== undefined && nowMs - kept.askedMs < (options.keepMs ?? keepMs)
  }

  const ask = Effect.fnUntraced(function* (asked: ReadonlyArray<string>) {
    const fields = new URLSearchParams({
      ids: asked.join(","),
      vs_currencies: "usd",
      include_last_updated_at: "true",
      precision: "full"
    })
    const now = yield* DateTime.now
    const nowMs = DateTime.toEpochMillis(now)
    const answer = yield* Answer.get(connections, `${base}/api/v3/simple/price?${fields}`, {
      ...bounds,
      deadlineMs: options.deadlineMs ?? bounds.deadlineMs,
      headers: keyHeader(base, options.key)
    }).pipe(
      Effect.map(Read.objectOf),
      Effect.catch(() => Effect.undefined)
    )
    if (answer === undefined) restsUntilMs = nowMs + restMs
    for (const id of answer === undefined ? [] : asked) {
      const row = Object.hasOwn(answer ?? {}, id) ? answer?.[id] : undefined
      known.set(id, { price: priceOf(row, now), askedMs: nowMs })
    }
  })

  /** One caller at a time: who waited finds it known. */
  const learn = (wanted: ReadonlyArray<string>) =>
    turn.withPermits(1)(
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const missing = wanted.filter((id) => !isKept(id, nowMs))
        for (let start = 0; start < missing.length; start += idsPerQuestion) {
          if (nowMs < restsUntilMs) return
          yield* ask(missing.slice(start, start + idsPerQuestion))
        }
      })
    )

  return Effect.fnUntraced(function* (tokens: ReadonlyArray<TokenId>) {
    const named = tokens.map((token) => ids.get(placeOf(token)))
    const wanted = [...new Set(named.filter((id) => id !== undefined))]
    yield* learn(wanted)
    const nowMs = yield* Clock.currentTimeMillis
    return {
      prices: named.map((id) => (id === undefined ? undefined : known.get(id)?.price)),
      stale: !wanted.every((id) => isKept(id, nowMs))
    }
  })
}

/** Prices of the tokens that everybody knows and of those an operator adds with a price id. */
export const layer = (options: Options, added: ReadonlyArray<Listed>): Layer.Layer<SecondPrices> =>
  Layer.effect(
    SecondPrices,
    Effect.map(Answer.connections, (connections) => ({ of: source(connections, options, added) }))
  )
