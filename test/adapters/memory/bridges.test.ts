/** The scripted bridge keeps the contract of bridges. */
import { Effect } from "effect"
import * as Bridge from "../../../adapters/memory/bridges.ts"
import * as Chains from "../../../adapters/memory/chains.ts"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import * as ScriptedChain from "../../../adapters/memory/scripted-chain.ts"
import { keyOf } from "../../../core/chains/address.ts"
import * as Chain from "../../../core/chains/chain.ts"
import { Bridges } from "../../../core/ports/bridge.ts"
import * as BridgesContract from "../../contracts/bridges.contract.ts"
import * as BurnFailures from "../../contracts/burn-failures.contract.ts"

const chains = ["local", "local-2"].map((id, at) => ({
  chain: Chain.find(id) as Chain.Chain,
  usdc: `0x${`0${at + 5}`.repeat(20)}`,
  confirmations: 3,
  pollMs: 3_600_000
}))

const sender = keyOf("local", `0x${"a1".repeat(20)}`)
const receiver = keyOf("local-2", `0x${"b2".repeat(20)}`)

const world = Effect.gen(function* () {
  const [bridge] = yield* Bridges
  const script = yield* Bridge.BridgeScript
  const chain = yield* ChainScript
  if (bridge === undefined) return yield* Effect.die(new Error("There is no bridge."))
  yield* chain.fund(sender, 1_000_000_000_000n, "local")
  const asked = {
    from: { chainId: "local", token: keyOf("local", chains[0]?.usdc ?? "") },
    to: { chainId: "local-2", token: keyOf("local-2", chains[1]?.usdc ?? "") },
    units: 1_000_000_000n
  }
  let journeys = 0
  const harness: BurnFailures.BurnHarness = {
    bridge,
    asked,
    journey: Effect.fnUntraced(function* (over = {}) {
      const [{ minBuyUnits, terms }] = yield* Effect.orDie(bridge.quote(asked))
      journeys += 1
      const identity = journeys.toString(16).padStart(64, "0")
      return { ...asked, identity, sender, receiver, minBuyUnits, terms, ...over }
    }),
    depart: Effect.fnUntraced(function* (journey) {
      const left = yield* script.land("local", bridge.departure(journey).call)
      return left ?? (yield* Effect.die(new Error("It did not leave.")))
    }),
    settle: Effect.andThen(chain.mine(4, "local"), chain.mine(4, "local-2")),
    isAskedOnTheWay: true,
    isFoundByIdentity: true,
    bring: (standing) =>
      standing._tag === "deliverable"
        ? Effect.map(script.land("local-2", standing.call), (txId) => txId !== undefined)
        : Effect.succeed(false),
    race: (standing) =>
      standing._tag === "deliverable"
        ? Effect.map(
            Effect.all(
              [1, 2, 3].map(() => script.land("local-2", standing.call)),
              { concurrency: "unbounded" }
            ),
            (landed) => landed.filter((txId) => txId !== undefined).length
          )
        : Effect.succeed(0),
    received: chain.balanceOf(receiver, "local-2"),
    provider: script.provider,
    lie: script.provider("lies"),
    runOut: script.provider("ran out"),
    dropBurn: chain.reorg(1, { chainId: "local" })
  }
  return harness
})

const open = Effect.suspend(() => {
  const state = ScriptedChain.makeState(chains)
  return world.pipe(Effect.provide([Bridge.layer(state), Chains.layer(state)]))
})

BridgesContract.suite("in memory", open, { absentId: `0x${"00".repeat(32)}` })
BurnFailures.suite("in memory", open)
