/** Scripted chains keep the contract of what they tell of the past. */
import { Clock, DateTime, Effect, Layer } from "effect"
import * as Chains from "../../../adapters/memory/chains.ts"
import * as History from "../../../adapters/memory/token-history.ts"
import { scriptedChain } from "../../../apps/testing/wiring.ts"
import { keyOf } from "../../../core/chains/address.ts"
import * as Contract from "../../contracts/token-history.contract.ts"
import * as Value from "../../support/chain-values.ts"

const state = scriptedChain(["local"])
const payer = Value.lower(Chains.faucet)
let addresses = 0

const world = Layer.effect(
  Contract.PastWorld,
  Effect.gen(function* () {
    const script = yield* Chains.ChainScript
    yield* script.fund(payer, 1_000_000n)
    return {
      chainId: "local",
      tokens: [keyOf("local", `0x${"05".repeat(20)}`)] as const,
      payer,
      someone: () => Value.lower(`0x${(++addresses).toString(16).padStart(40, "0")}`),
      pay: (to: string, units: bigint) => script.pay({ to, amountMicro: units }),
      moment: Effect.gen(function* () {
        yield* script.timePasses(10)
        const ahead = state.scripted.get("local")?.aheadSeconds ?? 0
        yield* script.timePasses(10)
        return DateTime.makeUnsafe((yield* Clock.currentTimeMillis) + (ahead + 5) * 1000)
      }),
      settle: Effect.andThen(script.timePasses(60), script.mine(10)),
      outage: (isAway: boolean) => script.outage(isAway)
    }
  })
)

Contract.suite(
  "memory",
  Layer.merge(world, History.layer(state)).pipe(Layer.provide(Chains.layer(state)))
)
