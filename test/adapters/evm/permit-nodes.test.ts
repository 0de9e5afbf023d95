/** Permits over nodes that lie or lag: nothing is signed for a guess, and nothing is taken for done by one. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { encodeFunctionData, parseAbi } from "viem/utils"
import { address } from "../../../adapters/evm/contract.ts"
import { EvmRelay } from "../../../core/evm/relay.ts"
import * as Anvil from "../../support/anvil.ts"
import { world } from "../../support/anvil-sending-chain.ts"
import { assertUnavailable, changing, tamper } from "../../support/faulty-node.ts"
import {
  assertPaidBy,
  attemptOf,
  authorized,
  broadcast,
  orderOf,
  PayingWorld,
  trace
} from "../../support/sending-chain.ts"
import { addressOf } from "../../support/watched-chain.ts"

const spender = addressOf("a")
const approveAbi = parseAbi(["function approve(address spender, uint256 value) returns (bool)"])
/** The selector of `nonces(address)`. */
const asksCount = "0x7ecebe00"

const permit = (keyNumber: number, lastsSeconds = 1000) =>
  ({ act: "permit", to: spender, amountMicro: 5n, keyNumber, lastsSeconds }) as const

/** The owner's own transaction, as one would send it who holds the key elsewhere. */
const approveDirectly = Effect.fnUntraced(function* (owner: string, amount: bigint) {
  const { call, mine, usdc } = yield* Anvil.AnvilChain
  const args = [address(spender), amount] as const
  const data = encodeFunctionData({ abi: approveAbi, functionName: "approve", args })
  yield* call("anvil_setBalance", owner, "0xde0b6b3a7640000")
  yield* call("anvil_impersonateAccount", owner)
  yield* call("eth_sendTransaction", { from: owner, to: usdc, data, gas: "0x186a0" })
  yield* mine(1)
})

layer(world)("permits and their nodes", (it) => {
  it.effect("a node that does not tell the count gets nothing signed", () =>
    Effect.gen(function* () {
      const { authorize } = yield* EvmRelay
      const order = yield* orderOf(permit(1))
      for (const result of ["0x", null, "soon"]) {
        yield* tamper(
          changing((asked, answered) =>
            JSON.stringify(asked.params).includes(asksCount) ? { ...answered, result } : answered
          )
        )
        assertUnavailable(yield* Effect.flip(authorize(order)), "inconsistent")
      }
      yield* tamper()
      assert.strictEqual((yield* authorize(order)).nonce, "0")
    })
  )

  it.effect("the same amount approved in another way does not pass for the permit", () =>
    Effect.gen(function* () {
      const { confirmations, mine } = yield* PayingWorld
      const ours = yield* authorized(permit(2))
      const other = yield* authorized(permit(2, 1100))
      yield* approveDirectly(ours.from, 5n)
      assert.deepStrictEqual(yield* trace(ours), { _tag: "pending" })
      yield* broadcast(yield* attemptOf(other))
      yield* mine(1)
      yield* approveDirectly(ours.from, 5n)
      assert.deepStrictEqual(yield* trace(ours), { _tag: "nonce_consumed", isFinal: false })
      yield* mine(confirmations)
      assert.deepStrictEqual(yield* trace(ours), { _tag: "nonce_consumed", isFinal: true })
    })
  )

  it.effect("a permit that was taken stays taken, whatever the owner approves after it", () =>
    Effect.gen(function* () {
      const { mine } = yield* PayingWorld
      const ours = yield* authorized(permit(3))
      const attempt = yield* attemptOf(ours)
      yield* broadcast(attempt)
      yield* mine(1)
      yield* approveDirectly(ours.from, 0n)
      assertPaidBy(yield* trace(ours, attempt), attempt)
      assertPaidBy(yield* trace(ours), attempt)
    })
  )

  const halves = ["eth_getTransactionReceipt", "eth_getTransactionByHash"]
  it.effect.each(halves)("a log without its %s is asked for again, and not believed", (half) =>
    Effect.gen(function* () {
      const { mine } = yield* PayingWorld
      const ours = yield* authorized(permit(4 + halves.indexOf(half)))
      yield* broadcast(yield* attemptOf(ours))
      yield* mine(1)
      yield* tamper(
        changing((asked, answered) =>
          asked.method === half ? { id: asked.id, result: null } : answered
        )
      )
      assertUnavailable(yield* Effect.flip(trace(ours)), "inconsistent")
      yield* tamper()
      assert.propertyVal(yield* trace(ours), "_tag", "paid")
    })
  )
})
