/** EVM chains keep the contract of what they tell of the past; a node that has thrown it away says so. */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Layer, Stream } from "effect"
import { encodeFunctionData } from "viem/utils"
import { abi, address } from "../../../adapters/evm/contract.ts"
import * as History from "../../../adapters/evm/token-history.ts"
import { TokenHistory } from "../../../core/ports/token-history.ts"
import * as Contract from "../../contracts/token-history.contract.ts"
import * as Anvil from "../../support/anvil.ts"
import * as Value from "../../support/chain-values.ts"
import { airdropOn, deployMulticall } from "../../support/holdings-chain.ts"
import type * as JsonRpcProxy from "../../support/json-rpc-proxy.ts"

let addresses = 0

const someone = () =>
  Value.lower(`0x${(++addresses).toString(16).padStart(8, "0")}${"ef".repeat(16)}`)

const blockTime = Effect.fnUntraced(function* ({ call }: Anvil.AnvilChain["Service"]) {
  const block = (yield* call("eth_getBlockByNumber", "latest", false)) as { timestamp: string }
  return Number(block.timestamp) * 1000
})

const world = Layer.effect(
  Contract.PastWorld,
  Effect.gen(function* () {
    const chain = yield* Anvil.AnvilChain
    const payer = Value.lower(chain.payer)
    const token = yield* airdropOn(chain)({
      to: payer,
      amount: 10n ** 24n,
      symbol: "GOLD",
      name: "Gold",
      decimals: 18
    })
    return {
      chainId: "local",
      tokens: [Value.key(chain.usdc), token] as const,
      payer,
      someone,
      pay: Effect.fnUntraced(function* (to: string, units: bigint, of: string) {
        if (of === Value.key(chain.usdc)) return yield* chain.pay(to, units)
        const args = [address(Value.key(to)), units] as const
        const data = encodeFunctionData({ abi, functionName: "transfer", args })
        const sent = yield* chain.call("eth_sendTransaction", { from: payer, to: of, data })
        yield* chain.mine(1)
        return String(sent)
      }),
      moment: Effect.gen(function* () {
        const at = yield* blockTime(chain)
        yield* chain.timePasses(20)
        return DateTime.makeUnsafe(at + 10_000)
      }),
      settle: Effect.andThen(chain.timePasses(30), chain.mine(100)),
      outage: chain.outage
    }
  })
)

const history = Layer.unwrap(
  Effect.map(Anvil.AnvilChain, (chain) =>
    History.layer([Anvil.connectionTo(chain, { maxBlocks: 1 })])
  )
)
const withMulticall = Layer.effect(
  Anvil.AnvilChain,
  Effect.tap(Anvil.AnvilChain, deployMulticall)
).pipe(Layer.provide(Anvil.layer))

Contract.suite("anvil", Layer.merge(world, history).pipe(Layer.provide(Anvil.layer)))
Contract.suite(
  "anvil with Multicall3",
  Layer.merge(world, history).pipe(Layer.provide(withMulticall))
)

/** A node that answers what matches with an error in these words, or in its place with nothing. */
const refusing = Effect.fnUntraced(function* (
  matches: (asked: JsonRpcProxy.Asked) => boolean,
  message: string | null
) {
  const answer = message === null ? { result: null } : { error: { code: -32000, message } }
  yield* (yield* Anvil.AnvilChain).proxy.tamper(async (asked, pass) => ({
    status: 200,
    body: JSON.stringify(
      (await pass(asked)).map((given, at) => {
        const call = asked[at]
        return call !== undefined && matches(call)
          ? { jsonrpc: "2.0", id: given.id, ...answer }
          : given
      })
    )
  }))
})

const isOfPast = ({ method, params }: JsonRpcProxy.Asked) =>
  method === "eth_getLogs" || (method === "eth_call" && params[1] !== "latest")

/** What a node may say of what it has thrown away, and what it may say of anything. */
const words = {
  forgotten: [
    "missing trie node d67e (path ) state 0xab is not available",
    "state at block #12 is pruned",
    "pruned history unavailable",
    "old data not available due to pruning: first block: 4000000",
    "project ID does not have access to archive state",
    "Archive requests exceed the limit of your plan",
    "required historical state unavailable (reexec=128)",
    "No state available for block 0x12",
    "BlockOutOfRangeError: block height is 329 but requested was 27"
  ],
  passing: [
    "internal error",
    "header not found",
    "BlockOutOfRangeError: block height is 27 but requested was 329",
    "block not found: 0x12",
    "service temporarily unavailable",
    "no backend is available",
    "execution timeout",
    "archive backend is overloaded",
    "state is temporarily unavailable",
    "request count exceeded: archive requests of this second are used up"
  ]
}

it.live("a node that has thrown the past away is no zero, but says how to mend it", () =>
  Effect.gen(function* () {
    const chain = yield* Anvil.AnvilChain
    const { balances, movements } = yield* TokenHistory
    yield* chain.pay(someone(), 5n)
    const asked = { owners: [someone()], tokens: [Value.key(chain.usdc)] }
    const moved = Stream.runCollect(movements("local", { after: 0, through: 2 }, asked))
    for (const [tag, all] of [
      ["HistoryMissing", words.forgotten],
      ["ChainUnavailable", words.passing]
    ] as const) {
      for (const message of all) {
        yield* refusing(isOfPast, message)
        const failed = yield* Effect.flip(balances("local", 1, asked))
        assert.strictEqual(failed._tag, tag, message)
        if (tag === "HistoryMissing") assert.include(failed.message, "archive node")
        assert.strictEqual((yield* Effect.flip(moved))._tag, tag, message)
      }
    }
    yield* chain.proxy.tamper()
    assert.deepStrictEqual(yield* balances("local", 1, asked), [[0n]])
    yield* moved
  }).pipe(Effect.provide(history.pipe(Layer.provideMerge(Anvil.layer))))
)

it.live("old blocks that are missing are thrown away, and new ones are not there yet", () =>
  Effect.gen(function* () {
    const chain = yield* Anvil.AnvilChain
    const { lastBefore } = yield* TokenHistory
    yield* chain.mine(100)
    yield* chain.timePasses(20)
    const at = DateTime.makeUnsafe((yield* blockTime(chain)) - 10_000)
    yield* chain.mine(100)
    const found = yield* lastBefore("local", at)
    const numberIn = ({ method, params: [number] }: JsonRpcProxy.Asked) =>
      method === "eth_getBlockByNumber" ? Number(number) : Number.NaN
    yield* refusing((call) => numberIn(call) <= found.number, null)
    assert.strictEqual((yield* Effect.flip(lastBefore("local", at)))._tag, "HistoryMissing")
    for (const ahead of [0, 1, 2]) {
      yield* refusing((call) => numberIn(call) >= found.number + ahead, null)
      const failed = yield* Effect.flip(lastBefore("local", at))
      assert.strictEqual(failed._tag, "ChainUnavailable", `${ahead} blocks ahead`)
    }
    // The first look has a node that lags, and the next one a node that does not.
    let looks = 0
    yield* chain.proxy.tamper(async (asked, pass) => {
      const many = asked.filter(({ method }) => method === "eth_getBlockByNumber").length > 2
      looks += many ? 1 : 0
      const given = await pass(asked)
      const isBlank = many && looks === 1
      const body = isBlank ? given.map((answer) => ({ ...answer, result: null })) : given
      return { status: 200, body: JSON.stringify(body) }
    })
    const early = DateTime.makeUnsafe(at.epochMilliseconds - 15_000)
    const guessed = yield* Effect.flip(lastBefore("local", early))
    assert.strictEqual(guessed._tag, "ChainUnavailable")
    yield* chain.proxy.tamper()
    assert.deepStrictEqual(yield* lastBefore("local", at), found)
  }).pipe(Effect.provide(history.pipe(Layer.provideMerge(Anvil.layer))))
)

it.live("a node that lags tells of no movements, and not that there were none", () =>
  Effect.gen(function* () {
    const chain = yield* Anvil.AnvilChain
    const { movements } = yield* TokenHistory
    yield* chain.pay(someone(), 5n)
    const number = Number(yield* chain.call("eth_blockNumber"))
    yield* chain.proxy.tamper(async (asked, pass) => ({
      status: 200,
      body: JSON.stringify(
        (await pass(asked)).map((answer, at) => {
          if (asked[at]?.method === "eth_getLogs") return { ...answer, result: [] }
          const isLast = asked[at]?.params[0] === `0x${number.toString(16)}`
          return isLast ? { ...answer, result: null } : answer
        })
      )
    }))
    const asked = { owners: [Value.lower(chain.payer)], tokens: [Value.key(chain.usdc)] }
    const range = { after: number - 1, through: number }
    const failed = yield* Effect.flip(Stream.runCollect(movements("local", range, asked)))
    assert.strictEqual(failed._tag, "ChainUnavailable")
    assert.include(failed.message, `does not have block ${number}`)
    yield* refusing(({ method }) => method === "eth_getLogs", null)
    const unlisted = yield* Effect.flip(Stream.runCollect(movements("local", range, asked)))
    assert.strictEqual(unlisted._tag, "ChainUnavailable")
    assert.include(unlisted.message, "is no list")
  }).pipe(Effect.provide(history.pipe(Layer.provideMerge(Anvil.layer))))
)
