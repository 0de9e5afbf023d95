/**
 * The chart of accounts, in names that hledger and beancount both take: letters, digits and dashes between colons.
 * A wallet's name ends in the last part of its id, so that two wallets of one name stay two.
 */
import { find } from "../chains/chain.ts"
import type { Pinned } from "../tokens/token.ts"
import type { Wallet } from "../wallets/wallet.ts"
import type { Kind } from "./movement.ts"
import type { Statement } from "./statement.ts"

const part = (text: string): string => {
  const plain = text
    .normalize("NFKD")
    .replace(/[^A-Za-z0-9]+/gu, "-")
    .replace(/^-+|-+$/gu, "")
    .slice(0, 40)
  return plain === "" ? "X" : `${plain.charAt(0).toUpperCase()}${plain.slice(1)}`
}

const chainPart = (chainId: string): string => part(find(chainId)?.name ?? chainId)

export const walletAccount = ({ chainId, customer, id, kind, name, nickname }: Wallet): string => {
  const own = part(nickname ?? customer?.externalId ?? name)
  const group = kind === "collection" ? "Vaults" : "Wallets"
  return `Assets:${group}:${chainPart(chainId)}:${own}-${id.slice(-12)}`
}

export const transitAccount = (protocol: string): string => `Assets:In-Transit:${part(protocol)}`

/** Where the other half of a movement stands. */
export const otherAccount: Readonly<Record<Kind, string>> = {
  payment: "Income:Payments",
  deposit: "Income:Deposits",
  own_transfer: "Equity:Own-Transfers",
  send: "Expenses:Sends",
  refund: "Income:Refunds",
  swap: "Equity:Trades",
  bridge_out: "Equity:Trades",
  bridge_in: "Equity:Trades",
  bridge_return: "Equity:Trades",
  unrecorded_in: "Income:Unrecorded",
  unrecorded_out: "Expenses:Unrecorded"
}

export const openingAccount = "Equity:Opening-Balances"
export const tradeFees = "Expenses:Fees:Trades"
export const bridgeFees = "Expenses:Fees:Bridges"
export const networkFees = (chainId: string): string => `Expenses:Network:${chainPart(chainId)}`
export const relayerAccount = (chainId: string): string =>
  `Liabilities:Relayer:${chainPart(chainId)}`

/** A symbol in capitals, of two characters or more. */
const commodity = (symbol: string): string => {
  const plain = symbol
    .toUpperCase()
    .replace(/[^A-Z0-9]+/gu, "")
    .slice(0, 16)
  const begun = /^[A-Z]/u.test(plain) ? plain : `T${plain}`
  return begun.length < 2 ? `${begun}-COIN` : begun
}

/** A token on several chains is one commodity; two contracts of one chain never are. */
export const commodities = ({ held }: Pick<Statement, "held">) => {
  const known = new Map<string, string>()
  for (const { token } of held) {
    const name = `${token.chainId} ${commodity(token.symbol)}`
    if (!known.has(name)) known.set(name, token.address)
  }
  return ({ address, chainId, symbol }: Pick<Pinned, "address" | "chainId" | "symbol">): string => {
    const plain = commodity(symbol)
    const first = known.get(`${chainId} ${plain}`)
    if (first === undefined || first === address) return plain
    return `${plain}-${address
      .slice(-6)
      .toUpperCase()
      .replace(/[^A-Z0-9]/gu, "0")}`
  }
}

export const coinCommodity = commodity
