/**
 * The order of a journey: every byte of it follows from the journey, and its id from its bytes. Who may cancel it is
 * the receiving wallet, and what is cancelled goes back to the sending one, whatever anybody else asks for.
 */
import type { Schema } from "effect"
import type { Hex } from "viem"
import { concat, decodeFunctionData, encodeFunctionData, keccak256, size, toHex } from "viem/utils"
import * as Dln from "../../../core/chains/dln.ts"
import type { Departure, Journey } from "../../../core/ports/bridge.ts"
import { address, keyOf } from "../contract.ts"
import { abi } from "./contracts.ts"
import * as Terms from "./terms.ts"

export interface Order {
  readonly makerOrderNonce: bigint
  readonly makerSrc: Hex
  readonly giveChainId: bigint
  readonly giveTokenAddress: Hex
  readonly giveAmount: bigint
  readonly takeChainId: bigint
  readonly takeTokenAddress: Hex
  readonly takeAmount: bigint
  readonly receiverDst: Hex
  readonly givePatchAuthoritySrc: Hex
  readonly orderAuthorityAddressDst: Hex
  readonly allowedTakerDst: Hex
  readonly allowedCancelBeneficiarySrc: Hex
  readonly externalCall: Hex
}

const none: Hex = "0x"
const inFull = 10_000n

const hexOf = (account: string): Hex => address(account.toLowerCase())

const chainNumber = (chainId: string): bigint => {
  const number = Dln.numberOf(chainId)
  if (number === undefined) throw new Error(`${chainId} has no limit orders.`)
  return BigInt(number)
}

/** By it an order differs from every other of its maker with the same amounts: the beginning of the identity. */
export const saltOf = ({ identity }: Pick<Journey, "identity">): bigint =>
  BigInt(`0x${identity.slice(0, 16)}`)

/** What the source makes of what it is given, less its fee. */
export const orderOf = (journey: Journey): Order => {
  const { from, minBuyUnits, receiver, sender, to, units } = journey
  const { feeBps } = Terms.read(journey)
  return {
    makerOrderNonce: saltOf(journey),
    makerSrc: hexOf(sender),
    giveChainId: chainNumber(from.chainId),
    giveTokenAddress: hexOf(from.token),
    giveAmount: units - (units * BigInt(feeBps)) / inFull,
    takeChainId: chainNumber(to.chainId),
    takeTokenAddress: hexOf(to.token),
    takeAmount: minBuyUnits,
    receiverDst: hexOf(receiver),
    givePatchAuthoritySrc: hexOf(sender),
    orderAuthorityAddressDst: hexOf(receiver),
    allowedTakerDst: none,
    allowedCancelBeneficiarySrc: hexOf(sender),
    externalCall: none
  }
}

const sized = (bytes: Hex): Hex => concat([toHex(size(bytes), { size: 1 }), bytes])
const word = (value: bigint): Hex => toHex(value, { size: 32 })

/** The hash of the packed fields; an order without an external call. */
export const idOf = (order: Order): Hex =>
  keccak256(
    concat([
      toHex(order.makerOrderNonce, { size: 8 }),
      sized(order.makerSrc),
      word(order.giveChainId),
      sized(order.giveTokenAddress),
      word(order.giveAmount),
      word(order.takeChainId),
      sized(order.takeTokenAddress),
      word(order.takeAmount),
      sized(order.receiverDst),
      sized(order.givePatchAuthoritySrc),
      sized(order.orderAuthorityAddressDst),
      sized(order.allowedTakerDst),
      sized(order.allowedCancelBeneficiarySrc),
      "0x00"
    ])
  )

/** The one call that makes the order. */
export const departureOf = (journey: Journey): Departure => {
  const order = orderOf(journey)
  const { nativeFee } = Terms.read(journey)
  const data = encodeFunctionData({
    abi,
    functionName: "createSaltedOrder",
    args: [
      {
        giveTokenAddress: address(journey.from.token),
        giveAmount: journey.units,
        takeTokenAddress: order.takeTokenAddress,
        takeAmount: order.takeAmount,
        takeChainId: order.takeChainId,
        receiverDst: order.receiverDst,
        givePatchAuthoritySrc: order.givePatchAuthoritySrc,
        orderAuthorityAddressDst: order.orderAuthorityAddressDst,
        allowedTakerDst: order.allowedTakerDst,
        externalCall: order.externalCall,
        allowedCancelBeneficiarySrc: order.allowedCancelBeneficiarySrc
      },
      order.makerOrderNonce,
      none,
      0,
      none,
      none
    ]
  })
  const spender = keyOf(Dln.source)
  return {
    spender,
    call: { to: spender, data, value: String(nativeFee) },
    coinUnits: nativeFee
  }
}

const same = (one: Hex, other: Hex): boolean => one.toLowerCase() === other.toLowerCase()

/** Whether an order goes where the journey says, asks for enough there, and lets nobody else have a say. */
export const isOf = ({ from, minBuyUnits, receiver, sender, to }: Journey, order: Order): boolean =>
  order.giveChainId === chainNumber(from.chainId) &&
  order.takeChainId === chainNumber(to.chainId) &&
  order.takeAmount >= minBuyUnits &&
  same(order.giveTokenAddress, hexOf(from.token)) &&
  same(order.takeTokenAddress, hexOf(to.token)) &&
  same(order.makerSrc, hexOf(sender)) &&
  same(order.givePatchAuthoritySrc, hexOf(sender)) &&
  same(order.allowedCancelBeneficiarySrc, hexOf(sender)) &&
  same(order.receiverDst, hexOf(receiver)) &&
  same(order.orderAuthorityAddressDst, hexOf(receiver)) &&
  order.allowedTakerDst === none &&
  order.externalCall === none

/** The call by which the receiving wallet takes an order back, to the sending wallet and to nobody else. */
export const cancellationOf = (
  order: Order,
  { sender }: Journey,
  value: bigint,
  rewardWei: bigint
) => {
  const data = encodeFunctionData({
    abi,
    functionName: "sendEvmOrderCancel",
    args: [order, address(sender), rewardWei]
  })
  return { to: keyOf(Dln.destination), data, value: String(value) }
}

const cancelledIn = (data: Hex) => {
  try {
    const { args, functionName } = decodeFunctionData({ abi, data })
    return functionName === "sendEvmOrderCancel"
      ? { order: args[0], rewardWei: args[2] }
      : undefined
  } catch {
    return undefined
  }
}

/** Whether a call would take back the order of a journey, whoever makes it and whatever it gives. */
export const namesOrderOf = (journey: Journey, data: Hex): boolean => {
  const order = cancelledIn(data)?.order
  return order !== undefined && order.makerOrderNonce === saltOf(journey) && isOf(journey, order)
}

/** Whether a call takes back the order of a journey within what was approved, and does nothing else. */
export const isCancellation = (journey: Journey, call: Schema.JsonObject): boolean => {
  const value = BigInt(String(call.value))
  const said = cancelledIn(address(String(call.data)))
  const { coin } = journey
  if (said === undefined || coin === undefined) return false
  const { order, rewardWei } = said
  if (value < 0n || value > coin.cancelling + coin.claiming || rewardWei > coin.claiming)
    return false
  if (order.makerOrderNonce !== saltOf(journey) || !isOf(journey, order)) return false
  const { data, to } = cancellationOf(order, journey, value, rewardWei)
  return call.data === data && call.to === to
}
