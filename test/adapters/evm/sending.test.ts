/** What Circle's contract says to sends, and where a send's end is found when none of ours did it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HDKey, hdKeyToAccount, privateKeyToAccount } from "viem/accounts"
import { bytesToHex, encodeFunctionData, parseAbi } from "viem/utils"
import type { Authorization } from "../../../core/evm/journal.ts"
import { EvmRelay } from "../../../core/evm/relay.ts"
import * as Usdc from "../../../core/money/usdc.ts"
import * as Anvil from "../../support/anvil.ts"
import { payouts, seed, seedKeys, world } from "../../support/anvil-sending-chain.ts"
import * as Value from "../../support/chain-values.ts"
import { asksLogsBy, changing, tamper } from "../../support/faulty-node.ts"
import {
  assertPaidBy,
  attemptOf,
  authorized,
  broadcast,
  fundedAndAuthorized,
  held,
  orderOf,
  PayingWorld,
  trace
} from "../../support/sending-chain.ts"
import { addressOf } from "../../support/watched-chain.ts"

const abi = parseAbi([
  "function blacklist(address account)",
  "function pause()",
  "function unpause()",
  "function cancelAuthorization(address authorizer, bytes32 nonce, bytes signature)"
])

/** Calls the token as its owner, in a block of its own. */
const own = Effect.fnUntraced(function* (data: string) {
  const { call, payer, usdc } = yield* Anvil.AnvilChain
  const txHash = yield* call("eth_sendTransaction", { from: payer, to: usdc, data, gas: "0x30d40" })
  yield* call("evm_mine")
  const receipt = yield* call("eth_getTransactionReceipt", txHash)
  assert.propertyVal(receipt, "status", "0x1")
})

const cancel = Effect.fnUntraced(function* (authorization: Authorization, index: number) {
  const { privateKey } = HDKey.fromMasterSeed(seed).derive(`m${"/0'".repeat(7)}/${index}'`)
  const account = privateKeyToAccount(bytesToHex(privateKey as Uint8Array))
  const [authorizer, nonce] = [account.address, authorization.nonce as `0x${string}`]
  const signature = yield* Effect.promise(() =>
    account.signTypedData({
      domain: {
        name: "USD Coin",
        version: "2",
        chainId: 31337,
        verifyingContract: authorization.token as `0x${string}`
      },
      types: {
        CancelAuthorization: [
          { name: "authorizer", type: "address" },
          { name: "nonce", type: "bytes32" }
        ]
      },
      primaryType: "CancelAuthorization",
      message: { authorizer, nonce }
    })
  )
  const args = [authorizer, nonce, signature] as const
  yield* own(encodeFunctionData({ abi, functionName: "cancelAuthorization", args }))
})

const wouldRevert = (reason: string) => ({ _tag: "would_revert", reason }) as const

layer(world)("sends and Circle's contract", (it) => {
  it.effect("the nonce of a transfer is the identity of its payment", () =>
    Effect.gen(function* () {
      const order = yield* orderOf({ keyNumber: 1, to: addressOf("1"), amountMicro: 1n })
      const { nonce } = yield* (yield* EvmRelay).authorize(order)
      assert.strictEqual(nonce, `0x${order.identity}`)
    })
  )

  it.effect("a wallet sends from the address its signer tells, and no relayer is a wallet", () =>
    Effect.gen(function* () {
      const to = addressOf("1")
      const signed = yield* Effect.forEach([0, 1, 77], (keyNumber) =>
        authorized({ keyNumber, to, amountMicro: 1n })
      )
      const { walletAt } = yield* PayingWorld
      const addresses = yield* Effect.forEach([0, 1, 77], walletAt)
      assert.deepStrictEqual(
        signed.map(({ from }) => from),
        addresses.map((address) => address.toLowerCase())
      )
      const relayer = yield* (yield* EvmRelay).relayerAddress("local")
      const path = "m/44'/60'/1'/0'/0'"
      assert.strictEqual(
        relayer,
        Value.address(hdKeyToAccount(HDKey.fromMasterSeed(seed), { path }).address)
      )
    })
  )

  it.effect("a seed signs the same thing the same, to the last byte", () =>
    Effect.gen(function* () {
      const { chainId } = yield* PayingWorld
      const { conditions, wrap } = yield* EvmRelay
      const sending = { keyNumber: 1, to: addressOf("1"), amountMicro: 1n }
      const signed = yield* authorized(sending)
      assert.deepStrictEqual(yield* authorized(sending), signed)
      const fees = { ...(yield* conditions(chainId)), gas: 150_000n }
      const first = yield* wrap(signed, 4, fees)
      assert.deepStrictEqual(yield* wrap(signed, 4, fees), first)
    })
  )

  it.effect("what the token refuses is told in plain words", () =>
    Effect.gen(function* () {
      const { simulate } = yield* EvmRelay
      const sending = { keyNumber: 1, amountMicro: 5n }
      const authorization = yield* fundedAndAuthorized({ ...sending, to: addressOf("1") })
      yield* own(encodeFunctionData({ abi, functionName: "pause" }))
      assert.deepStrictEqual(yield* simulate(authorization), wouldRevert("The token is paused."))
      yield* own(encodeFunctionData({ abi, functionName: "unpause" }))
      const args = [addressOf("b") as `0x${string}`] as const
      yield* own(encodeFunctionData({ abi, functionName: "blacklist", args }))
      const toListed = yield* authorized({ ...sending, to: addressOf("b") })
      assert.deepStrictEqual(
        yield* simulate(toListed),
        wouldRevert("An address is blacklisted by the token.")
      )
      const changed = { ...authorization, amountMicro: Usdc.make(4n) }
      assert.deepStrictEqual(yield* simulate(changed), wouldRevert("The signature is invalid."))
      assert.propertyVal(yield* simulate(authorization), "_tag", "ok")
    })
  )

  it.effect("a cancelled authorization is impossible once that is final, and is no payment", () =>
    Effect.gen(function* () {
      const { confirmations, mine } = yield* PayingWorld
      const sending = { keyNumber: 2, to: addressOf("2"), amountMicro: 5n }
      const authorization = yield* fundedAndAuthorized(sending)
      const attempt = yield* attemptOf(authorization)
      yield* cancel(authorization, 2)
      assert.deepStrictEqual(yield* trace(authorization, attempt), { _tag: "spent" })
      yield* mine(confirmations)
      assert.deepStrictEqual(yield* trace(authorization, attempt), { _tag: "impossible" })
      assert.strictEqual(yield* held(addressOf("2")), 0n)
    })
  )

  it.effect("an identity that was cancelled is used up, and paid nobody", () =>
    Effect.gen(function* () {
      const { chainId } = yield* PayingWorld
      const { findPayment } = yield* EvmRelay
      const order = yield* orderOf({ keyNumber: 8, to: addressOf("8"), amountMicro: 5n })
      yield* cancel(yield* (yield* EvmRelay).authorize(order), 8)
      const found = yield* findPayment({ chainId, from: order.from, identity: order.identity })
      assert.deepInclude(found, { isFinal: false, paid: null })
    })
  )

  it.effect("a payment is sought a range at a time where a node refuses more, a month back", () =>
    Effect.gen(function* () {
      const { chainId, mine } = yield* PayingWorld
      const { findPayment } = yield* EvmRelay
      const sending = { keyNumber: 9, to: addressOf("9"), amountMicro: 5n }
      const { identity } = yield* orderOf(sending)
      const authorization = yield* fundedAndAuthorized(sending)
      const attempt = yield* attemptOf(authorization)
      yield* broadcast(attempt)
      yield* mine(200)
      const payment = { chainId, from: authorization.from, identity }
      yield* tamper(
        changing((asked, answered) => {
          if (!asksLogsBy("fromBlock")(asked)) return answered
          const { fromBlock, toBlock } = asked.params[0] as { fromBlock: string; toBlock: string }
          return Number(toBlock) - Number(fromBlock) > 60
            ? { id: answered.id, error: { code: -32005, message: "query exceeds the range" } }
            : answered
        })
      )
      const found = yield* findPayment(payment)
      assert.deepInclude(found, { txId: attempt.txHash, isFinal: true })
      yield* tamper()
    })
  )

  it.effect.each([
    [50, 4],
    [2000, 1]
  ] as const)(
    "what was handed over a moment ago is asked for by its receipt alone: looked at every %s ms, %s times",
    ([pollMs, times]) =>
      Effect.gen(function* () {
        const { proxy } = yield* Anvil.AnvilChain
        const { mine } = yield* PayingWorld
        const sending = { keyNumber: 20 + times, to: addressOf("5"), amountMicro: 5n }
        const authorization = yield* fundedAndAuthorized(sending)
        const attempt = yield* attemptOf(authorization)
        const relay = yield* Effect.provide(EvmRelay, payouts(seedKeys(), { pollMs }))
        const whole = yield* relay.trace(authorization, [attempt])
        assert.deepStrictEqual(whole, { _tag: "pending" })
        const before = proxy.asked().length
        const early = yield* relay.trace(authorization, [attempt], "receipts")
        assert.deepStrictEqual(early, { _tag: "pending" })
        const asked = Map.groupBy(proxy.asked().slice(before).flat(), ({ method }) => method)
        assert.strictEqual(asked.get("eth_getTransactionReceipt")?.length, times)
        assert.isFalse(asked.has("eth_call"))
        yield* broadcast(attempt)
        yield* mine(1)
        assertPaidBy(yield* relay.trace(authorization, [attempt], "receipts"), attempt)
      })
  )

  it.effect("a successful transaction that is no payment of it proves nothing", () =>
    Effect.gen(function* () {
      const { pay } = yield* Anvil.AnvilChain
      const sending = { keyNumber: 3, to: addressOf("3"), amountMicro: 5n }
      const authorization = yield* authorized(sending)
      const attempt = yield* attemptOf(authorization)
      const other = { ...attempt, txHash: yield* pay(addressOf("3"), 5n) }
      assert.deepStrictEqual(yield* trace(authorization, other, attempt), { _tag: "pending" })
    })
  )

  it.effect("who paid is sought from the time of the send on, whatever a node tells at once", () =>
    Effect.gen(function* () {
      const { chainId, mine, rival, timePasses } = yield* PayingWorld
      const { call, proxy, pay } = yield* Anvil.AnvilChain
      yield* mine(150)
      const longAgo = Number(yield* call("eth_blockNumber"))
      yield* timePasses(8 * 24 * 3600)
      const sending = { keyNumber: 4, to: addressOf("4"), amountMicro: 5n }
      const authorization = yield* fundedAndAuthorized(sending)
      const theirs = yield* attemptOf(authorization, { by: rival })
      yield* mine(120)
      yield* rival.broadcast(chainId, theirs.raw)
      yield* mine(150)
      yield* pay(addressOf("4"), 1n)
      const { trace: sought } = yield* Effect.provide(
        EvmRelay,
        payouts(seedKeys(), { maxBlocks: 10 })
      )
      const before = proxy.asked().length
      assertPaidBy(yield* sought(authorization, []), theirs)
      const ranges = proxy
        .asked()
        .slice(before)
        .flat()
        .filter(asksLogsBy("fromBlock"))
        .map(({ params: [filter] }) => filter as { fromBlock: string; toBlock: string })
      assert.isAbove(ranges.length, 1)
      for (const { fromBlock, toBlock } of ranges) {
        assert.isAbove(Number(fromBlock), longAgo - 100)
        assert.isBelow(Number(toBlock) - Number(fromBlock), 100)
      }
      yield* tamper(
        changing((asked, answered) => {
          if (!asksLogsBy("fromBlock")(asked)) return answered
          const { fromBlock, toBlock } = asked.params[0] as (typeof ranges)[number]
          return Number(toBlock) - Number(fromBlock) > 30
            ? { id: answered.id, error: { code: -32005, message: "query exceeds the range" } }
            : answered
        })
      )
      const traced = yield* sought(authorization, [])
      yield* tamper()
      assertPaidBy(traced, theirs)
      assert.propertyVal(traced, "isFinal", true)
    })
  )

  it.effect("a relayer without gas says so, and its transactions are refused", () =>
    Effect.gen(function* () {
      const poor = yield* Effect.provide(EvmRelay, payouts(seedKeys(9)))
      assert.strictEqual((yield* poor.conditions("local")).relayerWei, 0n)
      const rich = yield* EvmRelay
      assert.isAbove(Number((yield* rich.conditions("local")).relayerWei), 1e17)
      const sending = { keyNumber: 5, to: addressOf("5"), amountMicro: 5n }
      const authorization = yield* fundedAndAuthorized(sending)
      assert.propertyVal(yield* poor.simulate(authorization), "_tag", "ok")
      const attempt = yield* attemptOf(authorization, { by: poor })
      const refused = yield* Effect.flip(broadcast(attempt))
      assert.strictEqual(refused.reason, "inconsistent")
    })
  )
})
