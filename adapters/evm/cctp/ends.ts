/**
 * Whether a chain lets a burn or a mint pass now: the token, the issuer's contracts and the wallet. It is asked of both
 * ends before every burn is signed, since nothing that was burnt comes back.
 */
import { Effect } from "effect"
import type { Hex } from "viem"
import { encodeFunctionData } from "viem/utils"
import type { Domain } from "../../../core/chains/cctp.ts"
import type { Journey } from "../../../core/ports/bridge.ts"
import type { Burn, Origin } from "../../../core/ports/cctp-ends.ts"
import { amount } from "../block.ts"
import { address, keyOf } from "../contract.ts"
import * as Node from "../node.ts"
import type { Call } from "../rpc.ts"
import { type Check, checksOf, firstClosed, isNo, readOf } from "../usdc-ends.ts"
import { abi } from "./contracts.ts"

type Named = Parameters<typeof encodeFunctionData<typeof abi>>[0]

const read = (to: string, call: Omit<Named, "abi">): Call =>
  readOf(to, encodeFunctionData({ abi, ...call } as Named))

const isYes = (answer: unknown): boolean => amount(answer) === 1n

/** The contract that burns and mints, as the messenger names it. */
const minterOf = Effect.fnUntraced(function* (node: Node.Node, messenger: string) {
  const [answer] = yield* node.ask([read(messenger, { functionName: "localMinter" })])
  if (typeof answer === "string" && answer.length === 66) return keyOf(`0x${answer.slice(26)}`)
  return yield* Node.unavailable(node, "inconsistent", "the chain has no contract that burns USDC")
})

const sourceChecks = (
  { journey, maxFeeUnits }: Burn,
  from: Domain,
  minter: string
): ReadonlyArray<Check> => {
  const { sender, units } = journey
  const { token, chainId } = journey.from
  const atLeast = (least: bigint) => (answer: unknown) => (amount(answer) ?? -1n) >= least
  return [
    ...checksOf(journey.from, sender, "sending"),
    [
      read(from.messageTransmitter, { functionName: "paused" }),
      isNo,
      `The issuer has paused transfers from ${chainId}.`
    ],
    [
      read(from.tokenMessenger, { functionName: "isDenylisted", args: [address(sender)] }),
      isNo,
      `The issuer lets the sending wallet burn nothing on ${chainId}.`
    ],
    [
      read(minter, { functionName: "burnLimitsPerMessage", args: [address(token)] }),
      atLeast(units),
      `The amount is more than the issuer lets one transfer from ${chainId} burn.`
    ],
    [
      read(from.tokenMessenger, { functionName: "getMinFeeAmount", args: [units] }),
      (answer) => (amount(answer) ?? maxFeeUnits + 1n) <= maxFeeUnits,
      `The issuer asks for a higher fee on ${chainId} than was approved.`
    ]
  ]
}

const destinationChecks = (
  journey: Journey,
  origin: Origin,
  to: Domain,
  minter: string
): ReadonlyArray<Check> => {
  const { receiver, units } = journey
  const { token, chainId } = journey.to
  return [
    ...checksOf(journey.to, receiver, "receiving"),
    [
      read(to.messageTransmitter, { functionName: "paused" }),
      isNo,
      `The issuer has paused transfers to ${chainId}.`
    ],
    [
      read(to.tokenMessenger, { functionName: "remoteTokenMessengers", args: [origin.domain] }),
      (answer) => String(answer).toLowerCase() === origin.messenger.toLowerCase(),
      `The issuer takes no transfers from ${journey.from.chainId} on ${chainId}.`
    ],
    [
      read(token, { functionName: "minterAllowance", args: [address(minter)] }),
      (answer) => (amount(answer) ?? 0n) >= units,
      `The issuer may not mint so much on ${chainId} now.`
    ]
  ]
}

/** Why the chain would not let a burn pass; undefined when it does. */
export const closedToBurn = Effect.fnUntraced(function* (
  node: Node.Node,
  burn: Burn,
  from: Domain
) {
  const minter = yield* minterOf(node, from.tokenMessenger)
  return yield* firstClosed(node, sourceChecks(burn, from, minter))
})

/** Why the chain would not let a mint pass; undefined when it does. */
export const closedToMint = Effect.fnUntraced(function* (
  node: Node.Node,
  journey: Journey,
  origin: Origin,
  to: Domain
) {
  const minter = yield* minterOf(node, to.tokenMessenger)
  return yield* firstClosed(node, destinationChecks(journey, origin, to, minter))
})

/** The least fee that the source lets a burn of so much offer. */
export const minFee = Effect.fnUntraced(function* (
  node: Node.Node,
  messenger: string,
  units: bigint
) {
  const [answer] = yield* node.ask([
    read(messenger, { functionName: "getMinFeeAmount", args: [units] })
  ])
  const fee = amount(answer)
  if (fee !== undefined) return fee
  return yield* Node.unavailable(node, "inconsistent", "the chain does not tell the least fee")
})

/** Code that answers the number of its block, made for the moment of one question and of nobody's address. */
const numberCode = "0x4360005260206000f3"

/** The number of the newest block as contracts see it: on some rollups that of the chain below, not their own. */
export const seenNumber = Effect.fnUntraced(function* (node: Node.Node) {
  const [answer] = yield* node.ask([
    { method: "eth_call", params: [{ data: numberCode }, "latest"] }
  ])
  const number = amount(answer)
  if (number !== undefined) return number
  return yield* Node.unavailable(
    node,
    "inconsistent",
    "the chain does not tell its contracts' block"
  )
})

/** Whether a message was delivered. */
export const isUsed = Effect.fnUntraced(function* (
  node: Node.Node,
  transmitter: string,
  nonce: Hex
) {
  const [answer] = yield* node.ask([
    read(transmitter, { functionName: "usedNonces", args: [nonce] })
  ])
  if (isYes(answer)) return true
  if (isNo(answer)) return false
  return yield* Node.unavailable(node, "inconsistent", "the chain does not tell used nonces")
})
