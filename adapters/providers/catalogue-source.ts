/** One provider of tokens, as the catalogue asks it: what it can sort by, and one answer at a time. */
import type { Effect } from "effect"
import type { CatalogueRequest, CatalogueToken, Sort } from "../../core/ports/token-catalogue.ts"
import type { Unanswered } from "./answer.ts"

export interface Source {
  readonly name: string
  readonly sortsOn: (chainId: string) => ReadonlyArray<Sort>
  /** How many requests over HTTP an answer takes. */
  readonly questions: (request: CatalogueRequest) => number
  /** In any order; undefined when the answer has not its shape. */
  readonly ask: (
    request: CatalogueRequest
  ) => Effect.Effect<ReadonlyArray<CatalogueToken> | undefined, Unanswered>
}
