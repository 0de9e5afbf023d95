/** Tokens that describe themselves strangely: none spoils another, and none is believed. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { encodeAbiParameters } from "viem/utils"
import { Holdings } from "../../../core/ports/holdings.ts"
import {
  type Alter,
  altering,
  calling,
  coin,
  facts,
  holderOf,
  receivedBy,
  tokenAt,
  word,
  world
} from "../../support/altered-answers.ts"
import * as Anvil from "../../support/anvil.ts"
import { HoldingWorld } from "../../support/holdings-chain.ts"
import type { Answered } from "../../support/json-rpc-proxy.ts"

const selectors = { name: "0x06fdde03", symbol: "0x95d89b41", decimals: "0x313ce567" }

const string = (text: string) => encodeAbiParameters([{ type: "string" }], [text])

/** A token of ours answers so to one of the three questions about itself. */
const describing =
  (token: string, what: keyof typeof selectors, result: unknown): Alter =>
  (asked, answered) => {
    const { to, data } = calling(asked)
    return to === token && data === selectors[what] ? { id: answered.id, result } : answered
  }

layer(world)("a token that describes itself strangely", (it) => {
  it.effect("is dropped for decimals that are none, and read for those that are", () =>
    Effect.gen(function* () {
      const holder = holderOf("a1")
      const token = yield* (yield* HoldingWorld).airdrop({ ...facts, to: holder })
      const { proxy } = yield* Anvil.AnvilChain
      const dropped = [
        word(37n),
        word(77n),
        word(255n),
        word(2n ** 256n - 1n),
        "0x",
        "0x12",
        `0x${"g".repeat(64)}`,
        null,
        5,
        { toString: 1 }
      ]
      for (const result of dropped) {
        yield* proxy.tamper(altering(describing(token, "decimals", result)))
        assert.deepStrictEqual(yield* receivedBy(holder), [], JSON.stringify(result))
      }
      for (const decimals of [0n, 36n]) {
        yield* proxy.tamper(altering(describing(token, "decimals", word(decimals))))
        const [found] = yield* receivedBy(holder)
        assert.strictEqual(found?.decimals, Number(decimals))
      }
      yield* proxy.tamper()
    })
  )

  it.effect("has a balance only while its claim is the one we know, however it changes", () =>
    Effect.gen(function* () {
      const holder = holderOf("a4")
      const { airdrop, usdc } = yield* HoldingWorld
      const token = yield* airdrop({ ...facts, to: holder })
      const { proxy } = yield* Anvil.AnvilChain
      const { balances } = yield* Holdings
      const ask = balances("local", [holder], [tokenAt(token, 18), coin, tokenAt(usdc, 6)])
      const claims = [0n, 6n, 17n, 77n, 255n, 2n ** 256n - 1n].map(word)
      for (const claim of [...claims, "0x", "0x12", null, 18]) {
        yield* proxy.tamper(altering(describing(token, "decimals", claim)))
        assert.deepStrictEqual(yield* ask, [[undefined, 0n, 0n]], String(claim))
        yield* proxy.tamper()
        assert.deepStrictEqual(yield* ask, [[5n, 0n, 0n]])
      }
    })
  )

  it.effect("has a name of bounded length, or none", () =>
    Effect.gen(function* () {
      const holder = holderOf("a2")
      const token = yield* (yield* HoldingWorld).airdrop({ ...facts, to: holder })
      const { proxy } = yield* Anvil.AnvilChain
      const maker = `0x${Buffer.from("Maker").toString("hex").padEnd(64, "0")}`
      const endless = `0x${word(32n).slice(2)}${word(2n ** 255n).slice(2)}${"41".repeat(64)}`
      const elsewhere = `0x${word(2n ** 200n).slice(2)}${word(3n).slice(2)}${"41".repeat(32)}`
      const invalid = `0x${word(32n).slice(2)}${word(2n).slice(2)}${"ff41".padEnd(64, "0")}`
      const names: ReadonlyArray<readonly [unknown, string]> = [
        [string("Wrapped ✓"), "Wrapped ✓"],
        [maker, "Maker"],
        [string("A".repeat(10_000)), "A".repeat(256)],
        [string("é".repeat(10_000)), "é".repeat(128)],
        [endless, "A".repeat(64)],
        [elsewhere, ""],
        [invalid, "\ufffdA"],
        [string(""), ""],
        ["0x", ""],
        ["0x41", ""],
        [null, ""],
        [{}, ""]
      ]
      for (const [result, expected] of names) {
        yield* proxy.tamper(altering(describing(token, "name", result)))
        const [found] = yield* receivedBy(holder)
        assert.deepInclude(found, { name: expected, symbol: "ODD", balance: 5n })
      }
      yield* proxy.tamper()
    })
  )

  it.effect("that reverts, or floods its answer, is dropped and spoils no other", () =>
    Effect.gen(function* () {
      const holder = holderOf("a3")
      const { airdrop } = yield* HoldingWorld
      const bad = yield* airdrop({ ...facts, symbol: "BAD", to: holder })
      yield* airdrop({ ...facts, symbol: "GOOD", to: holder })
      const { proxy } = yield* Anvil.AnvilChain
      const errors = [
        { code: 3, message: "execution reverted: too many requests, rate limit exceeded" },
        { code: -32000, message: "out of gas" },
        { code: -32000, message: "gas required exceeds allowance" },
        { code: -32603, message: "EVM error InvalidFEOpcode" }
      ]
      const flood = `0x${"41".repeat(9 * 1024 * 1024)}`
      const ways: ReadonlyArray<(id: number) => Answered> = [
        ...errors.map((error) => (id: number) => ({ id, error })),
        (id) => ({ id, result: flood })
      ]
      for (const way of ways) {
        const alter: Alter = (asked, answered) =>
          calling(asked).to === bad ? way(answered.id) : answered
        yield* proxy.tamper(altering(alter))
        const found = yield* receivedBy(holder)
        assert.deepStrictEqual(
          found.map(({ symbol }) => symbol),
          ["GOOD"]
        )
      }
      yield* proxy.tamper()
    })
  )
})
