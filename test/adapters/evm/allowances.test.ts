/** Reading allowances on EVM chains keeps the contract, proven on anvil with Circle's own contract. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { encodeFunctionData, keccak256, parseAbi, toHex } from "viem/utils"
import { address } from "../../../adapters/evm/contract.ts"
import { Allowances } from "../../../core/ports/holdings.ts"
import * as Contract from "../../contracts/allowances.contract.ts"
import { AllowanceWorld } from "../../support/allowance-chain.ts"
import * as Anvil from "../../support/anvil.ts"
import * as Value from "../../support/chain-values.ts"
import { asksLogsBy, changing, refusing } from "../../support/faulty-node.ts"
import { addressOf } from "../../support/watched-chain.ts"

const abi = parseAbi(["function approve(address spender, uint256 value) returns (bool)"])

const otherToken = Value.key(`0x${"0e".repeat(20)}`)
const proxySlots = ["implementation", "admin"].map((each) =>
  keccak256(toHex(`org.zeppelinos.proxy.${each}`))
)

const base = Layer.effect(
  AllowanceWorld,
  Effect.gen(function* () {
    const chain = yield* Anvil.AnvilChain
    const usdc = Value.key(chain.usdc)
    // A second proxy on the same implementation: a token of its own, with nothing in it.
    const code = yield* chain.call("eth_getCode", usdc, "latest")
    yield* chain.call("anvil_setCode", otherToken, code)
    for (const slot of proxySlots) {
      const kept = yield* chain.call("eth_getStorageAt", usdc, slot, "latest")
      yield* chain.call("anvil_setStorageAt", otherToken, slot, kept)
    }
    return {
      chainId: "local",
      usdc,
      otherToken,
      approve: Effect.fnUntraced(function* ({ owner, spender, amount, token = usdc }) {
        const args = [address(spender), amount] as const
        const data = encodeFunctionData({ abi, functionName: "approve", args })
        yield* chain.call("anvil_setBalance", owner, "0xde0b6b3a7640000")
        yield* chain.call("anvil_impersonateAccount", owner)
        const transaction = { from: owner, to: token, data, gas: "0x186a0" }
        const txHash = String(yield* chain.call("eth_sendTransaction", transaction))
        yield* chain.mine(1)
        return Value.transaction(txHash)
      }),
      mine: chain.mine,
      reorg: (depth: number) => chain.reorg(depth),
      outage: chain.outage
    }
  })
)

const world = base.pipe(
  Layer.provideMerge(Layer.merge(Anvil.chains, Anvil.allowances)),
  Layer.provideMerge(Anvil.layer)
)

Contract.suite("anvil", world)

layer(world)("allowances over a node that disturbs", (it) => {
  it.effect("logs are sought in smaller ranges when a node finds one too large", () =>
    Effect.gen(function* () {
      const { proxy } = yield* Anvil.AnvilChain
      const { approve, mine } = yield* AllowanceWorld
      const owner = addressOf("1")
      yield* mine(40)
      const txHash = yield* approve({ owner, spender: addressOf("a"), amount: 5n })
      const isLarge = (params: ReadonlyArray<unknown>) => {
        const { fromBlock, toBlock } = params[0] as Record<"fromBlock" | "toBlock", string>
        return Number(toBlock) - Number(fromBlock) > 9
      }
      yield* proxy.tamper(
        changing((asked, answered) =>
          asksLogsBy("fromBlock")(asked) && isLarge(asked.params)
            ? { id: asked.id, error: { code: -32005, message: "query returned more than 10000" } }
            : answered
        )
      )
      const found = yield* (yield* Allowances).recent("local", [owner])
      yield* proxy.tamper()
      assert.deepStrictEqual(
        found.map((given) => given.txHash),
        [txHash]
      )
    })
  )

  it.effect("anybody's logs in a wallet's name are looked into so far and no further", () =>
    Effect.gen(function* () {
      const { proxy } = yield* Anvil.AnvilChain
      const { approve } = yield* AllowanceWorld
      const owner = addressOf("2")
      const txHash = yield* approve({ owner, spender: addressOf("a"), amount: 5n })
      yield* proxy.tamper(
        changing((asked, answered) => {
          const logs = answered.result
          if (!asksLogsBy("fromBlock")(asked) || !Array.isArray(logs)) return answered
          const forged = logs.flatMap((log) =>
            Array.from({ length: 500 }, (_, at) => ({
              ...log,
              address: `0x${at.toString(16).padStart(40, "f")}`
            }))
          )
          return { ...answered, result: [...forged, ...logs] }
        })
      )
      const found = yield* (yield* Allowances).recent("local", [owner])
      yield* proxy.tamper()
      assert.lengthOf(found, 50)
      assert.strictEqual(found.at(-1)?.txHash, txHash)
    })
  )

  it.effect("what is no approval is passed over", () =>
    Effect.gen(function* () {
      const { proxy } = yield* Anvil.AnvilChain
      const { approve } = yield* AllowanceWorld
      const owner = addressOf("3")
      yield* approve({ owner, spender: addressOf("a"), amount: 5n })
      const bent = (log: Readonly<Record<string, unknown>>) => [
        { ...log, removed: true },
        { ...log, topics: [...(log.topics as ReadonlyArray<string>), `0x${"0".repeat(64)}`] },
        { ...log, data: "0x" },
        { ...log, topics: [`0x${"1".repeat(64)}`] },
        { ...log, blockNumber: "soon" },
        null,
        "log"
      ]
      yield* proxy.tamper(
        changing((asked, answered) =>
          asksLogsBy("fromBlock")(asked) && Array.isArray(answered.result)
            ? { ...answered, result: answered.result.flatMap(bent) }
            : answered
        )
      )
      assert.deepStrictEqual(yield* (yield* Allowances).recent("local", [owner]), [])
      yield* proxy.tamper()
    })
  )

  it.effect(
    "a node that refuses to call says nothing of a token, unless the token itself reverts",
    () =>
      Effect.gen(function* () {
        const { proxy } = yield* Anvil.AnvilChain
        const { usdc } = yield* AllowanceWorld
        const asked = [{ token: usdc, owner: addressOf("4"), spender: addressOf("a") }]
        yield* proxy.tamper(refusing("rate limit exceeded", 429))
        const failed = yield* Effect.flip((yield* Allowances).current("local", asked))
        assert.strictEqual(failed.reason, "limited")
        yield* proxy.tamper(refusing("execution reverted", 3))
        assert.deepStrictEqual(yield* (yield* Allowances).current("local", asked), [undefined])
        yield* proxy.tamper()
      })
  )
})
