/** The Solana family: base58 addresses and signatures, in which every letter's case counts. */
import * as Usdc from "../money/usdc.ts"
import type { ChainFamily } from "./family.ts"

const system = "11111111111111111111111111111111"

const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

/** Base58 of 32 bytes; a leading 1 is a byte of zeros. */
const parseAddress = (text: string): string | undefined => {
  if (!/^[1-9A-HJ-NP-Za-km-z]{32,44}$/u.test(text)) return undefined
  const zeros = text.search(/[^1]|$/u)
  let value = 0n
  for (const digit of text) value = value * 58n + BigInt(alphabet.indexOf(digit))
  const bytes = value === 0n ? 0 : Math.ceil(value.toString(16).length / 2)
  return zeros + bytes === 32 ? text : undefined
}

export const solana: ChainFamily = {
  family: "solana",
  curve: "ed25519",
  accountWord: "Solana",
  parseAddress,
  addressKey: (address) => address,
  transactionKey: (transactionId) => transactionId,
  parseTransactionId: (text) => (/^[1-9A-HJ-NP-Za-km-z]{64,88}$/u.test(text) ? text : undefined),
  chainReference: (chain) => chain.caip2.split(":")[1] ?? "",
  paymentUri: ({ payTo, token, units }) =>
    `solana:${payTo}?amount=${Usdc.format(units)}&spl-token=${token}`,
  walletCall: () => undefined,
  signsMessages: false,
  takesApprovals: false,
  whyLost: (addressKey) =>
    addressKey === system ? "the system program; money sent there would be lost" : undefined,
  coinOf: () => ({ symbol: "SOL", name: "Solana", decimals: 9 }),
  tokens: {},
  exampleAddress: "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T"
}
