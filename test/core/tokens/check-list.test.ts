/** The list of tokens is held against the chains: what a contract says otherwise is told by name, and told once. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Logger, References } from "effect"
import * as MemoryChains from "../../../adapters/memory/chains.ts"
import * as Holdings from "../../../adapters/memory/holdings.ts"
import * as ScriptedChain from "../../../adapters/memory/scripted-chain.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import * as Chain from "../../../core/chains/chain.ts"
import { lookOver } from "../../../core/tokens/check-list.ts"
import { type Listed, plain, TokenSettings, wellKnown } from "../../../core/tokens/token.ts"
import * as Value from "../../support/chain-values.ts"

const address = Value.address(`0x${"80".repeat(20)}`)
const listed = {
  ...plain,
  chainId: "local",
  address,
  symbol: "SILVER",
  name: "Silver",
  decimals: 18
}

const codeHash = `0x${"5e".repeat(32)}`

const worldOf = (token: Listed) =>
  Layer.suspend(() => {
    const state = Wiring.scriptedChain()
    return Layer.mergeAll(
      MemoryChains.layer(state),
      Holdings.layer(state),
      Layer.succeed(TokenSettings, { tokens: [token] })
    )
  })

const world = worldOf(listed)

/** The scripted chain of that name, with what is shipped for it. */
const ethereum = Layer.suspend(() => {
  const usdc = `0x${"c0".repeat(20)}`
  const chain = Chain.find("ethereum") ?? assert.fail("there is no such chain")
  const state = ScriptedChain.makeState([{ chain, usdc, confirmations: 3, pollMs: 1000 }])
  return Layer.mergeAll(
    MemoryChains.layer(state),
    Holdings.layer(state),
    Layer.succeed(TokenSettings, { tokens: [] })
  )
})

/** What the operator is told by one look. */
const heard = Effect.fnUntraced(function* (told: Set<string>) {
  const lines: Array<string> = []
  const hearing = Logger.make(({ message }) => void lines.push(String(message)))
  yield* lookOver(told).pipe(
    Effect.provideService(References.MinimumLogLevel, "Error"),
    Effect.provide(Logger.layer([hearing]))
  )
  return lines
})

it.effect(
  "tells of a contract that is not there or claims other decimals, and of nothing else",
  () =>
    Effect.gen(function* () {
      const { airdrop, claims } = yield* MemoryChains.ChainScript
      const told = new Set<string>()
      const missing = yield* heard(told)
      assert.lengthOf(missing, 1)
      assert.include(missing[0] ?? "", `SILVER at ${address} on local is not what the list`)
      assert.deepStrictEqual(yield* heard(told), [], "it is told once")
      yield* airdrop({ to: address, amount: 1n, symbol: "SILVER", tokenAddress: address })
      assert.deepStrictEqual(yield* heard(told), [], "it is as the list says")
      yield* claims(address, { decimals: 6 })
      assert.lengthOf(yield* heard(told), 1)
    }).pipe(Effect.provide(world))
)

it.effect("tells of a contract that calls itself otherwise, or has other code", () =>
  Effect.gen(function* () {
    const { airdrop, claims } = yield* MemoryChains.ChainScript
    yield* airdrop({ to: address, amount: 1n, symbol: "SILVER", tokenAddress: address })
    const told = new Set<string>()
    assert.lengthOf(yield* heard(told), 1, "nobody has seen its code")
    yield* claims(address, { codeHash })
    assert.deepStrictEqual(yield* heard(told), [])
    yield* claims(address, { symbol: "TIN" })
    assert.match((yield* heard(told))[0] ?? "", /another symbol or other code/u)
    yield* claims(address, { symbol: "Silver" })
    assert.deepStrictEqual(yield* heard(told), [])
    yield* claims(address, { codeHash: `0x${"5f".repeat(32)}` })
    assert.lengthOf(yield* heard(told), 1)
  }).pipe(Effect.provide(worldOf({ ...listed, says: { symbol: "SILVER", codeHash } })))
)

const behind = `0x${"1a".repeat(20)}-${codeHash}`

it.effect("tells of a proxy behind which another contract stands", () =>
  Effect.gen(function* () {
    const { airdrop, claims } = yield* MemoryChains.ChainScript
    yield* airdrop({ to: address, amount: 1n, symbol: "SILVER", tokenAddress: address })
    const told = new Set<string>()
    assert.lengthOf(yield* heard(told), 1, "it is no proxy")
    yield* claims(address, { behind })
    assert.deepStrictEqual(yield* heard(told), [])
    yield* claims(address, { behind: behind.replace("1a", "1b") })
    assert.match((yield* heard(told))[0] ?? "", /other code, its own or behind it/u)
  }).pipe(Effect.provide(worldOf({ ...listed, says: { symbol: null, codeHash: null, behind } })))
)

it.effect("tells of a shipped token whose code or symbol is another than it has for ever", () =>
  Effect.gen(function* () {
    const { airdrop, claims } = yield* MemoryChains.ChainScript
    const weth = wellKnown.find((each) => each.chainId === "ethereum" && each.symbol === "WETH")
    const { address: tokenAddress, says } = weth ?? assert.fail("it is not shipped")
    const code = says?.codeHash ?? assert.fail("it is held to no code")
    const given = { to: address, amount: 1n, symbol: "WETH", tokenAddress, decimals: 18 }
    yield* airdrop({ ...given, chainId: "ethereum" })
    const told = new Set<string>()
    const [other = "", ...rest] = yield* heard(told)
    assert.include(other, `WETH at ${tokenAddress} on ethereum is not what the list`)
    assert.deepStrictEqual(rest, [])
    yield* claims(tokenAddress, { codeHash: code })
    assert.deepStrictEqual(yield* heard(told), [])
    yield* claims(tokenAddress, { symbol: "WETH2" })
    assert.lengthOf(yield* heard(told), 1)
  }).pipe(Effect.provide(ethereum))
)

it.effect("tells of nothing while a chain does not answer", () =>
  Effect.gen(function* () {
    yield* (yield* MemoryChains.ChainScript).outage(true)
    assert.deepStrictEqual(yield* heard(new Set()), [])
  }).pipe(Effect.provide(world))
)
