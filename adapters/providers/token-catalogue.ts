/**
 * Port TokenCatalogue over several providers, asked in turn: the first that serves the sort and answers is
 * believed. Answers are kept for minutes; while all are away, what was said last is given with its own time.
 */
import { Clock, DateTime, Effect, Layer, type Scope, Semaphore } from "effect"
import { distinct, ranked } from "../../core/discovery/rank.ts"
import { RateLimits } from "../../core/operation/rate-limits.ts"
import {
  type CatalogueAnswer,
  type CatalogueRequest,
  CatalogueUnavailable,
  sorts,
  TokenCatalogue
} from "../../core/ports/token-catalogue.ts"
import type { Source } from "./catalogue-source.ts"

/** How long an answer is not asked for again. */
const keepMs = 120_000
/** What is older says nothing any more. */
const forgottenMs = 86_400_000
/** After a failure a provider is left alone for so long, or for as long as it says. */
const restMs = 15_000
const maxKept = 200
const maxTokens = 250

type Kept = Omit<CatalogueAnswer, "isStale">
type Reason = CatalogueUnavailable["reason"]

interface Asked {
  readonly source: Source
  readonly turn: Semaphore.Semaphore
  readonly kept: Map<string, Kept>
  restsUntilMs: number
  failed: Reason
}

const keyOf = ({ chainId, query, sort }: CatalogueRequest): string =>
  `${chainId} ${sort} ${query ?? ""}`

const ageOf = ({ asOf }: Kept, nowMs: number): number => nowMs - DateTime.toEpochMillis(asOf)

const keep = ({ kept }: Asked, key: string, answer: Kept): Kept => {
  kept.delete(key)
  kept.set(key, answer)
  const [oldest] = kept.keys()
  if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest)
  return answer
}

/** Takes one answer's questions from the provider's budget and from the share of the account in it. */
const mayAsk = Effect.fnUntraced(function* ({ source }: Asked, request: CatalogueRequest) {
  const { consumeClient } = yield* RateLimits
  for (let question = 0; question < source.questions(request); question++) {
    const share = yield* consumeClient(`${source.name} ${request.askedBy}`, "provider_shares")
    if (!share.allowed) return "spent" as const
    const budget = yield* consumeClient(source.name, "providers")
    if (!budget.allowed) return "limited" as const
  }
  return undefined
})

/** Asks one provider; the reason when there is no answer. */
const ask = Effect.fnUntraced(function* (asked: Asked, request: CatalogueRequest, nowMs: number) {
  if (nowMs < asked.restsUntilMs) return asked.failed
  const refused = yield* mayAsk(asked, request)
  if (refused !== undefined) return refused
  const failing = (reason: Reason, forMs: number) => {
    asked.failed = reason
    asked.restsUntilMs = nowMs + forMs
    return reason
  }
  return yield* asked.source.ask(request).pipe(
    Effect.map((tokens) => {
      if (tokens === undefined) return failing("unreadable", restMs)
      const best = ranked(distinct(tokens), request.sort).slice(0, maxTokens)
      const asOf = DateTime.makeUnsafe(nowMs)
      return keep(asked, keyOf(request), { tokens: best, provider: asked.source.name, asOf })
    }),
    Effect.catch(({ reason, retryAfterMs }) =>
      Effect.succeed(
        reason === "limited"
          ? failing("limited", retryAfterMs ?? restMs)
          : failing(reason === "unreachable" ? "unreachable" : "unreadable", restMs)
      )
    )
  )
})

/** The answer of one provider that is young enough, asked for if need be by one caller at a time. */
const freshOf = (asked: Asked, request: CatalogueRequest) =>
  asked.turn.withPermits(1)(
    Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
      const known = asked.kept.get(keyOf(request))
      return known !== undefined && ageOf(known, nowMs) < keepMs
        ? Effect.succeed(known)
        : ask(asked, request, nowMs)
    })
  )

const list = Effect.fnUntraced(function* (
  all: ReadonlyArray<Asked>,
  request: CatalogueRequest
): Effect.fn.Return<CatalogueAnswer, CatalogueUnavailable, RateLimits> {
  const able = all.filter(({ source }) => source.sortsOn(request.chainId).includes(request.sort))
  let reason: Reason = "unreachable"
  for (const asked of able) {
    const answer = yield* freshOf(asked, request)
    if (typeof answer !== "string") return { ...answer, isStale: false }
    reason = answer
  }
  const nowMs = yield* Clock.currentTimeMillis
  for (const { kept } of able) {
    const known = kept.get(keyOf(request))
    if (known !== undefined && ageOf(known, nowMs) < forgottenMs) return { ...known, isStale: true }
  }
  const restedMs = Math.min(...able.map(({ restsUntilMs }) => restsUntilMs)) - nowMs
  const isCounted = reason === "spent" || restedMs <= 0
  const retryAfterSeconds = isCounted ? 60 : Math.ceil(restedMs / 1000)
  return yield* new CatalogueUnavailable({ reason, retryAfterSeconds })
})

/** The providers in the order in which they are asked; with none, no chain has any sort. */
export const layer = (
  sources: Effect.Effect<ReadonlyArray<Source>, never, Scope.Scope>
): Layer.Layer<TokenCatalogue, never, RateLimits> =>
  Layer.effect(
    TokenCatalogue,
    Effect.gen(function* () {
      const limits = yield* RateLimits
      const all = yield* Effect.forEach(yield* sources, (source) =>
        Effect.map(
          Semaphore.make(1),
          (turn): Asked => ({
            source,
            turn,
            kept: new Map(),
            restsUntilMs: 0,
            failed: "unreachable"
          })
        )
      )
      return {
        sortsOn: (chainId) =>
          sorts.filter((sort) => all.some(({ source }) => source.sortsOn(chainId).includes(sort))),
        list: (request) => Effect.provideService(list(all, request), RateLimits, limits)
      }
    })
  )
