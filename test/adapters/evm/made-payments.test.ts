/** What wallets have paid, by nodes that tell logs of few blocks at a time only, and of which one lags. */
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { EvmRelay } from "../../../core/evm/relay.ts"
import * as Anvil from "../../support/anvil.ts"
import { payouts, world } from "../../support/anvil-sending-chain.ts"
import { assertUnavailable } from "../../support/faulty-node.ts"
import type { Answered, Asked, Tampering } from "../../support/json-rpc-proxy.ts"
import {
  attemptOf,
  broadcast,
  fundedAndAuthorized,
  PayingWorld
} from "../../support/sending-chain.ts"
import { addressOf } from "../../support/watched-chain.ts"

const chainId = "local"
const daySeconds = 24 * 3600

/** Blocks of one question at most. */
const most = 10

const isWide = ({ method, params }: Asked): boolean => {
  if (method !== "eth_getLogs") return false
  const { fromBlock, toBlock } = params[0] as Record<"fromBlock" | "toBlock", string>
  return Number(toBlock) - Number(fromBlock) + 1 > most
}

/** Refuses what is wide; what else is asked beside logs is answered by `beside`. */
const narrow =
  (beside: (answered: Answered, asked: Asked) => Answered): Tampering =>
  async (asked, pass) => {
    const answers = await pass(asked)
    const hasLogs = asked.some((each) => each.method === "eth_getLogs" && !isWide(each))
    return answers.map((answered) => {
      const question = asked.find(({ id }) => id === answered.id)
      if (question === undefined) return answered
      if (isWide(question)) {
        return { id: answered.id, error: { code: -32602, message: "block range is too large" } }
      }
      return hasLogs ? beside(answered, question) : answered
    })
  }

/** A relay whose questions are narrow from the start, and the wallet that has paid. */
const paidBy = Effect.fnUntraced(function* (keyNumber: number) {
  const { confirmations, mine, walletAt } = yield* PayingWorld
  const to = addressOf("a")
  const sending = yield* fundedAndAuthorized({ keyNumber, to, amountMicro: 5n })
  yield* broadcast(yield* attemptOf(sending))
  yield* mine(confirmations + 2 * most)
  const relay = yield* EvmRelay.use(Effect.succeed).pipe(
    Effect.provide(payouts(undefined, { maxBlocks: most / 10 }))
  )
  const from = yield* walletAt(keyNumber)
  return relay.madeBy(chainId, [from])
})

const newest = Effect.gen(function* () {
  const { call } = yield* Anvil.AnvilChain
  const block = (yield* call("eth_getBlockByNumber", "latest", false)) as { timestamp: string }
  return Number(block.timestamp)
})

layer(world)("what wallets have paid on an EVM chain", (it) => {
  it.effect("is told range by range only by a node that has the blocks", () =>
    Effect.gen(function* () {
      const { proxy } = yield* Anvil.AnvilChain
      const made = yield* paidBy(31)
      yield* TestClock.setTime((yield* newest) * 1000)
      yield* proxy.tamper(narrow((answered) => answered))
      assert.lengthOf(yield* made, 1)
      // One that lags has neither the logs nor the blocks.
      yield* proxy.tamper(
        narrow(({ id }, { method }) => ({ id, result: method === "eth_getLogs" ? [] : null }))
      )
      assertUnavailable(yield* Effect.flip(made), "inconsistent")
    }).pipe(Effect.ensuring(Anvil.AnvilChain.use(({ proxy }) => proxy.tamper())))
  )

  it.effect("is told through the longest month, range by range", () =>
    Effect.gen(function* () {
      const { mine, proxy, timePasses } = yield* Anvil.AnvilChain
      const made = yield* paidBy(32)
      yield* timePasses(31 * daySeconds - 60)
      yield* mine(5 * most)
      yield* TestClock.setTime((yield* newest) * 1000)
      yield* proxy.tamper(narrow((answered) => answered))
      assert.lengthOf(yield* made, 1)
    }).pipe(Effect.ensuring(Anvil.AnvilChain.use(({ proxy }) => proxy.tamper())))
  )

  it.effect("is told from when it counts, however long ago that was", () =>
    Effect.gen(function* () {
      const { call, mine, proxy, timePasses } = yield* Anvil.AnvilChain
      const paidSince = DateTime.makeUnsafe((yield* newest) * 1000)
      const { walletAt } = yield* PayingWorld
      yield* paidBy(33)
      yield* timePasses(40 * daySeconds)
      yield* mine(5 * most)
      yield* TestClock.setTime((yield* newest) * 1000)
      const block = (yield* call("eth_getBlockByNumber", "finalized", false)) as {
        readonly number: string
        readonly hash: string
      }
      const through = { number: Number(block.number), hash: block.hash }
      const { madeBy } = yield* EvmRelay.use(Effect.succeed).pipe(
        Effect.provide(payouts(undefined, { maxBlocks: most / 10 }))
      )
      yield* proxy.tamper(narrow((answered) => answered))
      const wallets = [yield* walletAt(33)]
      assert.lengthOf(yield* madeBy(chainId, wallets), 0)
      const reach = { through, paidSince, keptSince: paidSince }
      assert.lengthOf(yield* madeBy(chainId, wallets, reach), 1)
    }).pipe(Effect.ensuring(Anvil.AnvilChain.use(({ proxy }) => proxy.tamper())))
  )
})
