/** Nodes that answer strangely: what is no token makes none, and every question they are asked is bounded. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { encodeAbiParameters, getAddress } from "viem/utils"
import * as Evm from "../../../adapters/evm/holdings.ts"
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
import * as Value from "../../support/chain-values.ts"
import { deployMulticall, HoldingWorld } from "../../support/holdings-chain.ts"
import type { Asked, Tampering } from "../../support/json-rpc-proxy.ts"

/** Logs of a node's own making, beside those there are. */
const adding =
  (logs: ReadonlyArray<unknown>): Alter =>
  ({ method }, answered) =>
    method === "eth_getLogs" && Array.isArray(answered.result)
      ? { id: answered.id, result: [...logs, ...answered.result] }
      : answered

const transfer = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

layer(world)("a node that answers strangely", (it) => {
  it.effect("makes no token of what is none", () =>
    Effect.gen(function* () {
      const holder = holderOf("b1")
      const token = yield* (yield* HoldingWorld).airdrop({ ...facts, to: holder })
      const { proxy } = yield* Anvil.AnvilChain
      const to = `0x${"0".repeat(24)}${holder.slice(2).toLowerCase()}`
      const from = word(1n)
      const log = { address: `0x${"99".repeat(20)}`, topics: [transfer, from, to], data: word(1n) }
      yield* proxy.tamper(
        altering(
          adding([
            null,
            5,
            "log",
            {},
            { ...log, topics: [transfer, from, to, word(7n)], data: "0x" },
            { ...log, topics: "many" },
            { ...log, address: "0x99" },
            { ...log, removed: true },
            { ...log, data: "0x" },
            { ...log, topics: [word(5n), from, to] },
            { ...log, topics: [transfer, from, word(2n)] }
          ])
        )
      )
      const found = yield* receivedBy(holder)
      assert.deepStrictEqual(
        found.map(({ tokenAddress }) => tokenAddress),
        [token]
      )
      assert.notInclude(JSON.stringify(proxy.asked()), "99".repeat(20))
      yield* proxy.tamper()
    })
  )

  it.effect("is asked of a bounded number of tokens, the newest, however many there are", () =>
    Effect.gen(function* () {
      const holder = holderOf("b2")
      const { proxy } = yield* Anvil.AnvilChain
      const to = `0x${"0".repeat(24)}${holder.slice(2).toLowerCase()}`
      const addressOf = (at: number) => `0x${at.toString(16).padStart(40, "d")}`
      const logs = Array.from({ length: 20_000 }, (_, at) => ({
        address: addressOf(at),
        topics: [transfer, word(1n), to],
        data: word(1n)
      }))
      yield* proxy.tamper(altering(adding(logs)))
      const before = proxy.asked().length
      assert.deepStrictEqual(yield* receivedBy(holder), [])
      const batches = proxy.asked().slice(before)
      const asked = batches.flat().map((each) => calling(each).to)
      const tokens = new Set(asked.filter((each) => each.startsWith("0xddd")))
      assert.strictEqual(tokens.size, 50)
      assert.isTrue(tokens.has(addressOf(19_999)))
      assert.isBelow(batches.length, 60)
      yield* proxy.tamper()
    })
  )

  it.effect("that allows few blocks is asked for fewer, and for more again later", () =>
    Effect.gen(function* () {
      const holder = holderOf("b3")
      const token = yield* (yield* HoldingWorld).airdrop({ ...facts, to: holder })
      const { proxy, mine } = yield* Anvil.AnvilChain
      yield* mine(500)
      const spanOf = ({ params: [filter] }: Asked) => {
        const { fromBlock, toBlock } = filter as Record<string, string>
        return Number(toBlock) - Number(fromBlock) + 1
      }
      const allowing = (most: number): Tampering =>
        altering((asked, answered) =>
          asked.method === "eth_getLogs" && spanOf(asked) > most
            ? { id: answered.id, error: { code: -32602, message: "block range is too large" } }
            : answered
        )
      const found = Effect.map(receivedBy(holder), (all) =>
        all.map(({ tokenAddress }) => tokenAddress)
      )
      yield* proxy.tamper(allowing(350))
      assert.deepStrictEqual(yield* found, [])
      yield* proxy.tamper(allowing(0))
      assert.deepStrictEqual(yield* found, [])
      yield* proxy.tamper()
      for (let asked = 0; asked < 4; asked++) yield* found
      assert.deepStrictEqual(yield* found, [token])
    })
  )

  it.effect("whose USDC or coin is no number is taken for a chain that is away", () =>
    Effect.gen(function* () {
      const { usdc } = yield* HoldingWorld
      const { proxy } = yield* Anvil.AnvilChain
      const { balances } = yield* Holdings
      const ask = balances("local", [holderOf("b4")], [coin, tokenAt(usdc, 6)])
      const wrong: ReadonlyArray<Alter> = [
        (asked, { id, ...rest }) =>
          calling(asked).data.startsWith("0x70a08231") ? { id, result: "0x" } : { id, ...rest },
        (asked, { id, ...rest }) =>
          asked.method === "eth_getBalance" ? { id, result: "lots" } : { id, ...rest },
        (asked, { id, ...rest }) =>
          calling(asked).data.startsWith("0x70a08231")
            ? { id, error: { code: 3, message: "execution reverted" } }
            : { id, ...rest }
      ]
      for (const alter of wrong) {
        yield* proxy.tamper(altering(alter))
        assert.strictEqual((yield* Effect.flip(ask)).reason, "inconsistent")
      }
      yield* proxy.tamper()
      assert.deepStrictEqual(yield* ask, [[0n, 0n]])
    })
  )
})

const aggregate = "0x82ad56cb"

layer(world)("Multicall3", (it) => {
  it.effect(
    "is looked for once, answers many balances in few calls, and is not believed when it errs",
    () =>
      Effect.gen(function* () {
        const chain = yield* Anvil.AnvilChain
        yield* deployMulticall(chain)
        const { usdc } = yield* HoldingWorld
        const { proxy } = chain
        const { balances } = Context.get(
          yield* Layer.build(Evm.layer([Anvil.connectionTo(chain)])),
          Holdings
        )
        const holders = Array.from({ length: 300 }, (_, at) =>
          Value.address(getAddress(`0x${at.toString(16).padStart(40, "c")}`))
        )
        const before = proxy.asked().length
        assert.lengthOf(yield* balances("local", holders, [coin, tokenAt(usdc, 6)]), 300)
        yield* balances("local", holders.slice(0, 1), [tokenAt(usdc, 6)])
        const asked = proxy.asked().slice(before).flat()
        const methods = asked.map(({ method }) => method)
        assert.lengthOf(
          methods.filter((method) => method === "eth_getCode"),
          1
        )
        assert.notInclude(methods, "eth_getBalance")
        const calls = asked.filter((each) => calling(each).data.startsWith(aggregate))
        assert.lengthOf(calls, 3)
        const shortened = encodeAbiParameters(
          [{ type: "tuple[]", components: [{ type: "bool" }, { type: "bytes" }] }],
          [[[true, "0x"]]] as never
        )
        for (const result of ["0x", "0x1234", word(1n), shortened, null]) {
          const alter: Alter = (question, { id, ...rest }) =>
            calling(question).data.startsWith(aggregate) ? { id, result } : { id, ...rest }
          yield* proxy.tamper(altering(alter))
          const failed = yield* Effect.flip(
            balances("local", holders.slice(0, 2), [tokenAt(usdc, 6)])
          )
          assert.strictEqual(failed.reason, "inconsistent", String(result))
        }
        yield* proxy.tamper()
      })
  )

  it.effect("is left aside when a call of it fails, so that one contract hides no money", () =>
    Effect.gen(function* () {
      const chain = yield* Anvil.AnvilChain
      yield* deployMulticall(chain)
      const { usdc, pay, airdrop, giveCoins } = yield* HoldingWorld
      const { proxy } = chain
      const holder = holderOf("c1")
      yield* pay(holder, 7n)
      yield* giveCoins(holder, 9n)
      const burning = yield* airdrop({ ...facts, symbol: "BURN", to: holder })
      const { balances } = Context.get(
        yield* Layer.build(Evm.layer([Anvil.connectionTo(chain)])),
        Holdings
      )
      const ask = balances("local", [holder], [coin, tokenAt(burning, 18), tokenAt(usdc, 6)])
      assert.deepStrictEqual(yield* ask, [[9n, 5n, 7n]])
      for (const message of ["out of gas", "gas required exceeds allowance (50000000)"]) {
        const error = { code: -32000, message }
        const alter: Alter = (asked, { id, ...rest }) =>
          calling(asked).data.startsWith(aggregate) || calling(asked).to === burning
            ? { id, error }
            : { id, ...rest }
        yield* proxy.tamper(altering(alter))
        assert.deepStrictEqual(yield* ask, [[9n, undefined, 7n]])
      }
      yield* proxy.tamper()
    })
  )
})
