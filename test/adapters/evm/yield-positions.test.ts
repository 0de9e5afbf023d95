/** EVM chains keep the contract of yield positions with a real ERC-4626 vault, with Multicall3 and without it. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as EvmYieldPositions from "../../../adapters/evm/yield-positions.ts"
import * as YieldVault from "../../../apps/sandbox/yield-vault.ts"
import { shown } from "../../../core/chains/address.ts"
import { YieldPositions } from "../../../core/ports/yield-positions.ts"
import * as Contract from "../../contracts/yield-positions.contract.ts"
import * as Anvil from "../../support/anvil.ts"
import { deployMulticall } from "../../support/holdings-chain.ts"
import { onAnvil } from "../../support/vault-chain.ts"

const positions = Layer.unwrap(
  Effect.map(Anvil.AnvilChain, (chain) => EvmYieldPositions.layer([Anvil.connectionTo(chain)]))
)

const withMulticall = Layer.effect(
  Anvil.AnvilChain,
  Effect.tap(Anvil.AnvilChain, deployMulticall)
).pipe(Layer.provide(Anvil.layer))

const worldOn = (chain: Layer.Layer<Anvil.AnvilChain>) =>
  Layer.merge(onAnvil, positions).pipe(Layer.provideMerge(chain))

Contract.suite("anvil", worldOn(Anvil.layer))
Contract.suite("anvil with Multicall3", worldOn(withMulticall))

const owner = shown("local", `0x${"ab".repeat(20)}`)

it.effect("a vault that earns five percent a year says so, however long nobody asks", () =>
  Effect.gen(function* () {
    const { anvil, payer, timePasses, usdc } = yield* Anvil.AnvilChain
    const { vault } = yield* Contract.VaultWorld
    const { states } = yield* YieldPositions
    const at = { usdc, vault }
    const reference = { kind: "erc4626", address: vault, asset: yield* usdcOf } as const
    yield* YieldVault.deposit(anvil, at, payer, owner, 1_000_000_000n)
    const [idle] = yield* states("local", [reference])
    assert.isUndefined(idle?.apyPct)
    yield* YieldVault.earn(anvil, at, payer, 50_000_000n, 31_536_000)
    for (let day = 0; day < 100; day += 1) yield* timePasses(864)
    const [earning] = yield* states("local", [reference])
    const { places = 0, units = 0n } = earning?.apyPct ?? {}
    const pct = Number(units) / 10 ** places
    // Five percent are given over the year; compounded, they are a little more.
    assert.isTrue(pct > 4.9 && pct < 5.2, `${pct}`)
  }).pipe(Effect.provide(worldOn(Anvil.layer)))
)

const usdcOf = Effect.map(Contract.VaultWorld, ({ usdc }) => usdc)

it.effect("what a chain of another family has is nothing, and no node is asked", () =>
  Effect.gen(function* () {
    const { positions, states, unknown } = yield* YieldPositions
    assert.deepStrictEqual(yield* positions("solana", [owner], []), [])
    assert.deepStrictEqual(yield* states("solana", []), [])
    assert.deepStrictEqual(yield* unknown("solana", []), [])
  }).pipe(Effect.provide(EvmYieldPositions.layer([])))
)
