/** Swaps while the issuer of USDC has paused it, or has frozen a wallet: on CoW Protocol's contract and Circle's. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { encodeFunctionData, parseAbi } from "viem/utils"
import * as Anvil from "../../../support/anvil.ts"
import { placed, requestOf, type signed, venue } from "../../../support/cow-venue.ts"
import { CowWorld, layer as cow, trader } from "../../../support/cow-world.ts"

/** Blocks after which what stands in one is finalized. */
const settled = 3

const issuing = parseAbi([
  "function pause()",
  "function unpause()",
  "function blacklist(address account)",
  "function unBlacklist(address account)"
])

/** What the issuer of the local USDC does. */
const byIssuer = Effect.fnUntraced(function* (
  functionName: "pause" | "unpause" | "blacklist" | "unBlacklist",
  account?: string
) {
  const { sendFrom, usdc } = yield* CowWorld
  const { call } = yield* Anvil.AnvilChain
  const [, issuer] = (yield* call("eth_accounts")) as ReadonlyArray<string>
  const args = account === undefined ? [] : [account as `0x${string}`]
  const data = encodeFunctionData({ abi: issuing, functionName, args } as never)
  yield* sendFrom(issuer ?? "", usdc, data)
})

const tagOf = Effect.fnUntraced(function* (
  order: Parameters<typeof signed>[1] & { orderId: string; signature: string }
) {
  return (yield* (yield* venue).status(order))._tag
})

layer(cow.pipe(Layer.provideMerge(Anvil.layer)))("a swap that the issuer lets not pass", (it) => {
  it.effect(
    "a USDC that its issuer has paused is not quoted, and an order waits until it goes on",
    () =>
      Effect.gen(function* () {
        const { settleAll } = yield* CowWorld
        const { quote } = yield* venue
        const order = yield* placed()
        const request = yield* requestOf(trader())
        yield* byIssuer("pause")
        const closed = yield* Effect.flip(quote(request))
        if (closed._tag !== "TransfersClosed") return assert.fail(closed._tag)
        assert.deepInclude(closed, { detail: "USDC is paused on local.", isPassing: true })
        const buying = { ...request, sell: request.buy, buy: request.sell }
        assert.propertyVal(yield* Effect.flip(quote(buying)), "_tag", "TransfersClosed")
        assert.strictEqual(yield* settleAll, 0)
        assert.strictEqual(yield* tagOf(order), "open")
        yield* byIssuer("unpause")
        yield* quote(request)
        assert.isAtLeast(yield* settleAll, 1)
        assert.strictEqual(yield* tagOf(order), "filled")
      })
  )

  it.effect(
    "a wallet that the issuer has frozen is not quoted for, and its open order dies of its time",
    () =>
      Effect.gen(function* () {
        const { settleAll } = yield* CowWorld
        const { mine, timePasses } = yield* Anvil.AnvilChain
        const { quote } = yield* venue
        const order = yield* placed()
        yield* byIssuer("blacklist", order.owner)
        const { validTo: _time, minBuyAmount: _least, ...asked } = order
        const request = { ...asked, slippageBps: 50 }
        const closed = yield* Effect.flip(quote(request))
        if (closed._tag !== "TransfersClosed") return assert.fail(closed._tag)
        assert.isFalse(closed.isPassing)
        assert.include(closed.detail, "frozen the selling wallet")
        const buying = { ...request, sell: request.buy, buy: request.sell }
        const receiving = yield* Effect.flip(quote(buying))
        if (receiving._tag !== "TransfersClosed") return assert.fail(receiving._tag)
        assert.include(receiving.detail, "frozen the receiving wallet")
        assert.strictEqual(yield* settleAll, 0)
        yield* timePasses(1300)
        yield* mine(settled)
        assert.strictEqual(yield* tagOf(order), "dead")
        yield* byIssuer("unBlacklist", order.owner)
      })
  )
})
