/**
 * Burning and minting between local chains: contracts with the interface of CCTP V2 at the addresses of the main
 * chains. What is burnt on one chain is minted on another only by a message that both attesters signed.
 */
import { Effect } from "effect"
import { privateKeyToAddress } from "viem/accounts"
import { bytesToHex, encodeFunctionData, keccak256, pad, parseAbi, stringToHex } from "viem/utils"
import { type Address, address } from "../../../adapters/evm/contract.ts"
import * as Cctp from "../../../core/chains/cctp.ts"
import * as Base58 from "../../../core/encoding/base58.ts"
import type { Anvil } from "../anvil.ts"
import { accounts, sendAll } from "../unlocked.ts"
import * as Code from "./contract-code.ts"

export interface BridgedChain {
  readonly anvil: Anvil
  /** By its id in the treasury. */
  readonly chainId: string
  readonly usdc: string
}

const setUps = parseAbi([
  "function setUp(uint32 domain, address[] attesters)",
  "function configureMinter(address minter, uint256 allowance)"
])
const minterAbi = parseAbi([
  "function setUp(address messenger, address token, uint256 limit)",
  "function linkTokenPair(address token, uint32 remoteDomain, bytes32 remoteToken)"
])
const messengerAbi = parseAbi([
  "function setUp(address transmitter, address minter, address feesTo)",
  "function addRemoteTokenMessenger(uint32 domain, bytes32 messenger)"
])

const tokenMinter = address("0xfd78EE919681417d192449715b2594ab58f5D002")
/** Where the fees of fast transfers go. */
export const feeRecipient = address("0x000000000000000000000000000000000000fee5")

const burnLimitMicro = 10_000_000_000_000n
const mintableMicro = 10n ** 30n

/** Known to everybody: what they sign is worth something on local chains alone. */
export const attesterKeys = ["one", "two"]
  .map((name) => keccak256(stringToHex(`local attester ${name}`)))
  .toSorted((first, second) =>
    privateKeyToAddress(first).toLowerCase() < privateKeyToAddress(second).toLowerCase() ? -1 : 1
  )

/** An address as messages name it, of whatever family its chain is. */
export const bytes32 = (some: string): Address => {
  const key = Base58.decode(some, 32)
  return key === undefined ? pad(address(some.toLowerCase()), { size: 32 }) : bytesToHex(key)
}

/** Those whose signatures count on local chains, in ascending order. */
export const attesters = attesterKeys.map((key) => privateKeyToAddress(key))

/** The domain of a chain that has the local contracts. */
export const localDomain = (chainId: string): Cctp.Domain => {
  const domain = Cctp.domainOf(chainId)
  if (domain?.network === "local") return domain
  throw new Error(`${chainId} is no local chain with a domain.`)
}

type Calls = ReadonlyArray<readonly [to: Address, data: string]>

/** What each contract is told first, once. */
const settingUp = (
  { number }: Cctp.Domain,
  messenger: Address,
  transmitter: Address,
  token: Address
): Calls => [
  [
    transmitter,
    encodeFunctionData({ abi: setUps, functionName: "setUp", args: [number, attesters] })
  ],
  [
    tokenMinter,
    encodeFunctionData({
      abi: minterAbi,
      functionName: "setUp",
      args: [messenger, token, burnLimitMicro]
    })
  ],
  [
    messenger,
    encodeFunctionData({
      abi: messengerAbi,
      functionName: "setUp",
      args: [transmitter, tokenMinter, feeRecipient]
    })
  ],
  [
    token,
    encodeFunctionData({
      abi: setUps,
      functionName: "configureMinter",
      args: [tokenMinter, mintableMicro]
    })
  ]
]

/** Those of the calls that the chain would take now. */
const takenBy = Effect.fnUntraced(function* (anvil: Anvil, from: Address, calls: Calls) {
  const answers = yield* Effect.orDie(
    anvil.rpc(
      calls.map(([to, data]) => ({
        method: "eth_call",
        params: [{ from, to, data }, "latest"],
        mayRevert: true
      }))
    )
  )
  return calls.filter((_, at) => answers[at] !== undefined)
})

/** Puts the contracts in place, lets them burn and mint, and links them with the chains they reach. */
export const deploy = Effect.fnUntraced(function* (
  { anvil, chainId, usdc }: BridgedChain,
  others: ReadonlyArray<Pick<BridgedChain, "chainId" | "usdc">>
) {
  const { minter } = yield* accounts(anvil)
  const domain = localDomain(chainId)
  const [messenger, transmitter, token] = [
    address(domain.tokenMessenger),
    address(domain.messageTransmitter),
    address(usdc)
  ]
  const codes: ReadonlyArray<readonly [Address, string]> = [
    [messenger, Code.localTokenMessenger],
    [transmitter, Code.localMessageTransmitter],
    [tokenMinter, Code.localTokenMinter]
  ]
  yield* Effect.forEach(codes, ([at, code]) => anvil.call("anvil_setCode", at, code))
  // Each is set up once. A chain that was saved in the middle has some of them set up and others not.
  const setUp = yield* takenBy(anvil, minter, settingUp(domain, messenger, transmitter, token))
  const calls: Calls = [...setUp, ...others.flatMap((other) => linksTo(other, messenger, token))]
  yield* sendAll(
    anvil,
    calls.map(([to, data]) => ({ from: minter, to, data, gas: 300_000 }))
  )
})

const linksTo = (
  other: Pick<BridgedChain, "chainId" | "usdc">,
  messenger: Address,
  token: Address
): Calls => {
  const { number, tokenMessenger } = localDomain(other.chainId)
  return [
    [
      messenger,
      encodeFunctionData({
        abi: messengerAbi,
        functionName: "addRemoteTokenMessenger",
        args: [number, bytes32(tokenMessenger)]
      })
    ],
    [
      tokenMinter,
      encodeFunctionData({
        abi: minterAbi,
        functionName: "linkTokenPair",
        args: [token, number, bytes32(other.usdc)]
      })
    ]
  ]
}
