/** The scripted source of yields keeps the contract. */
import { Effect, Layer } from "effect"
import * as YieldMarkets from "../../../adapters/memory/yield-markets.ts"
import * as Contract from "../../contracts/yield-markets.contract.ts"

const provider = Layer.effect(
  Contract.YieldProvider,
  Effect.map(YieldMarkets.YieldMarketScript, ({ outage, tell }) => ({ tell, away: outage }))
)

const world = Layer.suspend(() => Layer.provideMerge(provider, YieldMarkets.layer))

Contract.suite("memory", world)
Contract.awaySuite("memory", world)
