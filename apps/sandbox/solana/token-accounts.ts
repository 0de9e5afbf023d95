/** Token accounts as RPC nodes tell them: their balances around a transaction, and their parsed form. */
import { type Address, address, type EncodedAccount } from "@solana/kit"
import {
  AccountState,
  getMintDecoder,
  getTokenDecoder,
  TOKEN_PROGRAM_ADDRESS,
  type Token
} from "@solana-program/token"
import type { LiteSVM } from "litesvm"
import type { Decoded } from "./transaction.ts"

/** The classic token program, and Token-2022, whose accounts begin in the same way. */
export const tokenPrograms: ReadonlyArray<Address> = [
  TOKEN_PROGRAM_ADDRESS,
  address("TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb")
]

const tokenBytes = 165
const mintBytes = 82

const isOfTokens = ({ programAddress }: EncodedAccount) => tokenPrograms.includes(programAddress)

/** The token account that an account is; undefined when it is none. */
export const tokenIn = (account: EncodedAccount): Token | undefined =>
  isOfTokens(account) && account.data.length >= tokenBytes
    ? getTokenDecoder().decode(account.data.subarray(0, tokenBytes))
    : undefined

const decimalsOf = (svm: LiteSVM, mint: Address): number => {
  const held = svm.getAccount(mint)
  return held.exists ? getMintDecoder().decode(held.data.subarray(0, mintBytes)).decimals : 0
}

/** An amount of a mint's tokens in all the forms in which nodes tell one. */
export const uiAmount = (svm: LiteSVM, { amount, mint }: Pick<Token, "amount" | "mint">) => {
  const decimals = decimalsOf(svm, mint)
  const digits = String(amount).padStart(decimals + 1, "0")
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/u, "")
  const text = fraction === "" ? whole : `${whole}.${fraction}`
  return { amount: String(amount), decimals, uiAmount: Number(text), uiAmountString: text }
}

export const tokenBalances = (svm: LiteSVM, { instructions, keys }: Decoded) => {
  const programs = new Set(instructions.map(({ programAddressIndex }) => programAddressIndex))
  return keys.flatMap((key, accountIndex) => {
    const account = programs.has(accountIndex) ? undefined : svm.getAccount(key)
    const token = account?.exists ? tokenIn(account) : undefined
    if (token === undefined || !account?.exists) return []
    const { mint, owner } = token
    const programId = account.programAddress
    return [{ accountIndex, mint, owner, programId, uiTokenAmount: uiAmount(svm, token) }]
  })
}

/** What `jsonParsed` makes of an account; undefined for those that nodes do not parse either, or are not asked for here. */
export const parsed = (svm: LiteSVM, account: EncodedAccount) => {
  const space = BigInt(account.data.length)
  const program = account.programAddress === tokenPrograms[0] ? "spl-token" : "spl-token-2022"
  const token = tokenIn(account)
  if (token !== undefined) {
    const info = {
      mint: token.mint,
      owner: token.owner,
      state: token.state === AccountState.Frozen ? "frozen" : "initialized",
      isNative: false,
      tokenAmount: uiAmount(svm, token)
    }
    return { program, space, parsed: { type: "account", info } }
  }
  if (!isOfTokens(account) || account.data.length !== mintBytes) return undefined
  const mint = getMintDecoder().decode(account.data)
  const authorityOf = (option: typeof mint.mintAuthority) =>
    option.__option === "Some" ? option.value : null
  const info = {
    decimals: mint.decimals,
    freezeAuthority: authorityOf(mint.freezeAuthority),
    isInitialized: mint.isInitialized,
    mintAuthority: authorityOf(mint.mintAuthority),
    supply: String(mint.supply)
  }
  return { program, space, parsed: { type: "mint", info } }
}
