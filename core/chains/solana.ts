/** The Solana family: base58 addresses and signatures, in which every letter's case counts. */
import * as Usdc from "../money/usdc.ts"
import type { ChainFamily } from "./family.ts"

const system = "11111111111111111111111111111111"

export const solana: ChainFamily = {
  family: "solana",
  curve: "ed25519",
  accountWord: "Solana",
  addressKey: (address) => address,
  transactionKey: (transactionId) => transactionId,
  isTransactionId: (text) => /^[1-9A-HJ-NP-Za-km-z]{64,88}$/u.test(text),
  chainReference: (chain) => chain.caip2.split(":")[1] ?? "",
  paymentUri: ({ payTo, token, units }) =>
    `solana:${payTo}?amount=${Usdc.format(units)}&spl-token=${token}`,
  walletCall: () => undefined,
  takesSignedClaims: false,
  takesApprovals: false,
  whyLost: (addressKey) =>
    addressKey === system ? "the system program; money sent there would be lost" : undefined
}
