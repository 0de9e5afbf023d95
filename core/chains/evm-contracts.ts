/** Contracts on EVM chains that are known by name, as whoever runs them publishes them. */
import type { KnownToken } from "./family.ts"

const names = {
  USDT: ["Tether USD", 6, "tether", "none"],
  DAI: ["Dai Stablecoin", 18, "dai", "none"],
  WETH: ["Wrapped Ether", 18, "weth", "none"],
  WBTC: ["Wrapped BTC", 8, "wrapped-bitcoin", "none"],
  EURC: ["EURC", 6, "euro-coin", "fiattoken"]
} as const

/** Its contract there refuses to change an allowance that is not zero, unless to zero. */
const isByZero = (chainId: string, symbol: string) => chainId === "ethereum" && symbol === "USDT"

/** Tether has made its contracts there part of another system, and calls them after it. */
const isRenamed = (chainId: string, symbol: string) =>
  symbol === "USDT" && (chainId === "arbitrum" || chainId === "polygon")

/**
 * The Keccak-256 of the code of those that are no proxies: it is the same for ever. Of the others somebody may change
 * what is behind them, and of none that runs under a chain's own upgrades a hash stands here.
 */
const codeHashes: Readonly<Record<string, string>> = {
  "ethereum USDT": "0xb44fb4e949d0f78f87f79ee46428f23a2a5713ce6fc6e0beb3dda78c2ac1ea55",
  "ethereum DAI": "0x4e36f96ee1667a663dfaac57c4d185a0e369a3a217e0079d49620f34f85d1ac7",
  "ethereum WETH": "0xd0a06b12ac47863b5c7be4185c2deaad1c61557033f56c7d4ea74429cbb25e23",
  "ethereum WBTC": "0x131ff5c755b710d543ea70fede2eb38e5d15b1456df0ae932ba12e2786f7e5df"
}

/** Test networks have none: their tokens have no price. */
const addresses: Readonly<Record<string, Readonly<Partial<Record<keyof typeof names, string>>>>> = {
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

export const tokens: Readonly<Record<string, ReadonlyArray<KnownToken>>> = Object.fromEntries(
  Object.entries(addresses).map(([chainId, bySymbol]) => [
    chainId,
    Object.entries(bySymbol).map(([symbol, address]) => {
      const [name, decimals, priceId, permit] = names[symbol as keyof typeof names]
      const codeHash = codeHashes[`${chainId} ${symbol}`]
      const known: KnownToken = {
        ...{ address, symbol, name, decimals, permit, priceId },
        approvesByZero: isByZero(chainId, symbol),
        ...(isRenamed(chainId, symbol) ? { isRenamed: true } : {}),
        ...(codeHash === undefined ? {} : { codeHash })
      }
      return known
    })
  ])
)

/** Who may be allowed to take a wallet's tokens, or may have been by another tool; one address on every chain. */
export const spenders = {
  "CoW Protocol GPv2VaultRelayer": "0xC92E8bdf79f0507f65a392b0ab4667716BFE0110",
  "deBridge DlnSource": "0xeF4fB24aD0916217251F553c0596F8Edc630EB66",
  "deBridge DeBridgeRouter": "0x663DC15D3C1aC63ff12E45Ab68FeA3F0a883C251",
  "Circle TokenMessengerV2": "0x28b5a0e9C621a5BadaA536219b3a228C8168cf5d",
  Permit2: "0x000000000022D473030F116dDEE9F6B43aC78BA3"
} as const
