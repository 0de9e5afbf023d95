/**
 * What the attesters of the local chains do with a burn: they find its message, wait for as much finality as it asks
 * for and pays for, give it a nonce, a fee and an end, and sign it. The same burn always has the same nonce.
 */
import { Effect, Predicate } from "effect"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import {
  concat,
  decodeAbiParameters,
  encodeAbiParameters,
  keccak256,
  stringToHex,
  toEventSelector
} from "viem/utils"
import { address } from "../../../adapters/evm/contract.ts"
import type { Anvil } from "../anvil.ts"
import * as Message from "./burn-message.ts"
import { attesterKeys, localDomain } from "./cctp-contracts.ts"

/** What goes wrong with attestations while a test says so. */
export interface Faults {
  /** Every question is answered with this status. */
  status: number | undefined
  /** Burns are not found yet. */
  isBehind: boolean
  /** Attestations stay away, for this reason if one is named. */
  isHeld: boolean
  delayReason: "insufficient_fee" | "amount_above_max" | "insufficient_allowance_available" | null
  /** The block of the destination up to which fast attestations are good; nought is for ever. */
  expiresAtBlock: bigint
  /** What a message claims to have burnt, whatever it burnt. */
  forgedAmount: bigint | undefined
}

export const faultless = (): Faults => ({
  status: undefined,
  isBehind: false,
  isHeld: false,
  delayReason: null,
  expiresAtBlock: 0n,
  forgedAmount: undefined
})

/** Of fast transfers, in basis points. */
export const fastFeeBps = 1.3

const fast = 1000
const finalized = 2000
const messageSent = toEventSelector("MessageSent(bytes)")

export interface Attested {
  readonly message: Hex
  readonly attestation: Hex
}

export type Standing =
  | { readonly status: "pending"; readonly nonce: Hex; readonly delayReason: Faults["delayReason"] }
  | ({ readonly status: "complete"; readonly nonce: Hex } & Attested)

/** Rounded up to whole millionths. */
const feeOf = (amount: bigint): bigint => (amount * BigInt(fastFeeBps * 10) + 99_999n) / 100_000n

const sign = Effect.fnUntraced(function* (message: Hex) {
  const digest = keccak256(message)
  const signatures = yield* Effect.promise(() =>
    Promise.all(attesterKeys.map((key) => privateKeyToAccount(key).sign({ hash: digest })))
  )
  return { message, attestation: concat(signatures) } satisfies Attested
})

const completed = (message: Hex, nonce: Hex, threshold: number, faults: Faults) => {
  const amount = Message.read(message, "amount")
  const isFast = threshold < finalized
  return sign(
    Message.change(message, {
      nonce,
      finalityExecuted: BigInt(threshold),
      feeExecuted: isFast ? feeOf(amount) : 0n,
      expirationBlock: isFast ? faults.expiresAtBlock : 0n,
      ...(faults.forgedAmount === undefined ? {} : { amount: faults.forgedAmount })
    })
  )
}

interface Sent {
  readonly message: Hex
  readonly nonce: Hex
  readonly isFinal: boolean
}

/** Where burns are seen. */
export interface Source {
  readonly chainId: string
  /** The message that a transaction sent, and whether that is final; undefined when there is none. */
  readonly sent: (
    txId: string
  ) => Effect.Effect<{ readonly message: Hex; readonly isFinal: boolean } | undefined>
}

/** Of the same burn always the same. */
const nonceOf = (domain: number, txId: string, message: Hex): Hex =>
  keccak256(
    encodeAbiParameters(
      [{ type: "uint32" }, { type: "bytes32" }, { type: "bytes32" }],
      [domain, keccak256(stringToHex(txId)), keccak256(message)]
    )
  )

/** The message that a transaction sent from a chain; undefined when the chain has none of it. */
const sentOn = Effect.fnUntraced(function* (anvil: Anvil, chainId: string, txHash: string) {
  const receipt = yield* anvil.call("eth_getTransactionReceipt", txHash)
  if (!Predicate.hasProperty(receipt, "logs") || !Array.isArray(receipt.logs)) return undefined
  const { messageTransmitter } = localDomain(chainId)
  const log = (receipt.logs as ReadonlyArray<Record<string, unknown>>).find(
    (each) =>
      String(each.address).toLowerCase() === messageTransmitter.toLowerCase() &&
      Array.isArray(each.topics) &&
      each.topics[0] === messageSent
  )
  if (log === undefined) return undefined
  const [message] = decodeAbiParameters([{ type: "bytes" }], address(String(log.data)))
  const isFinal = (yield* blockAt(anvil, "finalized")) >= Number(log.blockNumber)
  return { message, isFinal }
})

const blockAt = (anvil: Anvil, tag: string) =>
  Effect.map(anvil.call("eth_getBlockByNumber", tag, false), (block) =>
    Predicate.hasProperty(block, "number") ? Number(block.number) : 0
  )

/** A local EVM chain as the attesters see it. */
export const sourceOn = ({
  anvil,
  chainId
}: {
  readonly anvil: Anvil
  readonly chainId: string
}): Source => ({ chainId, sent: (txHash) => sentOn(anvil, chainId, txHash) })

/** The attesters of some local chains, by the number of their domain. */
export const make = (chains: ReadonlyArray<Source>) => {
  const faults = faultless()
  const signed = new Map<Hex, Attested>()

  const look = Effect.fnUntraced(function* (domain: number, txHash: string) {
    const chain = chains.find(({ chainId }) => localDomain(chainId).number === domain)
    if (chain === undefined || faults.isBehind) return undefined
    const found = yield* chain.sent(txHash)
    if (found === undefined) return undefined
    const { message } = found
    const sent: Sent = { ...found, nonce: nonceOf(domain, txHash, message) }
    const { isFinal, nonce } = sent
    const before = signed.get(nonce)
    if (before !== undefined) return { status: "complete", nonce, ...before } satisfies Standing
    const wantsFast = Message.read(message, "minFinality") <= BigInt(fast)
    const paysFast = Message.read(message, "maxFee") >= feeOf(Message.read(message, "amount"))
    const isFast = wantsFast && paysFast && faults.delayReason === null
    const delayReason = wantsFast && !isFast ? (faults.delayReason ?? "insufficient_fee") : null
    const reached = isFast || isFinal
    if (!reached || faults.isHeld)
      return { status: "pending", nonce, delayReason } satisfies Standing
    const attested = yield* completed(message, nonce, isFast ? fast : finalized, faults)
    signed.set(nonce, attested)
    return { status: "complete", nonce, ...attested } satisfies Standing
  })

  /** Signs a message anew, good for ever; false when it was never signed. */
  const attestAnew = Effect.fnUntraced(function* (nonce: Hex) {
    const before = signed.get(nonce)
    if (before === undefined) return false
    signed.set(nonce, yield* sign(Message.change(before.message, { expirationBlock: 0n })))
    return true
  })

  return { faults, look, attestAnew }
}

export type Attesters = ReturnType<typeof make>
