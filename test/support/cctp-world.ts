/** The bridge of the issuer between two chains of a test's own, as the contract of bridges asks for it. */
import { Effect, type Schema } from "effect"
import * as Attestations from "../../adapters/evm/cctp/attestations.ts"
import * as CctpBridge from "../../adapters/evm/cctp/bridge.ts"
import { keyOf, transactionOf } from "../../adapters/evm/contract.ts"
import { faultless } from "../../apps/sandbox/bridges/attestation.ts"
import type { Asked, Journey } from "../../core/ports/bridge.ts"
import type { BurnHarness } from "../contracts/burn-failures.contract.ts"
import { rivals, twoAnvils } from "./two-anvils.ts"

const sender = keyOf(`0x${"a1".repeat(20)}`)
const receiver = keyOf(`0x${"b2".repeat(20)}`)

interface Call {
  readonly to: string
  readonly data: string
}

/** How a provider is in the words of the contract. */
const faults = {
  answers: {},
  "is away": { status: 503 },
  "is behind": { isBehind: true },
  "holds back": { isHeld: true }
} as const

export const cctpWorld = Effect.gen(function* () {
  const chains = yield* Effect.orDie(twoAnvils)
  const { attestationUrl, one, other } = chains
  const attestations = yield* Attestations.make({ url: attestationUrl })
  const bridge = CctpBridge.make([one.connection, other.connection], () => attestations)
  yield* one.mint(sender, 1_000_000_000_000n)
  const asked: Asked = {
    from: { chainId: one.chainId, token: keyOf(one.usdc) },
    to: { chainId: other.chainId, token: keyOf(other.usdc) },
    units: 1_000_000_000n
  }
  let journeys = 0
  const journey = Effect.fnUntraced(function* (over: Partial<Journey> = {}) {
    const [best] = yield* Effect.orDie(bridge.quote(asked))
    journeys += 1
    const identity = journeys.toString(16).padStart(64, "0")
    const { from, to, units } = asked
    const { minBuyUnits, terms } = best
    return { identity, from, to, units, sender, receiver, minBuyUnits, terms, ...over }
  })
  const deliver = (call: Schema.JsonObject) => {
    const { data, to } = call as unknown as Call
    return Effect.map(other.send(other.stranger, to, data), ({ isDone }) => isDone)
  }
  const harness: BurnHarness = {
    bridge,
    asked,
    journey,
    depart: Effect.fnUntraced(function* (leaving) {
      const { call, spender } = bridge.departure(leaving)
      yield* one.allow(leaving.sender, spender, leaving.units)
      const { data, to } = call as unknown as Call
      const { isDone, txHash } = yield* one.send(leaving.sender, to, data)
      if (!isDone) return yield* Effect.die(new Error("The burn was not executed."))
      return transactionOf(txHash)
    }),
    settle: Effect.asVoid(Effect.all([one.mine(4), other.mine(4)])),
    isAskedOnTheWay: true,
    isFoundByIdentity: true,
    bring: (standing) =>
      standing._tag === "deliverable" ? deliver(standing.call) : Effect.succeed(false),
    race: (standing) => {
      if (standing._tag !== "deliverable") return Effect.succeed(0)
      const { data, to } = standing.call as unknown as Call
      return other.race(rivals, to, data)
    },
    received: other.balance(receiver),
    provider: (how) =>
      Effect.sync(() => {
        Object.assign(chains.faults, faultless(), faults[how])
      }),
    lie: Effect.sync(() => {
      chains.faults.forgedAmount = asked.units * 1000n
    }),
    runOut: Effect.gen(function* () {
      const head = BigInt(String(yield* other.anvil.call("eth_blockNumber")))
      chains.faults.expiresAtBlock = head + 3n
    }),
    dropBurn: Effect.asVoid(one.anvil.call("anvil_reorg", 2, []))
  }
  return { ...chains, ...harness, deliver, sender, receiver }
})
