/** A chain read through a node that does not do as it should, and looks at it from a place. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import * as Evm from "../../adapters/evm/chains.ts"
import type { Connection } from "../../adapters/evm/node.ts"
import { type ChainPosition, Chains } from "../../core/ports/chains.ts"
import * as Anvil from "./anvil.ts"
import type { Answered, Asked, Tampering } from "./json-rpc-proxy.ts"

export const ada = `0x${"ad".repeat(20)}`

/** Runs with port Chains connected in this way, all else as usual. */
export const connectedBy = <A, E, R>(over: Partial<Connection>, work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Anvil.AnvilChain, (chain) =>
    Effect.provide(work, Evm.layer([Anvil.connectionTo(chain, over)]))
  )

export const placeAtTip = Effect.gen(function* () {
  return { blocks: [yield* (yield* Chains).tip("local")] } satisfies ChainPosition
})

export const lookFrom = (place: ChainPosition) =>
  Effect.flatMap(Chains, ({ look }) => look("local", place))

export const tamper = (tampering?: Tampering) =>
  Effect.flatMap(Anvil.AnvilChain, ({ proxy }) => proxy.tamper(tampering))

/** Changes the answers to some calls and passes on the rest. */
export const changing =
  (change: (asked: Asked, answered: Answered) => Answered): Tampering =>
  async (asked, pass) => {
    const answers = await pass(asked)
    return answers.map((answered) => {
      const call = asked.find(({ id }) => id === answered.id)
      return call === undefined ? answered : change(call, answered)
    })
  }

export const refusing = (message: string, code = -32000): Tampering =>
  changing((_, { id }) => ({ id, error: { code, message } }))

const filterOf = (asked: Asked): Readonly<Record<string, unknown>> =>
  (asked.params[0] ?? {}) as Readonly<Record<string, unknown>>

export const asksLogsBy = (key: "blockHash" | "fromBlock") => (asked: Asked) =>
  asked.method === "eth_getLogs" && key in filterOf(asked)

export const assertUnavailable = (error: unknown, reason: string) => {
  assert.propertyVal(error, "_tag", "ChainUnavailable")
  assert.propertyVal(error, "reason", reason)
}
