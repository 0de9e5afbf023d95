/** EVM chains keep the contract of holdings, with Multicall3 and without it, on anvil with real tokens. */
import { Effect, Layer } from "effect"
import * as Holdings from "../../../adapters/evm/holdings.ts"
import * as Contract from "../../contracts/holdings.contract.ts"
import * as Anvil from "../../support/anvil.ts"
import { deployMulticall, onAnvil } from "../../support/holdings-chain.ts"

const holdings = Layer.unwrap(
  Effect.map(Anvil.AnvilChain, (chain) => Holdings.layer([Anvil.connectionTo(chain)]))
)

const plain = Anvil.layer
const withMulticall = Layer.effect(
  Anvil.AnvilChain,
  Effect.tap(Anvil.AnvilChain, deployMulticall)
).pipe(Layer.provide(Anvil.layer))

const worldOn = (chain: Layer.Layer<Anvil.AnvilChain>) =>
  Layer.merge(onAnvil, holdings).pipe(Layer.provide(chain))

Contract.suite("anvil", worldOn(plain))
Contract.suite("anvil with Multicall3", worldOn(withMulticall))
