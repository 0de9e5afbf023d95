/** The list of tokens held against real contracts: one that lies about its decimals, or is gone, is told to the operator. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger, References } from "effect"
import { keccak256 } from "viem/utils"
import * as EvmHoldings from "../../../adapters/evm/holdings.ts"
import * as EvmProxiedCode from "../../../adapters/evm/proxied-code.ts"
import { examine } from "../../../apps/doctor/tokens.ts"
import { nodesOf } from "../../../apps/doctor/wiring.ts"
import * as Address from "../../../core/chains/address.ts"
import type { Says } from "../../../core/ports/holdings.ts"
import { ProxiedCode } from "../../../core/ports/proxied-code.ts"
import { lookOver } from "../../../core/tokens/check-list.ts"
import { plain, TokenSettings } from "../../../core/tokens/token.ts"
import { AnvilChain, connectionTo } from "../../support/anvil.ts"
import { world } from "../../support/anvil-sending-chain.ts"
import * as Rows from "../../support/rows.ts"
import * as Code from "../../support/token-code.ts"

const key = Rows.anAddressKey()
const listed = {
  ...plain,
  ...{ chainId: "local", address: Address.shown("local", key) },
  ...{ symbol: "SILVER", name: "Silver", decimals: 18 }
}

const holdings = Layer.unwrap(
  Effect.map(AnvilChain, (chain) => EvmHoldings.layer([connectionTo(chain)]))
)

/** Where proxies keep the address of the contract behind them, as published. */
const proxySlots = {
  usdc: "0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3",
  eip1967: "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc",
  eip1822: "0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7",
  polygon: "0xbaab7dbf64751104133af04abc7d9979f0fda3b059a322a8333f533d3f32bf7f"
}
const beaconSlot = "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50"

/** What the operator is told by one look, while the contract is of this code. */
const heard = Effect.fnUntraced(function* (told: Set<string>, code: string) {
  yield* (yield* AnvilChain).call("anvil_setCode", key, code)
  const lines: Array<string> = []
  const hearing = Logger.make(({ message }) => void lines.push(String(message)))
  yield* lookOver(told).pipe(
    Effect.provideService(References.MinimumLogLevel, "Error"),
    Effect.provide(Logger.layer([hearing]))
  )
  return lines
})

layer(
  Layer.merge(
    holdings.pipe(Layer.provideMerge(world)),
    Layer.succeed(TokenSettings, { tokens: [listed] })
  )
)("the list of tokens, held against contracts", (it) => {
  it.effect(
    "tells of one that lies about its decimals or is gone, and of none that is honest",
    () =>
      Effect.gen(function* () {
        const told = new Set<string>()
        assert.deepStrictEqual(yield* heard(told, Code.plainToken), [])
        const [lying = "", ...others] = yield* heard(told, Code.twoDecimalsToken)
        assert.deepStrictEqual(others, [])
        assert.include(lying, `SILVER at ${listed.address} on local is not what the list`)
        assert.include(lying, "other than 18 decimals")
        assert.deepStrictEqual(yield* heard(told, Code.twoDecimalsToken), [], "it is told once")
        assert.deepStrictEqual(yield* heard(told, Code.plainToken), [])
        assert.lengthOf(yield* heard(told, "0x"), 1)
      })
  )

  it.effect("tells of one that calls itself otherwise, or whose code is another", () =>
    Effect.gen(function* () {
      const heldTo = (says: Says, code: string) =>
        Effect.provideService(heard(new Set(), code), TokenSettings, {
          tokens: [{ ...listed, says }]
        })
      const any: Says = { symbol: null, codeHash: null }
      const codeHash = keccak256(Code.plainToken as `0x${string}`)
      assert.deepStrictEqual(yield* heldTo({ ...any, symbol: "plain" }, Code.plainToken), [])
      const [renamed = ""] = yield* heldTo({ ...any, symbol: "SILVER" }, Code.plainToken)
      assert.include(renamed, "another symbol or other code")
      assert.deepStrictEqual(yield* heldTo({ ...any, codeHash }, Code.plainToken), [])
      assert.lengthOf(yield* heldTo({ ...any, codeHash }, Code.feeToken), 1)
      assert.lengthOf(yield* heldTo({ ...any, codeHash }, "0x"), 1)
    })
  )

  it.effect("tells of another contract behind a proxy, however the proxy keeps it", () =>
    Effect.gen(function* () {
      const { call } = yield* AnvilChain
      const [first, second, beacon] = [
        Rows.anAddressKey(),
        Rows.anAddressKey(),
        Rows.anAddressKey()
      ]
      const word = (address: string) => `0x${"0".repeat(24)}${address.slice(2)}`
      // A beacon that answers any question with the address.
      const answering = (address: string) => `0x73${address.slice(2)}5f5260205ff3`
      yield* call("anvil_setCode", first, Code.feeToken)
      yield* call("anvil_setCode", second, Code.feeToken)
      const behind = `${first}-${keccak256(Code.feeToken as `0x${string}`)}`
      const told = () =>
        Effect.provideService(heard(new Set(), Code.plainToken), TokenSettings, {
          tokens: [{ ...listed, says: { symbol: null, codeHash: null, behind } }]
        })
      const ways: ReadonlyArray<
        readonly [slot: string, put: (to: string) => Effect.Effect<unknown>]
      > = [
        ...Object.values(proxySlots).map((slot) => {
          return [slot, (to: string) => call("anvil_setStorageAt", key, slot, word(to))] as const
        }),
        [
          beaconSlot,
          (to: string) =>
            Effect.andThen(
              call("anvil_setStorageAt", key, beaconSlot, word(beacon)),
              call("anvil_setCode", beacon, answering(to))
            )
        ]
      ]
      for (const [slot, put] of ways) {
        yield* put(first)
        assert.deepStrictEqual(yield* told(), [], slot)
        yield* put(second)
        const [changed = ""] = yield* told()
        assert.include(changed, "its own or behind it", slot)
        yield* put(first)
        yield* call("anvil_setCode", first, Code.plainToken)
        assert.lengthOf(yield* told(), 1, slot)
        yield* call("anvil_setCode", first, Code.feeToken)
        yield* call("anvil_setStorageAt", key, slot, `0x${"0".repeat(64)}`)
        assert.lengthOf(yield* told(), 1, "it is no proxy any more")
      }
    })
  )

  it.effect("what stands in one place of a proxy does not hide what stands in another", () =>
    Effect.gen(function* () {
      const { call } = yield* AnvilChain
      const [first, second] = [Rows.anAddressKey(), Rows.anAddressKey()]
      const put = (slot: string, to: string) =>
        call("anvil_setStorageAt", key, slot, `0x${to.slice(2).padStart(64, "0")}`)
      for (const each of [first, second]) yield* call("anvil_setCode", each, Code.feeToken)
      const hash = keccak256(Code.feeToken as `0x${string}`)
      const told = (behind: string) =>
        Effect.provideService(heard(new Set(), Code.plainToken), TokenSettings, {
          tokens: [{ ...listed, says: { symbol: null, codeHash: null, behind } }]
        })
      for (const own of Object.values(proxySlots)) {
        yield* put(own, first)
        assert.deepStrictEqual(yield* told(`${first}-${hash}`), [])
        for (const other of Object.values(proxySlots).filter((slot) => slot !== own)) {
          yield* put(own, second)
          yield* put(other, first)
          assert.lengthOf(yield* told(`${first}-${hash}`), 1, `${own} behind ${other}`)
          yield* put(own, first)
          assert.deepStrictEqual(yield* told(`${first}-${hash}`), [], "both name the same one")
          yield* put(other, "0x0")
        }
        yield* put(own, "0x0")
      }
    })
  )

  it.effect("asks for no more at once than nodes answer", () =>
    Effect.gen(function* () {
      const chain = yield* AnvilChain
      let widest = 0
      yield* chain.proxy.tamper(async (asked, pass) => {
        widest = Math.max(widest, asked.length)
        return pass(asked)
      })
      const many = Array.from({ length: 45 }, Rows.anAddressKey)
      const found = yield* Effect.flatMap(ProxiedCode, ({ behind }) => behind("local", many)).pipe(
        Effect.provide(EvmProxiedCode.layer([connectionTo(chain)]))
      )
      yield* chain.proxy.tamper()
      assert.deepStrictEqual(
        found,
        many.map(() => undefined)
      )
      assert.isAbove(widest, 20)
      assert.isAtMost(widest, 100)
    })
  )

  it.effect("the doctor tells what is behind a proxy, until its entry holds it to that", () =>
    Effect.gen(function* () {
      const chain = yield* AnvilChain
      const [node = assert.fail("no node")] = nodesOf({ chains: [connectionTo(chain)] })
      const slot = proxySlots.eip1967
      const there = Rows.anAddressKey()
      yield* chain.call("anvil_setCode", key, Code.plainToken)
      yield* chain.call("anvil_setCode", there, Code.feeToken)
      yield* chain.call("anvil_setStorageAt", key, slot, `0x${"0".repeat(24)}${there.slice(2)}`)
      const behind = `${there}-${keccak256(Code.feeToken as `0x${string}`)}`
      const [open] = yield* examine(node, [listed])
      assert.deepInclude(open, { status: "ok" })
      assert.include(open?.message, `held to no contract behind them: SILVER (behind-${behind});`)
      const says: Says = { symbol: null, codeHash: null, behind }
      const [held] = yield* examine(node, [{ ...listed, says }])
      assert.notInclude(held?.message ?? "", "behind them")
      const other: Says = { ...says, behind: behind.replace(/.$/u, "z") }
      const [differs] = yield* examine(node, [{ ...listed, says: other }])
      assert.deepInclude(differs, { status: "problem" })
      yield* chain.call("anvil_setStorageAt", key, slot, `0x${"0".repeat(64)}`)
    })
  )

  it.effect("the doctor names it, and what to do", () =>
    Effect.gen(function* () {
      const chain = yield* AnvilChain
      const [node = assert.fail("no node")] = nodesOf({ chains: [connectionTo(chain)] })
      yield* chain.call("anvil_setCode", key, Code.plainToken)
      const [well] = yield* examine(node, [listed])
      assert.deepInclude(well, { part: "tokens local", status: "ok" })
      assert.match(well?.message ?? "", /Held to no code: SILVER; an entry with code-/u)
      const coded = { symbol: null, codeHash: keccak256(Code.plainToken as `0x${string}`) }
      const [whole] = yield* examine(node, [{ ...listed, says: coded }])
      assert.strictEqual(whole?.message, "Nothing contradicts the 2 tokens of the list.")
      const says = { symbol: "SILVER", codeHash: null }
      const [differs] = yield* examine(node, [{ ...listed, says }])
      assert.deepInclude(differs, { part: "tokens local", status: "problem" })
      assert.include(differs?.message, `SILVER at ${listed.address} is not what the list says`)
      assert.include(differs?.message, "Correct or remove its entry in BURSAR_TOKENS")
      const dead = { ...connectionTo(chain), rpcUrl: "http://127.0.0.1:9" }
      const [nobody = assert.fail("no node")] = nodesOf({ chains: [dead] })
      const [unasked] = yield* examine(nobody, [listed])
      assert.deepInclude(unasked, { part: "tokens local", status: "warning" })
    })
  )
})
