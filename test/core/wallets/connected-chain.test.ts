/** What a caller hears who names a chain that cannot be used here. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Chains from "../../../adapters/memory/chains.ts"
import * as ScriptedChain from "../../../adapters/memory/scripted-chain.ts"
import * as Chain from "../../../core/chains/chain.ts"
import { connectedChain } from "../../../core/wallets/create.ts"

const local = {
  chain: Chain.find("local") as Chain.Chain,
  usdc: `0x${"05".repeat(20)}` as const,
  confirmations: 1,
  pollMs: 10
}

const refusalWith = (connected: ReadonlyArray<typeof local>) =>
  Effect.flip(connectedChain("base")).pipe(
    Effect.provide(Chains.layer(ScriptedChain.makeState(connected)))
  )

describe("a chain that is not connected", () => {
  it.effect("is refused with those that are", () =>
    Effect.gen(function* () {
      assert.match((yield* refusalWith([local])).message, /use one of: local\.$/u)
    })
  )

  it.effect("is refused with what is missing when none is connected at all", () =>
    Effect.gen(function* () {
      assert.match((yield* refusalWith([])).message, /not connected to any chain yet/u)
    })
  )
})
