/** Which providers of tokens there are, from the keys that an operator has: Zerion first, for it knows most orders. */
import { Effect, type Layer } from "effect"
import type { RateLimits } from "../../core/operation/rate-limits.ts"
import type { TokenCatalogue } from "../../core/ports/token-catalogue.ts"
import * as Answer from "./answer.ts"
import * as Coingecko from "./coingecko.ts"
import * as Jupiter from "./jupiter-tokens.ts"
import * as Catalogue from "./token-catalogue.ts"
import * as Zerion from "./zerion.ts"

export interface Options {
  readonly zerion?: Zerion.Options | undefined
  readonly coingecko?: Coingecko.Options | undefined
  readonly jupiter?: Jupiter.Options | undefined
}

/** Every provider that has a key; without any, nothing is asked of anybody. */
export const layer = (options: Options): Layer.Layer<TokenCatalogue, never, RateLimits> =>
  Catalogue.layer(
    Effect.map(Answer.connections, (connections) => [
      ...(options.zerion === undefined ? [] : [Zerion.source(connections, options.zerion)]),
      ...(options.coingecko === undefined
        ? []
        : [Coingecko.source(connections, options.coingecko)]),
      ...(options.jupiter === undefined ? [] : [Jupiter.source(connections, options.jupiter)])
    ])
  )
