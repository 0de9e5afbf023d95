/**
 * The local order book's answers, in the shapes and with the refusals of CoW Protocol's order book API. It quotes
 * what the pool gives, takes orders that the settlement contract would take, and tells how they stand.
 */
import { type Hex, recoverTypedDataAddress } from "viem"
import { keccak256, stringToHex } from "viem/utils"
import type { Address } from "../../../adapters/evm/contract.ts"
import { settlement } from "./deployment.ts"
import {
  allowanceOf,
  balanceOf,
  isOfContract,
  isTraded,
  type Ledger,
  nowOf,
  type Posted,
  poolGives,
  standingOf,
  tradesOf
} from "./ledger.ts"
import * as Order from "./order.ts"

export interface Answer {
  readonly status: number
  readonly body: unknown
}

const refuse = (status: number, errorType: string, description: string): Answer => ({
  status,
  body: { errorType, description }
})

const invalid = (errorType: string, description: string) => refuse(400, errorType, description)

/** How long a quote stands, an order must still be good for, and may be. */
const quoteSeconds = 60
const minSeconds = 60
const maxSeconds = 10_800
const defaultSeconds = 1800

const emptyAppData = "0xb48d38f93eaa084033fc5970bf96e559c33c4cdc07d889ab00b4d63f9590739d"

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()

/** What settling costs is taken from what is sold, as a thousandth. */
const costOf = (sold: bigint): bigint => sold / 1000n

const iso = (seconds: number): string => new Date(seconds * 1000).toISOString()

export const quote = async (ledger: Ledger, body: Order.Body, id: number): Promise<Answer> => {
  const sell = Order.readBytes(body.sellToken, 20)
  const buy = Order.readBytes(body.buyToken, 20)
  if (body.kind !== "sell" || body.sellAmountBeforeFee === undefined) {
    return invalid("UnsupportedOrderType", "only what is sold can be quoted here")
  }
  const gross = Order.readAmount(body.sellAmountBeforeFee)
  if (gross === 0n) return invalid("ZeroAmount", "the amount must be above zero")
  if (isSame(sell, buy)) return invalid("SameBuyAndSellToken", "sell and buy are the same token")
  const cost = costOf(gross)
  if (cost === 0n) return invalid("SellAmountDoesNotCoverFee", "the fee is above what is sold")
  const traded = await Promise.all([isTraded(ledger, sell), isTraded(ledger, buy)])
  const out = traded.includes(false) ? 0n : await poolGives(ledger, { sell, buy }, gross - cost)
  if (out === 0n) return refuse(404, "NoLiquidity", "no route found")
  const now = await nowOf(ledger)
  const validTo = body.validTo ?? now + Number(body.validFor ?? defaultSeconds)
  return {
    status: 200,
    body: {
      quote: {
        ...{ sellToken: sell, buyToken: buy, receiver: body.receiver ?? body.from },
        ...{ sellAmount: String(gross - cost), buyAmount: String(out), validTo },
        ...{ appData: body.appData ?? "{}", appDataHash: body.appDataHash ?? emptyAppData },
        ...{ feeAmount: String(cost), gasAmount: "150000", gasPrice: "1000000000" },
        ...{ sellTokenPrice: "0.0004", kind: "sell", partiallyFillable: false },
        ...{ sellTokenBalance: "erc20", buyTokenBalance: "erc20", signingScheme: "eip712" }
      },
      from: body.from,
      expiration: iso(now + quoteSeconds),
      id,
      verified: true
    }
  }
}

/** A document is given with its hash, which is what is signed; the hash alone is taken too. */
const wrongAppData = ({ appData, appDataHash }: Order.Body): Answer | undefined => {
  if (appDataHash === undefined) return undefined
  try {
    JSON.parse(String(appData))
  } catch {
    return invalid("InvalidAppData", "the document is no JSON")
  }
  return isSame(keccak256(stringToHex(String(appData))), String(appDataHash))
    ? undefined
    : invalid("AppDataHashMismatch", "the hash is of another document")
}

const malformed = (order: Order.SignedOrder, now: number): Answer | undefined => {
  const { buyAmount, buyToken, feeAmount, sellAmount, sellToken, validTo } = order
  if (feeAmount !== 0n) return invalid("NonZeroFee", "Fee must be zero")
  if (sellAmount === 0n || buyAmount === 0n) return invalid("ZeroAmount", "amounts are above zero")
  if (isSame(sellToken, buyToken)) return invalid("SameBuyAndSellToken", "the same token twice")
  if (order.kind !== "sell") return invalid("UnsupportedOrderType", "only sell orders")
  if (!(validTo >= now + minSeconds)) {
    return invalid("InsufficientValidTo", "validTo is not far enough in the future")
  }
  return validTo > now + maxSeconds
    ? invalid("ExcessiveValidTo", "validTo is too far into the future")
    : undefined
}

type Owned = { readonly owner: Address } | { readonly refused: Answer }

/** Whose order it is, by its signature. */
const ownerOf = async (
  ledger: Ledger,
  body: Order.Body,
  order: Order.SignedOrder
): Promise<Owned> => {
  const from = body.from === undefined ? undefined : Order.readBytes(body.from, 20)
  const signature = String(body.signature) as Hex
  if (body.signingScheme === "eip712") {
    const recovered = await recoverTypedDataAddress({
      ...Order.typed(ledger.chainId, order),
      signature
    }).catch(() => undefined)
    if (recovered === undefined) return { refused: invalid("InvalidSignature", "not a signature") }
    return from === undefined || isSame(from, recovered)
      ? { owner: recovered.toLowerCase() as Address }
      : { refused: invalid("WrongOwner", `recovered signer ${recovered}`) }
  }
  if (from === undefined) return { refused: invalid("MissingFrom", "from is required") }
  const digest = Order.digestOf(ledger.chainId, order)
  const isSigned =
    body.signingScheme === "presign" ||
    (await isOfContract(ledger, { digest, owner: from, signature }))
  return isSigned
    ? { owner: from }
    : { refused: invalid("InvalidEip1271Signature", "the contract refuses the signature") }
}

export const post = async (ledger: Ledger, body: Order.Body): Promise<Answer> => {
  const order = Order.read(body)
  const now = await nowOf(ledger)
  const wrong = malformed(order, now) ?? wrongAppData(body)
  if (wrong !== undefined) return wrong
  const owned = await ownerOf(ledger, body, order)
  if ("refused" in owned) return owned.refused
  const { owner } = owned
  const uid = Order.uidOf(Order.digestOf(ledger.chainId, order), owner, order.validTo)
  if (ledger.orders.has(uid)) return invalid("DuplicatedOrder", "order already exists")
  const scheme = body.signingScheme as Order.Scheme
  if ((await balanceOf(ledger, order.sellToken, owner)) < order.sellAmount) {
    return invalid("InsufficientBalance", "order owner must have funds worth at least the order")
  }
  const allowed = await allowanceOf(ledger, order.sellToken, owner)
  if (scheme !== "presign" && allowed < order.sellAmount) {
    return invalid("InsufficientAllowance", "order owner must give allowance to VaultRelayer")
  }
  const signature = String(body.signature) as Hex
  const posted = { order, uid, owner, scheme, signature, createdAt: iso(now), isCancelled: false }
  ledger.orders.set(uid, posted)
  return { status: 201, body: uid }
}

const detail = async (ledger: Ledger, posted: Posted) => {
  const { order, owner, scheme, uid, createdAt } = posted
  const { isInvalidated, status, trades } = await standingOf(ledger, posted)
  const sold = String(trades.reduce((sum, { sellAmount }) => sum + sellAmount, 0n))
  const bought = String(trades.reduce((sum, { buyAmount }) => sum + buyAmount, 0n))
  const { buyAmount, feeAmount, sellAmount, ...rest } = order
  return {
    ...{ creationDate: createdAt, owner, uid, availableBalance: null, status, class: "limit" },
    ...{ executedBuyAmount: bought, executedSellAmount: sold, executedSellAmountBeforeFees: sold },
    ...{ executedFeeAmount: "0", executedFee: "0", executedFeeToken: order.sellToken },
    ...{ invalidated: isInvalidated || posted.isCancelled, settlementContract: settlement },
    ...{ ...rest, sellAmount: String(sellAmount), buyAmount: String(buyAmount) },
    ...{ feeAmount: String(feeAmount), isLiquidityOrder: false, signingScheme: scheme }
  }
}

const notFound = refuse(404, "NotFound", "order was not found")

export const find = async (ledger: Ledger, uid: string): Promise<Answer> => {
  const posted = ledger.orders.get(uid.toLowerCase())
  return posted === undefined ? notFound : { status: 200, body: await detail(ledger, posted) }
}

export const trades = async (ledger: Ledger, uid: string): Promise<Answer> => {
  const posted = ledger.orders.get(uid.toLowerCase())
  if (posted === undefined) return { status: 200, body: [] }
  const { order, owner } = posted
  const body = (await tradesOf(ledger, posted)).map((trade) => ({
    ...trade,
    ...{ sellAmount: String(trade.sellAmount), buyAmount: String(trade.buyAmount) },
    ...{ orderUid: posted.uid, owner, sellToken: order.sellToken, buyToken: order.buyToken }
  }))
  return { status: 200, body }
}

/** Takes orders back, as far as a book can: who settles already does not hear of it. */
export const cancel = async (ledger: Ledger, body: Order.Body): Promise<Answer> => {
  const uids = (Array.isArray(body.orderUids) ? body.orderUids : []).map((uid) =>
    Order.readBytes(uid, 56)
  )
  const signer = await recoverTypedDataAddress({
    ...Order.cancellation(ledger.chainId, uids),
    signature: String(body.signature) as Hex
  }).catch(() => "0x")
  const found = uids.map((uid) => ledger.orders.get(uid.toLowerCase()))
  for (const posted of found) {
    if (posted === undefined) return notFound
    if (!isSame(posted.owner, signer)) return refuse(401, "WrongOwner", "another's order")
    const { status } = await standingOf(ledger, posted)
    if (status === "fulfilled") return invalid("OrderFullyExecuted", "the order is filled")
    if (status === "expired") return invalid("OrderExpired", "the order has expired")
  }
  for (const posted of found) if (posted !== undefined) posted.isCancelled = true
  return { status: 200, body: "Cancelled" }
}
