/** An EVM chain as an end of the issuer's bridge: it burns and it mints, and says of both what its own blocks say. */
import { Effect, type Schema } from "effect"
import type { Hex } from "viem"
import { decodeFunctionData, encodeFunctionData } from "viem/utils"
import type { TransactionId } from "../../../core/chains/address.ts"
import type { Domain } from "../../../core/chains/cctp.ts"
import type { Journey, Standing } from "../../../core/ports/bridge.ts"
import type { Burn, BurningEnd, CctpEnd, MintingEnd, Sent } from "../../../core/ports/cctp-ends.ts"
import type { ChainUnavailable } from "../../../core/ports/chains.ts"
import { hex } from "../block.ts"
import { address, keyOf, transactionOf } from "../contract.ts"
import * as Log from "../log.ts"
import * as Node from "../node.ts"
import type { Receipt } from "../receipt.ts"
import type { RpcFailed } from "../rpc.ts"
import * as SoughtLogs from "../sought-logs.ts"
import { blockOf, inconsistent, seconds, survey } from "../survey.ts"
import * as Burning from "./burn.ts"
import * as Contracts from "./contracts.ts"
import * as Ends from "./ends.ts"
import * as FindBurn from "./find-burn.ts"
import * as Message from "./message.ts"

/** The message that the source sent for the burn; undefined when it has neither. */
const sentFor = Effect.fnUntraced(function* (
  node: Node.Node,
  domain: Domain,
  burn: Burn,
  departed: TransactionId
) {
  const { receipts } = yield* survey(node, [departed])
  const [receipt] = receipts
  if (receipt === undefined || !receipt.isSuccess) return undefined
  const isBurnt = receipt.logs.some((log) => Burning.burntIn(log, burn, domain) !== undefined)
  if (!isBurnt) return undefined
  const hook = Burning.hookOf(burn.journey)
  const message = receipt.logs
    .flatMap((log) => Contracts.sent.in(log, domain.messageTransmitter)?.message ?? [])
    .find((sent) => Message.hookOf(sent)?.toLowerCase() === hook)
  const { timestamp } = yield* blockOf(node, receipt)
  return message && ({ message, atSeconds: seconds(timestamp) } satisfies Sent)
})

/** Clocks of two chains differ. */
const clocksDifferSeconds = 3_600

/** How much of what a transaction moved is this message's: all of it, unless others were brought in the same one. */
const unitsOf = (
  receipt: Receipt,
  gained: bigint,
  { messageTransmitter }: Domain,
  nonce: string
): bigint => {
  const brought = receipt.logs.flatMap(
    (log) => Contracts.received.in(log, messageTransmitter) ?? []
  )
  const own = brought.find((each) => each.nonce.toLowerCase() === nonce.toLowerCase())
  const said = own === undefined ? undefined : Message.mintedBy(own.messageBody)
  return brought.length < 2 || said === undefined ? gained : said
}

/** The block that has the message, and by how much the receiver's balance grew by it. */
const deliveryOf = Effect.fnUntraced(function* (
  node: Node.Node,
  domain: Domain,
  { receiver, to }: Journey,
  nonce: string,
  burntAtSeconds: number
) {
  const { finalizedNumber, head } = yield* survey(node, [])
  const ask = (first: number, last: number) => ({
    method: "eth_getLogs",
    params: [
      {
        address: domain.messageTransmitter,
        topics: [Contracts.received.topic, null, nonce],
        fromBlock: hex(first),
        toBlock: hex(last)
      }
    ]
  })
  const since = burntAtSeconds - clocksDifferSeconds
  const first = yield* SoughtLogs.lastBefore(node, head, since)
  const log = yield* SoughtLogs.first(node, ask, { first, last: head }, Effect.succeed)
  if (log === undefined) return yield* inconsistent(node, "no log tells of a used nonce")
  const txHash = transactionOf(String((log as Record<string, unknown>).transactionHash))
  const [receipt] = (yield* survey(node, [txHash])).receipts
  if (receipt === undefined) {
    return yield* inconsistent(node, `there is no receipt of ${txHash}`)
  }
  const block = yield* blockOf(node, receipt)
  const moved = receipt.logs.flatMap((each) => Log.decode(each, to.token, block) ?? [])
  const gained = moved.reduce((sum, transfer) => {
    const came = transfer.to === receiver ? transfer.amountMicro : 0n
    const went = transfer.from === receiver ? transfer.amountMicro : 0n
    return sum + came - went
  }, 0n)
  const units = unitsOf(receipt, gained, domain, nonce)
  const isFinal = receipt.blockNumber <= finalizedNumber
  return { _tag: "delivered", txId: receipt.txHash, units, isFinal } satisfies Standing
})

const messageIn = (call: Schema.JsonObject, transmitter: string): Hex | undefined => {
  if (keyOf(String(call.to)) !== keyOf(transmitter) || call.value !== "0") return undefined
  try {
    const { args, functionName } = decodeFunctionData({
      abi: Contracts.abi,
      data: address(String(call.data))
    })
    return functionName === "receiveMessage" ? args[0] : undefined
  } catch {
    return undefined
  }
}

/** A failure of the node in the words of the port. */
type On = <A>(
  asking: Effect.Effect<A, RpcFailed | ChainUnavailable>
) => Effect.Effect<A, ChainUnavailable>

const burningOn = (node: Node.Node, domain: Domain, on: On): BurningEnd => ({
  messenger: Burning.bytes32(domain.tokenMessenger),
  burnToken: Burning.bytes32(node.connection.usdc),
  minFee: (units) => on(Ends.minFee(node, domain.tokenMessenger, units)),
  departure: (burn) => Burning.departureOf(burn, domain),
  find: (burn) => on(FindBurn.find(node, burn, domain)),
  sent: (burn, departed) => on(sentFor(node, domain, burn, departed)),
  closed: (burn) => on(Ends.closedToBurn(node, burn, domain))
})

const mintingOn = (node: Node.Node, domain: Domain, on: On): MintingEnd => ({
  messenger: Burning.bytes32(domain.tokenMessenger),
  recipientOf: Burning.bytes32,
  closed: (journey, origin) => on(Ends.closedToMint(node, journey, origin, domain)),
  callOf: (message, attestation) => {
    const args = [address(message), address(attestation)] as const
    const data = encodeFunctionData({
      abi: Contracts.abi,
      functionName: "receiveMessage",
      args
    })
    return { to: keyOf(domain.messageTransmitter), data, value: "0" }
  },
  messageIn: (call) => messageIn(call, domain.messageTransmitter),
  isUsed: (nonce) => on(Ends.isUsed(node, domain.messageTransmitter, address(nonce))),
  delivered: (journey, nonce, burntAtSeconds) =>
    on(deliveryOf(node, domain, journey, nonce, burntAtSeconds)),
  // The next block would be the first to take it.
  hasRunOut: (expiresAtBlock) =>
    on(Effect.map(Ends.seenNumber(node), (seen) => seen + 1n >= expiresAtBlock))
})

export const endOf = (connection: Node.Connection, domain: Domain): CctpEnd => {
  const node = Node.make(connection)
  const on: On = (asking) => Effect.mapError(asking, (failed) => Node.translate(node, failed))
  return {
    chainId: connection.chain.id,
    token: node.connection.usdc,
    burning: burningOn(node, domain, on),
    minting: mintingOn(node, domain, on)
  }
}
