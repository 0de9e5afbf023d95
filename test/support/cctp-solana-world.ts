/**
 * The issuer's bridge from an EVM chain to Solana, both of a test's own, as the contract of bridges asks for it: Circle's
 * token on one, the programs of the published interface on the other, and a relayer that brings what is attested.
 */
import { createPrivateKey, generateKeyPairSync, sign } from "node:crypto"
import { Context, Effect, Layer, type Schema } from "effect"
import * as Attestations from "../../adapters/evm/cctp/attestations.ts"
import * as CctpBridge from "../../adapters/evm/cctp/bridge.ts"
import { keyOf, transactionOf } from "../../adapters/evm/contract.ts"
import { at } from "../../adapters/solana/ask.ts"
import * as Deliver from "../../adapters/solana/cctp/deliver.ts"
import { endOf } from "../../adapters/solana/cctp/end.ts"
import * as Network from "../../adapters/solana/network.ts"
import * as Node from "../../adapters/solana/node.ts"
import type { RelayerKey } from "../../adapters/solana/relayer-key.ts"
import { faultless } from "../../apps/sandbox/bridges/attestation.ts"
import { localDomain } from "../../apps/sandbox/bridges/cctp-contracts.ts"
import * as Links from "../../apps/sandbox/bridges/links.ts"
import { Address, AddressKey } from "../../core/chains/address.ts"
import * as Base58 from "../../core/encoding/base58.ts"
import type { Asked, Journey } from "../../core/ports/bridge.ts"
import { deliveryOf } from "../../core/solana/delivery.ts"
import type { BurnHarness } from "../contracts/burn-failures.contract.ts"
import * as Solana from "./solana.ts"
import { unitsOf } from "./solana-swaps.ts"
import { anOwner, chainId, connectionTo } from "./solana-world.ts"
import { open } from "./two-anvils.ts"

const sender = keyOf(`0x${"a1".repeat(20)}`)

/** A key of ed25519 that signs whatever it is given. */
export const newRelayer = (): RelayerKey => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519")
  const key = publicKey.export({ format: "der", type: "spki" }).subarray(-32)
  const secret = createPrivateKey(privateKey.export({ format: "pem", type: "pkcs8" }))
  return {
    address: Effect.succeed(Address.make(Base58.encode(key))),
    sign: (message) => Effect.sync(() => Uint8Array.from(sign(null, message, secret)))
  }
}

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

const slotsToSettle = 40

export const cctpSolanaWorld = Effect.gen(function* () {
  const context = yield* Effect.orDie(Layer.build(Solana.layer))
  const solana = Context.get(context, Solana.SolanaChain)
  const one = yield* Effect.orDie(open("local"))
  const links = yield* Links.open([one], solana)
  const { attesters } = links
  const attestations = yield* Attestations.make({ url: links.bridging.attestations.local })
  const connection = connectionTo(solana, { cctpTable: links.table ?? "" })
  const node = Node.make(connection)
  const bridge = CctpBridge.make([one.connection], () => attestations, [
    endOf(connection, localDomain(chainId))
  ])
  const relayer = newRelayer()
  yield* solana.giveGas(yield* relayer.address)
  const rivals = [newRelayer(), newRelayer(), newRelayer()]
  for (const rival of rivals) yield* solana.giveGas(yield* rival.address)
  const receiver = AddressKey.make(anOwner())
  yield* solana.mint(receiver, 1n)
  yield* solana.advance(slotsToSettle)
  yield* one.mint(sender, 1_000_000_000_000n)
  const asked: Asked = {
    from: { chainId: one.chainId, token: keyOf(one.usdc) },
    to: { chainId, token: AddressKey.make(solana.usdc) },
    units: 1_000_000_000n
  }
  let journeys = 0
  let pushes = 0
  const journey = Effect.fnUntraced(function* (over: Partial<Journey> = {}) {
    const [best] = yield* Effect.orDie(bridge.quote(asked))
    journeys += 1
    const identity = journeys.toString(16).padStart(64, "0")
    const { from, to, units } = asked
    const { minBuyUnits, terms } = best
    return { identity, from, to, units, sender, receiver, minBuyUnits, terms, ...over }
  })
  /** Tries it, and brings it there if that would do; whether it was executed. */
  const deliver = Effect.fnUntraced(function* (call: Schema.JsonObject, to = receiver) {
    const told = deliveryOf(call as never)
    if (told === undefined) return false
    const delivery = { ...told, chainId, receiver: to }
    const conditions = yield* Effect.orDie(Network.conditions(node, yield* relayer.address))
    const payer = yield* relayer.address
    const trial = yield* Effect.orDie(Deliver.trial(node, delivery, { conditions, relayer: payer }))
    if (trial._tag === "would_fail") return false
    const bid = { units: trial.units, priority: 0n, opensAccount: trial.opensAccount }
    const signed = yield* Effect.orDie(Deliver.sign(node, delivery, { bid, conditions, relayer }))
    yield* Effect.orDie(Network.broadcast(node, signed.wire))
    yield* solana.advance(2)
    return true
  })
  /** Hands a message over without trying it; the code by which the programs refuse it, null when they take it. */
  const push = Effect.fnUntraced(function* (message: string, attestation: string) {
    const delivery = { message, attestation, chainId, receiver }
    const conditions = yield* Effect.orDie(Network.conditions(node, yield* relayer.address))
    const bid = { units: 400_000, priority: BigInt(pushes++), opensAccount: false }
    const signed = yield* Effect.orDie(Deliver.sign(node, delivery, { bid, conditions, relayer }))
    yield* Effect.orDie(Network.broadcast(node, signed.wire))
    yield* solana.advance(2)
    const statuses = yield* Effect.orDie(node.call("getSignatureStatuses", [[signed.txId]]))
    const error = at(statuses, "value", 0, "err") ?? null
    return error === null ? null : (at(error, "InstructionError", 1, "Custom") ?? error)
  })
  /** Three relayers hand the message over for the same slot, each in its own transaction; how many were executed. */
  const race = Effect.fnUntraced(function* (call: Schema.JsonObject) {
    const told = deliveryOf(call as never)
    if (told === undefined) return 0
    const delivery = { ...told, chainId, receiver }
    const wires: Array<{ readonly wire: string; readonly txId: string }> = []
    for (const rival of rivals) {
      const conditions = yield* Effect.orDie(Network.conditions(node, yield* rival.address))
      const bid = { units: 400_000, priority: 0n, opensAccount: false }
      wires.push(
        yield* Effect.orDie(Deliver.sign(node, delivery, { bid, conditions, relayer: rival }))
      )
    }
    for (const { wire } of wires) yield* Effect.orDie(Network.broadcast(node, wire))
    yield* solana.advance(2)
    const txIds = wires.map(({ txId }) => txId)
    const statuses = yield* Effect.orDie(node.call("getSignatureStatuses", [txIds]))
    return txIds.filter((_, each) => {
      const status = at(statuses, "value", each)
      return status !== null && status !== undefined && (at(status, "err") ?? null) === null
    }).length
  })
  const within = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.provide(work, context) as Effect.Effect<A, E>
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
    settle: Effect.asVoid(Effect.all([one.mine(4), solana.advance(slotsToSettle)])),
    isAskedOnTheWay: true,
    isFoundByIdentity: true,
    bring: (standing) =>
      standing._tag === "deliverable" ? deliver(standing.call) : Effect.succeed(false),
    otherReceiver: AddressKey.make(anOwner()),
    race: (standing) => (standing._tag === "deliverable" ? race(standing.call) : Effect.succeed(0)),
    received: within(unitsOf(receiver, solana.usdc)),
    provider: (how) =>
      Effect.sync(() => {
        Object.assign(attesters.faults, faultless(), faults[how])
      }),
    lie: Effect.sync(() => {
      attesters.faults.forgedAmount = asked.units * 1000n
    }),
    runOut: Effect.gen(function* () {
      const slot = Number(yield* Effect.orDie(node.call("getSlot", [])))
      attesters.faults.expiresAtBlock = BigInt(slot) + 3n
    }),
    dropBurn: Effect.asVoid(one.anvil.call("anvil_reorg", 2, []))
  }
  return {
    one,
    solana,
    faults: attesters.faults,
    node,
    relayer,
    deliver,
    push,
    within,
    sender,
    receiver,
    ...harness
  }
})
