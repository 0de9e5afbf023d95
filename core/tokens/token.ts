/**
 * The tokens the treasury vouches for, on each chain: its coin, USDC, a few that everybody knows, and
 * those an operator adds. Decimals come from here alone; what a contract says of itself proves nothing.
 */
import * as Address from "../chains/address.ts"
import { usdc } from "../chains/usdc.ts"
import type { Connected } from "../ports/chains.ts"

/** A token by its contract. */
export interface Listed {
  readonly chainId: string
  /** In the chain's display form; compared in lower case on EVM. */
  readonly address: Address.Address
  readonly symbol: string
  readonly name: string
  readonly decimals: number
}

export interface Token extends Omit<Listed, "address"> {
  /** In lower case on EVM; null for the coin the chain pays its fees in. */
  readonly address: Address.AddressKey | null
  readonly isUsdc: boolean
}

/** A token may have no more decimals than these; who claims more is not read. */
export const maxDecimals = 36

const names: Readonly<Record<string, readonly [name: string, decimals: number]>> = {
  USDT: ["Tether USD", 6],
  DAI: ["Dai Stablecoin", 18],
  WETH: ["Wrapped Ether", 18],
  WBTC: ["Wrapped BTC", 8],
  EURC: ["EURC", 6]
}

/** By chain and symbol, as their issuers publish them, in display form. Test networks have none: their tokens have no price. */
const addresses: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ethereum: {
    USDT: "0xdAC17F958D2ee523a2206206994597C13D831ec7",
    DAI: "0x6B175474E89094C44Da98b954EedeAC495271d0F",
    WETH: "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
    WBTC: "0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599",
    EURC: "0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c"
  },
  base: {
    DAI: "0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb",
    WETH: "0x4200000000000000000000000000000000000006",
    EURC: "0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42"
  },
  arbitrum: {
    USDT: "0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9",
    DAI: "0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1",
    WETH: "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1",
    WBTC: "0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f"
  },
  optimism: {
    USDT: "0x94b008aA00579c1307B0EF2c499aD98a8ce58e58",
    DAI: "0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1",
    WETH: "0x4200000000000000000000000000000000000006",
    WBTC: "0x68f180fcCe6836688e9084f035309E29Bf0A2095"
  },
  polygon: {
    USDT: "0xc2132D05D31c914a87C6611C10748AEb04B58e8F",
    DAI: "0x8f3Cf7ad23Cd3CaDbD9735AFf958023239c6A063",
    WETH: "0x7ceB23fD6bC0adD59E62ac25578270cFf1b9f619",
    WBTC: "0x1BFD67037B42Cf73acF2047067bd4F2C47D9BfD6"
  }
}

/** The tokens everybody knows, USDC aside. */
export const wellKnown: ReadonlyArray<Listed> = Object.entries(addresses).flatMap(
  ([chainId, bySymbol]) =>
    Object.entries(bySymbol).map(([symbol, address]) => {
      const [name, decimals] = names[symbol] ?? [symbol, 18]
      return { chainId, address: address as Address.Address, symbol, name, decimals }
    })
)

const coinOf = (chainId: string): Token => ({
  chainId,
  address: null,
  ...(chainId.startsWith("polygon")
    ? { symbol: "POL", name: "Polygon Ecosystem Token" }
    : { symbol: "ETH", name: "Ether" }),
  decimals: 18,
  isUsdc: false
})

const usdcOf = ({ chain, usdc: address }: Connected): Token => ({
  chainId: chain.id,
  address,
  symbol: "USDC",
  name: "USD Coin",
  decimals: 6,
  isUsdc: true
})

/** Every token vouched for on a chain, each contract once: what is ours goes before what an operator says. */
export const verifiedOn = (
  connected: Connected,
  added: ReadonlyArray<Listed>
): ReadonlyArray<Token> => {
  const byAddress = new Map<string, Token>([[connected.usdc, usdcOf(connected)]])
  for (const listed of [...wellKnown, ...added]) {
    const address = Address.keyOf(listed.chainId, listed.address)
    if (listed.chainId !== connected.chain.id || byAddress.has(address)) continue
    byAddress.set(address, { ...listed, address, isUsdc: false })
  }
  return [coinOf(connected.chain.id), ...byAddress.values()]
}

/** Whether the treasury already has this contract, and so an operator need not and cannot list it. */
export const isListed = (chainId: string, address: string): boolean => {
  const own = usdc[chainId]
  if (own !== undefined && Address.isSame(chainId, own, address)) return true
  return wellKnown.some(
    (listed) => listed.chainId === chainId && Address.isSame(chainId, listed.address, address)
  )
}
