/** The Solana family: base58 addresses and signatures, in which every letter's case counts. */
import * as Base58 from "../encoding/base58.ts"
import * as Usdc from "../money/usdc.ts"
import type { Chain } from "./chain.ts"
import type { ChainFamily, PaymentAsked, PaymentRead } from "./family.ts"

const system = "11111111111111111111111111111111"

const lost: Readonly<Record<string, string>> = {
  [system]: "the system program; money sent there would be lost",
  "1nc1nerator11111111111111111111111111111111": "the incinerator; money sent there would be lost"
}

const addressBytes = 32
const signatureBytes = 64

const isBase58 = (text: string, bytes: number) => Base58.decode(text, bytes) !== undefined

const referenceOf = ({ caip2 }: Chain): string => caip2.split(":")[1] ?? ""

/** A transfer request of Solana Pay; the amount without zeros that nobody needs. */
const paymentUri = ({ payTo, token, units, ...asked }: PaymentAsked): string => {
  const amount = Usdc.format(units).replace(/\.?0+$/u, "")
  const fields = {
    amount,
    "spl-token": token,
    reference: asked.reference,
    label: asked.label,
    message: asked.message
  }
  const query = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]
  )
  return `solana:${payTo}?${query.join("&")}`
}

const readPaymentUri = (uri: string): PaymentRead | undefined => {
  const [, payTo = "", query = ""] = /^solana:([^?]+)\?(.*)$/u.exec(uri) ?? []
  // What is read of it has no character that would be escaped.
  const asked = new Map(query.split("&").map((pair) => pair.split("=") as [string, string]))
  const units = Usdc.parse(asked.get("amount") ?? "")
  const token = asked.get("spl-token") ?? ""
  return units === undefined || !isBase58(payTo, addressBytes) || !isBase58(token, addressBytes)
    ? undefined
    : { chainReference: undefined, token, payTo, units, reference: asked.get("reference") }
}

const tokens: ChainFamily["tokens"] = {
  solana: [
    {
      address: "So11111111111111111111111111111111111111112",
      symbol: "WSOL",
      name: "Wrapped SOL",
      decimals: 9,
      permit: "none",
      priceId: "wrapped-solana",
      approvesByZero: false
    },
    {
      address: "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB",
      symbol: "USDT",
      name: "Tether USD",
      decimals: 6,
      permit: "none",
      priceId: "tether",
      approvesByZero: false
    }
  ]
}

/** As the Wallet Standard calls them. */
const walletChains: Readonly<Record<string, string>> = {
  solana: "solana:mainnet",
  "solana-devnet": "solana:devnet",
  "local-solana": "solana:localnet"
}

export const solana: ChainFamily = {
  family: "solana",
  curve: "ed25519",
  accountWord: "Solana",
  addressForm: "32 bytes in base58, 32 to 44 characters in which the case of each letter counts",
  parseAddress: (text) => (isBase58(text, addressBytes) ? text : undefined),
  addressKey: (address) => address,
  transactionKey: (transactionId) => transactionId,
  parseTransactionId: (text) => (isBase58(text, signatureBytes) ? text : undefined),
  chainReference: referenceOf,
  paymentUri,
  readPaymentUri,
  walletCall: () => undefined,
  walletChain: ({ id }) => walletChains[id],
  takesAuthorizations: true,
  takesApprovals: false,
  tokenField: "Mint",
  tellsByAddress: true,
  holdsInAccounts: true,
  takesReferences: true,
  // As much as x402 allows; with a mark and a token account to open it leaves room in a transaction.
  maxMemoBytes: 256,
  whyLost: (addressKey) => lost[addressKey],
  coinOf: () => ({ symbol: "SOL", name: "Solana", decimals: 9 }),
  tokens,
  exampleAddress: "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T"
}
