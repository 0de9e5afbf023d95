/** Scripted limit orders keep the contract of bridges, and fail as real ones do. */
import { Effect } from "effect"
import * as Chains from "../../../adapters/memory/chains.ts"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import * as Orders from "../../../adapters/memory/orders.ts"
import * as ScriptedChain from "../../../adapters/memory/scripted-chain.ts"
import { keyOf } from "../../../core/chains/address.ts"
import * as Chain from "../../../core/chains/chain.ts"
import { Bridges } from "../../../core/ports/bridge.ts"
import * as BridgesContract from "../../contracts/bridges.contract.ts"
import * as OrderFailures from "../../contracts/order-failures.contract.ts"

const chains = ["local", "local-2"].map((id, at) => ({
  chain: Chain.find(id) as Chain.Chain,
  usdc: `0x${`0${at + 5}`.repeat(20)}`,
  confirmations: 3,
  pollMs: 3_600_000
}))

const sender = keyOf("local", `0x${"a1".repeat(20)}`)
const receiver = keyOf("local-2", `0x${"b2".repeat(20)}`)
const stranger = keyOf("local-2", `0x${"ee".repeat(20)}`)

const world = Effect.gen(function* () {
  const [bridge] = yield* Bridges
  const script = yield* Orders.OrderScript
  const chain = yield* ChainScript
  if (bridge === undefined) return yield* Effect.die(new Error("There is no bridge."))
  yield* chain.fund(sender, 1_000_000_000_000n, "local")
  const asked = {
    from: { chainId: "local", token: keyOf("local", chains[0]?.usdc ?? "") },
    to: { chainId: "local-2", token: keyOf("local-2", chains[1]?.usdc ?? "") },
    units: 1_000_000_000n
  }
  let journeys = 0
  let isIdle = false
  const harness: OrderFailures.OrderHarness = {
    bridge,
    asked,
    journey: Effect.fnUntraced(function* (over = {}) {
      const [{ minBuyUnits, terms }] = yield* Effect.orDie(bridge.quote(asked))
      journeys += 1
      const identity = journeys.toString(16).padStart(64, "0")
      return { ...asked, identity, sender, receiver, minBuyUnits, terms, ...over }
    }),
    depart: Effect.fnUntraced(function* (journey) {
      return (yield* script.give(journey)) ?? (yield* Effect.die(new Error("It did not leave.")))
    }),
    settle: Effect.andThen(chain.mine(4, "local"), chain.mine(4, "local-2")),
    isAskedOnTheWay: false,
    isFoundByIdentity: true,
    bring: () =>
      isIdle ? Effect.succeed(false) : Effect.map(script.fillAll, (count) => count > 0),
    race: () =>
      Effect.map(
        Effect.all([script.fillAll, script.fillAll, script.fillAll], { concurrency: "unbounded" }),
        (counts) => counts.reduce((sum, count) => sum + count, 0)
      ),
    received: chain.balanceOf(receiver, "local-2"),
    provider: (how) =>
      Effect.suspend(() => {
        isIdle = how !== "answers"
        return script.away(how === "is away")
      }),
    takeBack: (by, _journey, call) =>
      script.takeBack(by === "receiver" ? receiver : stranger, call),
    giveBack: Effect.asVoid(script.giveBackAll),
    sent: chain.balanceOf(sender, "local")
  }
  return harness
})

const open = Effect.suspend(() => {
  const state = ScriptedChain.makeState(chains)
  return world.pipe(Effect.provide([Orders.layer(state), Chains.layer(state)]))
})

BridgesContract.suite("orders in memory", open, { absentId: `0x${"00".repeat(32)}` })
OrderFailures.suite("orders in memory", open)
