/** The scripted catalogue of tokens keeps the contract. */
import { Effect, Layer } from "effect"
import * as Catalogue from "../../../adapters/memory/token-catalogue.ts"
import { sorts } from "../../../core/ports/token-catalogue.ts"
import * as Contract from "../../contracts/token-catalogue.contract.ts"
import * as Value from "../../support/chain-values.ts"

const provider = Layer.effect(
  Contract.Provider,
  Effect.map(Catalogue.CatalogueScript, ({ outage, tell }) => ({
    chainId: "base",
    sorts,
    addresses: Array.from({ length: 12 }, (_, at) =>
      Value.key(`0x${(at + 1).toString(16).padStart(40, "0")}`)
    ),
    tell: (tokens) => tell("base", sorts, tokens),
    away: outage
  }))
)

Contract.suite("memory", Layer.provideMerge(provider, Catalogue.layer))
