/** Port TokenCatalogue over a script: a provider that knows the sorts and the tokens it was told, and can be away. */
import { Context, DateTime, Effect, Layer } from "effect"
import * as Address from "../../core/chains/address.ts"
import { distinct, ranked } from "../../core/discovery/rank.ts"
import {
  type CatalogueAnswer,
  type CatalogueToken,
  CatalogueUnavailable,
  type Sort,
  TokenCatalogue
} from "../../core/ports/token-catalogue.ts"

export class CatalogueScript extends Context.Service<
  CatalogueScript,
  {
    /** From now on the provider knows this chain, these sorts of it, and these tokens. */
    readonly tell: (
      chainId: string,
      sorts: ReadonlyArray<Sort>,
      tokens: ReadonlyArray<CatalogueToken>
    ) => Effect.Effect<void>
    /** While the provider is away, what it was asked before is answered as of then. */
    readonly outage: (isAway: boolean) => Effect.Effect<void>
  }
>()("bursar/memory/CatalogueScript") {}

interface Listing {
  readonly sorts: ReadonlyArray<Sort>
  readonly tokens: ReadonlyArray<CatalogueToken>
}

const isAskedFor = (chainId: string, query: string | undefined) => (token: CatalogueToken) => {
  if (query === undefined) return true
  const address = Address.parse(chainId, query)
  return address === undefined
    ? `${token.symbol} ${token.name}`.toLowerCase().includes(query.toLowerCase())
    : Address.keyOf(chainId, address) === token.address
}

const maxTokens = 250

const over = () => {
  const listings = new Map<string, Listing>()
  const kept = new Map<string, CatalogueAnswer>()
  let isAway = false
  const catalogue: TokenCatalogue["Service"] = {
    sortsOn: (chainId) => listings.get(chainId)?.sorts ?? [],
    list: Effect.fnUntraced(function* ({ chainId, query, sort }) {
      const key = `${chainId} ${sort} ${query ?? ""}`
      const known = kept.get(key)
      if (isAway && known !== undefined) return { ...known, isStale: true }
      if (isAway) {
        return yield* new CatalogueUnavailable({ reason: "unreachable", retryAfterSeconds: 15 })
      }
      const all = listings.get(chainId)?.tokens ?? []
      const tokens = ranked(distinct(all.filter(isAskedFor(chainId, query))), sort).slice(
        0,
        maxTokens
      )
      const asOf = yield* DateTime.now
      const answer = { tokens, provider: "script", asOf, isStale: false }
      kept.set(key, answer)
      return answer
    })
  }
  const script: CatalogueScript["Service"] = {
    tell: (chainId, sorts, tokens) => Effect.sync(() => listings.set(chainId, { sorts, tokens })),
    outage: (away) =>
      Effect.sync(() => {
        isAway = away
      })
  }
  return { catalogue, script }
}

/** The catalogue and its script; it knows nothing until it is told. */
export const layer: Layer.Layer<TokenCatalogue | CatalogueScript> = Layer.effectContext(
  Effect.sync(() => {
    const { catalogue, script } = over()
    return Context.make(TokenCatalogue, catalogue).pipe(Context.add(CatalogueScript, script))
  })
)
