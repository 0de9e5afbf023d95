/**
 * How a burn stands: read from the chain it left, from the attesters, and from the chain it goes to. The attesters'
 * message counts only where it says what the source chain says; that it arrived, only the destination says.
 */
import { Effect } from "effect"
import type { Hex } from "viem"
import { decodeEventLog, encodeFunctionData, toEventSelector } from "viem/utils"
import type { TransactionId } from "../../../core/chains/address.ts"
import { BridgeUnavailable, type Journey, type Standing } from "../../../core/ports/bridge.ts"
import { hex } from "../block.ts"
import { keyOf, transactionOf } from "../contract.ts"
import * as Log from "../log.ts"
import type * as Node from "../node.ts"
import * as SoughtLogs from "../sought-logs.ts"
import { blockOf, inconsistent, seconds, survey } from "../survey.ts"
import type { Attestation, Attestations } from "./attestations.ts"
import { burntIn, type Ends } from "./burn.ts"
import { abi, events } from "./contracts.ts"
import { isUsed } from "./ends.ts"
import * as Message from "./message.ts"

export interface Way {
  readonly source: Node.Node
  readonly destination: Node.Node
  readonly ends: Ends
  readonly attestations: Attestations
}

const receivedTopic = toEventSelector(
  "MessageReceived(address,uint32,bytes32,bytes32,uint32,bytes)"
)

const sentIn = (log: unknown, transmitter: string): Hex | undefined => {
  const { address, data, topics } = log as {
    readonly address: string
    readonly data: Hex
    readonly topics: [Hex, ...Array<Hex>]
  }
  if (keyOf(address) !== keyOf(transmitter)) return undefined
  try {
    return decodeEventLog({ abi: events, eventName: "MessageSent", data, topics }).args.message
  } catch {
    return undefined
  }
}

/** The message that the source sent for the burn; undefined when it has neither. */
const sentFor = Effect.fnUntraced(function* (
  { ends, source }: Way,
  journey: Journey,
  departed: TransactionId
) {
  const { receipts } = yield* survey(source, [departed])
  const [receipt] = receipts
  if (receipt === undefined || !receipt.isSuccess) return undefined
  const isBurnt = receipt.logs.some((log) => burntIn(log, journey, ends) !== undefined)
  if (!isBurnt) return undefined
  const hook = `0x${journey.identity}`
  const message = receipt.logs
    .flatMap((log) => sentIn(log, ends.from.messageTransmitter) ?? [])
    .find((sent) => Message.hookOf(sent)?.toLowerCase() === hook)
  const { timestamp } = yield* blockOf(source, receipt)
  return message && { message, atSeconds: seconds(timestamp) }
})

/** Clocks of two chains differ. */
const clocksDifferSeconds = 3_600

/** The block of the destination that has the message, and by how much the receiver's balance grew in it. */
const deliveryOf = Effect.fnUntraced(function* (
  { destination, ends }: Way,
  { receiver, to }: Journey,
  nonce: Hex,
  burntAtSeconds: number
) {
  const { finalizedNumber, head } = yield* survey(destination, [])
  const ask = (first: number, last: number) => ({
    method: "eth_getLogs",
    params: [
      {
        address: ends.to.messageTransmitter,
        topics: [receivedTopic, null, nonce],
        fromBlock: hex(first),
        toBlock: hex(last)
      }
    ]
  })
  const since = burntAtSeconds - clocksDifferSeconds
  const first = yield* SoughtLogs.lastBefore(destination, head, since)
  const log = yield* SoughtLogs.first(destination, ask, { first, last: head }, Effect.succeed)
  if (log === undefined) return yield* inconsistent(destination, "no log tells of a used nonce")
  const txHash = transactionOf(String((log as Record<string, unknown>).transactionHash))
  const [receipt] = (yield* survey(destination, [txHash])).receipts
  if (receipt === undefined) {
    return yield* inconsistent(destination, `there is no receipt of ${txHash}`)
  }
  const block = yield* blockOf(destination, receipt)
  const moved = receipt.logs.flatMap((each) => Log.decode(each, to.token, block) ?? [])
  const units = moved.reduce((sum, transfer) => {
    const gained = transfer.to === receiver ? transfer.amountMicro : 0n
    const lost = transfer.from === receiver ? transfer.amountMicro : 0n
    return sum + gained - lost
  }, 0n)
  const isFinal = receipt.blockNumber <= finalizedNumber
  return { _tag: "delivered", txId: receipt.txHash, units, isFinal } satisfies Standing
})

const reasons: Readonly<Record<string, string>> = {
  insufficient_fee: "The fee is too low for a fast transfer; it goes on at the usual pace.",
  amount_above_max: "The amount is too large for a fast transfer; it goes on at the usual pace.",
  insufficient_allowance_available:
    "Too much is carried fast at the moment; it goes on at the usual pace."
}

const travelling = (reason: string | null): Standing => ({ _tag: "travelling", reason })

const notSeen = "The attestation service has not seen the burn yet."
const runOut = "The attestation ran out; a new one was asked for."

/** The attested message of this burn among those of its transaction. */
const attestedOf = (sent: Hex, attestations: ReadonlyArray<Attestation>) =>
  attestations.flatMap(({ signed }) => {
    const completed = signed === null ? undefined : Message.completedOf(sent, signed.message)
    return signed === null || completed === undefined ? [] : [{ ...signed, ...completed }]
  })[0]

/** Whether the destination takes no longer what was attested for a time only. */
const hasRunOut = Effect.fnUntraced(function* ({ destination }: Way, expiresAtBlock: bigint) {
  if (expiresAtBlock === 0n) return false
  const { head } = yield* survey(destination, [])
  // The next block would be the first to take it.
  return BigInt(head) + 1n >= expiresAtBlock
})

export const standingOf = Effect.fnUntraced(function* (
  way: Way,
  journey: Journey,
  departed: TransactionId
) {
  const sent = yield* sentFor(way, journey, departed)
  if (sent === undefined) return { _tag: "absent" } satisfies Standing as Standing
  const { attestations, destination, ends } = way
  const known = yield* attestations.messages(ends.from.number, departed)
  if (known === undefined) return travelling(notSeen)
  const attested = attestedOf(sent.message, known)
  if (attested === undefined) {
    if (known.some(({ signed }) => signed !== null)) {
      const detail = "The attestation service attests another burn than the chain has."
      return yield* new BridgeUnavailable({ detail })
    }
    return travelling(
      reasons[known.flatMap(({ delayReason }) => delayReason ?? [])[0] ?? ""] ?? null
    )
  }
  const { attestation, expiresAtBlock, message, nonce } = attested
  const { messageTransmitter } = ends.to
  if (yield* isUsed(destination, messageTransmitter, nonce)) {
    return yield* deliveryOf(way, journey, nonce, sent.atSeconds)
  }
  if (yield* hasRunOut(way, expiresAtBlock)) {
    yield* attestations.attestAnew(nonce)
    return travelling(runOut)
  }
  const data = encodeFunctionData({
    abi,
    functionName: "receiveMessage",
    args: [message, attestation]
  })
  const call = { to: keyOf(messageTransmitter), data, value: "0" }
  return { _tag: "deliverable", call } satisfies Standing
})
