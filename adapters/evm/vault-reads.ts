/** The calls that vaults are read by: ERC-4626, and Aave V3's token of suppliers with the pool behind it. */
import { encodeFunctionData, parseAbi } from "viem/utils"
import type { VaultReference } from "../../core/ports/yield-positions.ts"
import { address } from "./contract.ts"
import * as Multicall from "./multicall.ts"

const abi = parseAbi([
  "function asset() view returns (address)",
  "function convertToAssets(uint256 shares) view returns (uint256)",
  "function maxWithdraw(address owner) view returns (uint256)",
  "function totalAssets() view returns (uint256)",
  "function UNDERLYING_ASSET_ADDRESS() view returns (address)",
  "function POOL() view returns (address)",
  "function scaledBalanceOf(address user) view returns (uint256)",
  "function totalSupply() view returns (uint256)",
  "function getReserveData(address asset) view returns (uint256)"
])

const read = (to: string, data: `0x${string}`): Multicall.Read => ({ to, data })

/** Which token the vault says it holds. */
export const assetOf = ({ address: to, kind }: VaultReference): Multicall.Read =>
  read(
    to,
    kind === "erc4626"
      ? encodeFunctionData({ abi, functionName: "asset" })
      : encodeFunctionData({ abi, functionName: "UNDERLYING_ASSET_ADDRESS" })
  )

export const sharesOf = ({ address: to }: VaultReference, owner: string): Multicall.Read =>
  Multicall.balanceOf(to, owner)

export const convertToAssets = (to: string, shares: bigint): Multicall.Read =>
  read(to, encodeFunctionData({ abi, functionName: "convertToAssets", args: [shares] }))

export const maxWithdraw = (to: string, owner: string): Multicall.Read =>
  read(to, encodeFunctionData({ abi, functionName: "maxWithdraw", args: [address(owner)] }))

/** What a balance of Aave's was before interest: its shares of the pool. */
export const scaledBalanceOf = (to: string, owner: string): Multicall.Read =>
  read(to, encodeFunctionData({ abi, functionName: "scaledBalanceOf", args: [address(owner)] }))

export const totalOf = ({ address: to, kind }: VaultReference): Multicall.Read =>
  read(
    to,
    kind === "erc4626"
      ? encodeFunctionData({ abi, functionName: "totalAssets" })
      : encodeFunctionData({ abi, functionName: "totalSupply" })
  )

export const poolOf = (to: string): Multicall.Read =>
  read(to, encodeFunctionData({ abi, functionName: "POOL" }))

/** Of a long answer; the third word is what suppliers earn in a year, in 10^27. */
export const reserveOf = (pool: string, asset: string): Multicall.Read =>
  read(pool, encodeFunctionData({ abi, functionName: "getReserveData", args: [address(asset)] }))
