/** The issuer's contracts that burn and mint USDC (CCTP V2), as far as the treasury speaks them. */
import { parseAbi, parseAbiItem } from "viem/utils"
import * as Event from "../event.ts"

export const abi = parseAbi([
  "function depositForBurnWithHook(uint256 amount, uint32 destinationDomain, bytes32 mintRecipient, address burnToken, bytes32 destinationCaller, uint256 maxFee, uint32 minFinalityThreshold, bytes hookData)",
  "function receiveMessage(bytes message, bytes attestation) returns (bool)",
  "function getMinFeeAmount(uint256 amount) view returns (uint256)",
  "function isDenylisted(address account) view returns (bool)",
  "function remoteTokenMessengers(uint32 domain) view returns (bytes32)",
  "function localMinter() view returns (address)",
  "function burnLimitsPerMessage(address token) view returns (uint256)",
  "function usedNonces(bytes32 nonce) view returns (uint256)",
  "function paused() view returns (bool)",
  "function minterAllowance(address minter) view returns (uint256)"
])

export const burntEvent = parseAbiItem(
  "event DepositForBurn(address indexed burnToken, uint256 amount, address indexed depositor, bytes32 mintRecipient, uint32 destinationDomain, bytes32 destinationTokenMessenger, bytes32 destinationCaller, uint256 maxFee, uint32 indexed minFinalityThreshold, bytes hookData)"
)

export const burnt = Event.of(burntEvent)
export const sent = Event.of(parseAbiItem("event MessageSent(bytes message)"))
export const received = Event.of(
  parseAbiItem(
    "event MessageReceived(address indexed caller, uint32 sourceDomain, bytes32 indexed nonce, bytes32 sender, uint32 indexed finalityThresholdExecuted, bytes messageBody)"
  )
)

/** How much finality a burn asks for: to be in a block, or to be final. */
export const fastThreshold = 1000
export const standardThreshold = 2000
