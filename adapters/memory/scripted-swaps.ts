/**
 * What a wallet's own transaction swaps on a scripted chain: all that it sells at the rate of the block that holds it,
 * for at least what was signed. Its signature covers the least too; a way that sells anything else is told apart by name.
 */
import { Option, Schema } from "effect"
import { keccak256, toHex } from "viem/utils"
import { Address, AddressKey, type TransactionId } from "../../core/chains/address.ts"
import * as Base58 from "../../core/encoding/base58.ts"
import { canonical } from "../../core/encoding/canonical.ts"
import type { Authorization } from "../../core/evm/journal.ts"
import * as Usdc from "../../core/money/usdc.ts"
import type { SwapOrder } from "../../core/ports/swap-venue.ts"
import { outOfUsdc, priceMoved } from "../../core/solana/reasons.ts"
import type { Route, Swap } from "../../core/solana/swap.ts"

/** So many units of the bought token for so many of the sold one. */
export interface Rate {
  readonly sell: AddressKey
  readonly buy: AddressKey
  readonly gives: bigint
  readonly per: bigint
}

/** By the pair that they are of. */
export type Rates = Map<string, Rate>

export const pairOf = (sell: AddressKey, buy: AddressKey): string => `${sell} ${buy}`

/** What so much gives now; nought for a pair that nobody swaps. */
export const boughtFor = (
  rates: Rates,
  { buy, sell, sellAmount }: Pick<SwapOrder, "sell" | "buy" | "sellAmount">
): bigint => {
  const rate = rates.get(pairOf(sell, buy))
  return rate === undefined ? 0n : (sellAmount * rate.gives) / rate.per
}

/** What a transaction swaps beside what its authorization says: that is who sells what, and for whom. */
export const Swapped = Schema.Struct({ buy: AddressKey, minBuyAmount: Schema.BigIntFromString })
export type Swapped = typeof Swapped.Type

/** Why a transaction that is in a block did nothing. */
export interface Failure {
  readonly reason: string
  /** Whether another transaction may do what this one did not. */
  readonly isPassing: boolean
}

export const tooLittle: Failure = {
  reason: "The wallet holds too little of what is sold.",
  isPassing: false
}
export const tooLittleUsdc: Failure = { reason: outOfUsdc, isPassing: false }
export const moved: Failure = { reason: priceMoved, isPassing: true }
const unsigned: Failure = { reason: "The signature is invalid.", isPassing: false }

/** What a wallet signs for a swap. */
export const digestOf = (
  authorization: Omit<Authorization, "signature">,
  { buy, minBuyAmount }: Swapped
): `0x${string}` => {
  const { amountMicro, chainId, from, nonce, to, token, validBefore } = authorization
  const terms = [chainId, token, from, to, `${amountMicro}`, nonce, validBefore]
  return keccak256(toHex(JSON.stringify(["swapped", ...terms, buy, `${minBuyAmount}`])))
}

interface Payment {
  readonly txHash: TransactionId
  readonly from: AddressKey
  readonly to: AddressKey
  readonly amountMicro: Usdc.Usdc
}

/** As much of a scripted chain as swaps are made on. */
interface Chain {
  readonly connected: { readonly usdc: AddressKey }
  readonly others: ReadonlyMap<AddressKey, { readonly balances: Map<AddressKey, bigint> }>
  readonly blocks: ReadonlyArray<{ readonly payments: ReadonlyArray<Payment> }>
  readonly landed: ReadonlyArray<{
    readonly authorization: Authorization
    readonly isPaid: boolean
  }>
}

/** What somebody holds of a token, USDC by its payments and any other as it stands beside the blocks. */
export const heldOf = (chain: Chain, token: AddressKey, holder: AddressKey): bigint => {
  if (token !== chain.connected.usdc) return chain.others.get(token)?.balances.get(holder) ?? 0n
  return chain.blocks
    .flatMap(({ payments }) => payments)
    .reduce((held, { amountMicro, from, to }) => {
      const got = to === holder ? held + amountMicro : held
      return from === holder ? got - amountMicro : got
    }, 0n)
}

/** Moves what is no USDC. */
export const shift = (
  chain: Pick<Chain, "others">,
  token: AddressKey,
  holder: AddressKey,
  units: bigint
): void => {
  const balances = chain.others.get(token)?.balances
  balances?.set(holder, (balances.get(holder) ?? 0n) + units)
}

interface Sent {
  readonly txHash: TransactionId
  readonly authorization: Authorization
  readonly swapped?: Swapped
}

/** On the other side of every swap. */
const pool = AddressKey.make(Base58.encode(new Uint8Array(32).fill(0xb0)))

const move = (chain: Chain, sent: Sent, boughtAmount: bigint, sign: 1n | -1n): void => {
  const { amountMicro, from, to, token } = sent.authorization
  const { usdc } = chain.connected
  const buy = sent.swapped?.buy ?? usdc
  if (token !== usdc) shift(chain, token, from, -sign * amountMicro)
  if (buy !== usdc) shift(chain, buy, to, sign * boughtAmount)
}

/** The block that held it is gone, and its payments with it. */
export const undo = (chain: Chain, sent: Sent & { readonly boughtAmount?: bigint }): void => {
  if (sent.boughtAmount !== undefined) move(chain, sent, sent.boughtAmount, -1n)
}

/** What becomes of a swap in the next block. One identity is used up once, whatever it was used for. */
export const land = (chain: Chain, rates: Rates, sent: Sent, swapped: Swapped) => {
  const { authorization, txHash } = sent
  const { amountMicro, from, nonce, signature, to, token } = authorization
  const { buy, minBuyAmount } = swapped
  const failed = (failure?: Failure) => ({
    payments: [],
    told: { isPaid: false, ...(failure === undefined ? {} : { failure }) }
  })
  const isUsed = chain.landed.some(
    ({ authorization: other, isPaid }) => isPaid && other.from === from && other.nonce === nonce
  )
  if (isUsed) return failed()
  if (signature !== digestOf(authorization, swapped)) return failed(unsigned)
  if (heldOf(chain, token, from) < amountMicro) return failed(tooLittle)
  const boughtAmount = boughtFor(rates, { sell: token, buy, sellAmount: amountMicro })
  if (boughtAmount < minBuyAmount) return failed(moved)
  move(chain, sent, boughtAmount, 1n)
  const { usdc } = chain.connected
  const payments = [
    ...(token === usdc ? [{ txHash, from, to: pool, amountMicro }] : []),
    ...(buy === usdc ? [{ txHash, from: pool, to, amountMicro: Usdc.make(boughtAmount) }] : [])
  ]
  return { payments, told: { isPaid: true, boughtAmount } }
}

const Named = Schema.Struct({
  owner: Schema.String,
  receiver: Schema.String,
  sell: Schema.String,
  sellAmount: Schema.String,
  buy: Schema.String,
  minBuyAmount: Schema.String
})
/** What a venue's way says that it does. */
export type Named = typeof Named.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(Named))

/** The way of a scripted venue; `twist` is what it says otherwise than it was asked. */
export const routeOf = (order: Omit<SwapOrder, "identity">, twist: Partial<Named> = {}): Route => {
  const { buy, minBuyAmount, owner, receiver, sell, sellAmount } = order
  const asked = { owner, receiver, sell, buy, sellAmount: `${sellAmount}` }
  const named: Named = { ...asked, minBuyAmount: `${minBuyAmount}`, ...twist }
  const data = Buffer.from(canonical(named)).toString("base64")
  return { program: Address.make(pool), accounts: [], data, tables: [] }
}

/** Where a way is not the swap; undefined when it is, and nothing else. */
export const violation = ({ data, program }: Route, swap: Swap): string | undefined => {
  if (program !== pool) return "the route calls another program"
  const named = Option.getOrUndefined(decode(Buffer.from(data, "base64").toString("utf8")))
  if (named === undefined) return "the route is no instruction"
  const wanted: Named = {
    owner: swap.from,
    receiver: swap.to,
    sell: swap.amount.token.address ?? "",
    sellAmount: `${swap.amount.units}`,
    buy: swap.buy,
    minBuyAmount: `${swap.minBuyAmount}`
  }
  const field = (Object.keys(wanted) as ReadonlyArray<keyof Named>).find(
    (name) => named[name] !== wanted[name]
  )
  return field === undefined ? undefined : `the route has another ${field}`
}
