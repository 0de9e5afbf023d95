/** The contracts of limit orders between chains (deBridge DLN), as far as the treasury speaks them. */
import { parseAbi, parseAbiItem } from "viem/utils"
import * as Event from "../event.ts"

const order =
  "struct Order { uint64 makerOrderNonce; bytes makerSrc; uint256 giveChainId; bytes giveTokenAddress; uint256 giveAmount; uint256 takeChainId; bytes takeTokenAddress; uint256 takeAmount; bytes receiverDst; bytes givePatchAuthoritySrc; bytes orderAuthorityAddressDst; bytes allowedTakerDst; bytes allowedCancelBeneficiarySrc; bytes externalCall; }"
const creation =
  "struct OrderCreation { address giveTokenAddress; uint256 giveAmount; bytes takeTokenAddress; uint256 takeAmount; uint256 takeChainId; bytes receiverDst; address givePatchAuthoritySrc; bytes orderAuthorityAddressDst; bytes allowedTakerDst; bytes externalCall; bytes allowedCancelBeneficiarySrc; }"

export const abi = parseAbi([
  order,
  creation,
  "function createSaltedOrder(OrderCreation creation, uint64 salt, bytes affiliateFee, uint32 referralCode, bytes permitEnvelope, bytes metadata) payable returns (bytes32)",
  "function sendEvmOrderCancel(Order order, address cancelBeneficiary, uint256 executionFee) payable",
  "function globalFixedNativeFee() view returns (uint88)",
  "function globalTransferFeeBps() view returns (uint16)"
])

/** What carries word from chain to chain, and what it asks for that. */
export const gateAbi = parseAbi([
  "function deBridgeGate() view returns (address)",
  "function globalFixedNativeFee() view returns (uint256)",
  "function globalTransferFeeBps() view returns (uint16)",
  "function getChainToConfig(uint256 chainId) view returns (uint256 fixedNativeFee, bool isSupported, uint16 transferFeeBps)",
  "function getChainFromConfig(uint256 chainId) view returns (uint256 fixedNativeFee, bool isSupported, uint16 transferFeeBps)"
])

/** Whom each side trusts on another chain, and whether it, or its gate, is paused. */
export const linkAbi = parseAbi([
  "function dlnDestinationAddresses(uint256 chainId) view returns (bytes)",
  "function dlnSourceAddresses(uint256 chainId) view returns (bytes)",
  "function paused() view returns (bool)"
])

export const created = Event.of(
  parseAbiItem([
    "event CreatedOrder(Order order, bytes32 orderId, bytes affiliateFee, uint256 nativeFixFee, uint256 percentFee, uint32 referralCode, bytes metadata)",
    order
  ])
)
export const filled = Event.of(
  parseAbiItem([
    "event FulfilledOrder(Order order, bytes32 orderId, address sender, address unlockAuthority)",
    order
  ])
)
export const cancelled = Event.of(
  parseAbiItem([
    "event SentOrderCancel(Order order, bytes32 orderId, bytes cancelBeneficiary, bytes32 submissionId)",
    order
  ])
)
export const claimed = Event.of(
  parseAbiItem(
    "event ClaimedOrderCancel(bytes32 orderId, address beneficiary, uint256 paidAmount, address giveTokenAddress)"
  )
)

/** How an order stands on either side, by its id; only the first word of the answer is the status. */
export const states = parseAbi([
  "function giveOrders(bytes32 orderId) view returns (uint256 status)",
  "function takeOrders(bytes32 orderId) view returns (uint256 status)"
])
