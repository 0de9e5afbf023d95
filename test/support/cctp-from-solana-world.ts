/**
 * The issuer's bridge from Solana to an EVM chain, both of a test's own, as the contract of bridges asks for it: a wallet
 * that burns by the programs of the published interface, and Circle's token that is minted on the other side.
 */
import { Context, Effect, Layer, type Schema } from "effect"
import * as Attestations from "../../adapters/evm/cctp/attestations.ts"
import * as CctpBridge from "../../adapters/evm/cctp/bridge.ts"
import { keyOf } from "../../adapters/evm/contract.ts"
import * as Burning from "../../adapters/solana/cctp/burning.ts"
import { endOf } from "../../adapters/solana/cctp/end.ts"
import * as Network from "../../adapters/solana/network.ts"
import * as Node from "../../adapters/solana/node.ts"
import * as Transaction from "../../adapters/solana/transaction.ts"
import { faultless } from "../../apps/sandbox/bridges/attestation.ts"
import { localDomain } from "../../apps/sandbox/bridges/cctp-contracts.ts"
import * as Links from "../../apps/sandbox/bridges/links.ts"
import { AddressKey } from "../../core/chains/address.ts"
import type { Asked, Journey } from "../../core/ports/bridge.ts"
import { burnOf } from "../../core/solana/burn.ts"
import type { BurnHarness } from "../contracts/burn-failures.contract.ts"
import { newRelayer } from "./cctp-solana-world.ts"
import * as Solana from "./solana.ts"
import { unitsOf } from "./solana-swaps.ts"
import { chainId, connectionTo } from "./solana-world.ts"
import { open, rivals } from "./two-anvils.ts"

const receiver = keyOf(`0x${"b2".repeat(20)}`)

interface Call {
  readonly to: string
  readonly data: string
}

const faults = {
  answers: {},
  "is away": { status: 503 },
  "is behind": { isBehind: true },
  "holds back": { isHeld: true }
} as const

const slotsToSettle = 40

export const cctpFromSolanaWorld = Effect.gen(function* () {
  const context = yield* Effect.orDie(Layer.build(Solana.layer))
  const solana = Context.get(context, Solana.SolanaChain)
  const other = yield* Effect.orDie(open("local"))
  const { attesters, bridging, table } = yield* Links.open([other], solana)
  const attestations = yield* Attestations.make({ url: bridging.attestations.local })
  const connection = connectionTo(solana, { cctpTable: table ?? "" })
  const node = Node.make(connection)
  const bridge = CctpBridge.make([other.connection], () => attestations, [
    endOf(connection, localDomain(chainId))
  ])
  const [relayer, wallet] = [newRelayer(), newRelayer()]
  const sender = AddressKey.make(yield* wallet.address)
  yield* solana.giveGas(yield* relayer.address)
  yield* solana.mint(sender, 1_000_000_000_000n)
  yield* solana.advance(slotsToSettle)
  const asked: Asked = {
    from: { chainId, token: AddressKey.make(solana.usdc) },
    to: { chainId: other.chainId, token: keyOf(other.usdc) },
    units: 1_000_000_000n
  }
  let journeys = 0
  const journey = Effect.fnUntraced(function* (over: Partial<Journey> = {}) {
    const [best] = yield* Effect.orDie(bridge.quote(asked))
    journeys += 1
    // A mark is known by the beginning of an identity.
    const identity = journeys.toString(16).padStart(2, "0").padEnd(64, "0")
    const { from, to, units } = asked
    const { minBuyUnits, terms } = best
    return { identity, from, to, units, sender, receiver, minBuyUnits, terms, ...over }
  })
  /** The burn of a journey, as its submission would say it. */
  const burnFor = (leaving: Journey) => {
    const { call, spender } = bridge.departure(leaving)
    const token = { chainId, address: leaving.from.token }
    const burn = burnOf(chainId, {
      act: "call",
      from: leaving.sender,
      to: spender,
      amount: { token, units: leaving.units },
      identity: leaving.identity,
      call: call as never
    })
    if (burn === undefined) throw new Error("It is no burn.")
    return burn
  }
  /** Signs under the newest block, tried or not. */
  const signed = Effect.fnUntraced(function* (leaving: Journey, priority = 0n) {
    const payer = yield* relayer.address
    const conditions = yield* Effect.orDie(Network.conditions(node, payer))
    const burn = burnFor(leaving)
    const bid = { units: 400_000, priority, opensAccount: false }
    const judged = yield* Effect.orDie(
      Burning.judged(node, { burn, conditions, relayer: payer }, bid)
    )
    if (judged.violation !== undefined) throw new Error(judged.violation)
    const bytes = Uint8Array.from(judged.compiled.messageBytes)
    const signatures = {
      [payer]: yield* relayer.sign(bytes),
      [leaving.sender]: yield* wallet.sign(bytes),
      [judged.key.address]: yield* Effect.promise(() => judged.key.sign(bytes))
    }
    return Transaction.signed(judged.compiled, signatures)
  })
  const tried = Effect.fnUntraced(function* (leaving: Journey) {
    const payer = yield* relayer.address
    const conditions = yield* Effect.orDie(Network.conditions(node, payer))
    return yield* Effect.orDie(
      Burning.trial(node, { burn: burnFor(leaving), conditions, relayer: payer })
    )
  })
  const deliver = (call: Schema.JsonObject) => {
    const { data, to } = call as unknown as Call
    return Effect.map(other.send(other.stranger, to, data), ({ isDone }) => isDone)
  }
  const held = Effect.provide(unitsOf(sender, solana.usdc), context) as Effect.Effect<bigint>
  const harness: BurnHarness = {
    bridge,
    asked,
    journey,
    depart: Effect.fnUntraced(function* (leaving) {
      const trial = yield* tried(leaving)
      if (trial._tag !== "would_burn") {
        return yield* Effect.die(new Error(`The burn would not do: ${JSON.stringify(trial)}`))
      }
      const { txId, wire } = yield* signed(leaving)
      yield* Effect.orDie(Network.broadcast(node, wire))
      yield* solana.advance(2)
      return txId
    }),
    settle: Effect.asVoid(Effect.all([other.mine(4), solana.advance(slotsToSettle)])),
    isAskedOnTheWay: true,
    isFoundByIdentity: true,
    bring: (standing) =>
      standing._tag === "deliverable" ? deliver(standing.call) : Effect.succeed(false),
    otherReceiver: keyOf(`0x${"c3".repeat(20)}`),
    race: (standing) => {
      if (standing._tag !== "deliverable") return Effect.succeed(0)
      const { data, to } = standing.call as unknown as Call
      return other.race(rivals, to, data)
    },
    received: other.balance(receiver),
    provider: (how) =>
      Effect.sync(() => {
        Object.assign(attesters.faults, faultless(), faults[how])
      }),
    lie: Effect.sync(() => {
      attesters.faults.forgedAmount = asked.units * 1000n
    }),
    runOut: Effect.gen(function* () {
      const head = BigInt(String(yield* other.anvil.call("eth_blockNumber")))
      attesters.faults.expiresAtBlock = head + 3n
    }),
    dropBurn: Effect.andThen(solana.fork(3, "all"), solana.advance(2))
  }
  return {
    ...harness,
    other,
    solana,
    node,
    faults: attesters.faults,
    sender,
    held,
    signed,
    tried,
    deliver
  }
})
