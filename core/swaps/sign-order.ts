/**
 * Signs an order of a swap by the wallet's key, and says when it may. The signing policy reads proposal, floor, wait
 * and wallet from the records; an order that differs from any of them in any field is not signed.
 */
import { Effect, Schema } from "effect"
import { familyOf, isSame } from "../chains/address.ts"
import { hexOf } from "../chains/evm.ts"
import * as Venue from "../ports/swap-venue.ts"
import * as Kind from "../proposals/kind.ts"
import type { Proposal } from "../proposals/proposal.ts"
import { whyClosed } from "../sales/closed-day.ts"
import type { Sale } from "../sales/sale.ts"
import { Sales } from "../sales/sale-store.ts"
import { ofProposal } from "../submissions/identity.ts"
import { SigningDenied } from "../submissions/order.ts"
import { WalletKeys } from "../submissions/wallet-keys.ts"
import { Identity } from "../timeline/identity.ts"
import type { Wait } from "../waits/wait.ts"
import { WaitStore } from "../waits/wait-store.ts"
import { Wallets } from "../wallets/wallet-store.ts"
import * as CancelOrder from "./cancel-order.ts"
import type { Terms } from "./terms.ts"

const Json = Schema.toCodecJson(Venue.SwapOrder)

/** An order as the signing side is asked about it. */
const callOf = (order: Venue.SwapOrder) => Schema.encodeSync(Json)(order) as Schema.JsonObject

/** Minutes after the first order of a swap within which all of its orders end. */
export const orderMinutes = 20

/** Dies with `SigningDenied` when the records do not say the same. */
export const sign = Effect.fnUntraced(function* (
  proposal: Proposal,
  venue: Venue.OrderVenue,
  order: Venue.SwapOrder
) {
  const { accountId, id: proposalId } = proposal
  const walletId = String(proposal.terms.fromWalletId)
  const wallet = yield* (yield* Wallets).find(accountId, walletId)
  if (wallet === undefined) {
    return yield* Effect.die(new SigningDenied(proposalId, "the account has no such wallet"))
  }
  const { chainId, owner, receiver, sell, sellAmount, validTo } = order
  const { bytes, orderId } = yield* venue.form(order)
  const signature = yield* (yield* WalletKeys).sign(wallet.key, familyOf(chainId).curve, {
    order: {
      act: "order",
      from: owner,
      to: receiver,
      amount: { token: { chainId, address: sell }, units: sellAmount },
      identity: (yield* Identity).derive(ofProposal(proposal)),
      call: callOf(order),
      proposalId,
      accountId,
      walletId,
      chainId,
      key: wallet.key,
      validBefore: validTo
    },
    token: sell,
    bytes
  })
  const signed: Venue.SignedOrder = { ...order, orderId, signature: hexOf(signature) }
  return signed
})

/** What the records say of an order, and of its cancellation. */
export interface Records extends CancelOrder.Records {
  readonly waits: ReadonlyArray<Wait>
  readonly sale: Sale | undefined
  /** Whether nothing more of its day may be sold. */
  readonly isClosed: boolean
}

const decodeSigned = Schema.decodeUnknownOption(Schema.toCodecJson(Venue.SignedOrder))

/** What ends the signed order of these waits, by the venue's own form of it. */
const invalidationOf = Effect.fnUntraced(function* (waits: ReadonlyArray<Wait>) {
  const open = waits.find(CancelOrder.isOpen)
  const signed = decodeSigned(open?.journal.signed)
  if (open === undefined || signed._tag === "None") return undefined
  const venue = Venue.venueOn(yield* Venue.SwapVenues, open.chainId)
  return venue?.execution === "order" ? venue.invalidation(signed.value) : undefined
})

export const read = Effect.fnUntraced(function* ({ id, stopAskedAt }: Proposal) {
  const waits = yield* (yield* WaitStore).ofProposals([id])
  const records: Records = {
    waits,
    sale: yield* (yield* Sales).find(id),
    isClosed: (yield* whyClosed(id)) !== undefined,
    isStopAsked: stopAskedAt !== null,
    invalidation: yield* invalidationOf(waits)
  }
  return records
})

const decode = Schema.decodeUnknownOption(Json)

const isSameOrder = (one: Schema.Json | undefined, other: Schema.JsonObject) =>
  typeof one === "object" &&
  one !== null &&
  Object.keys(other).every((field) => (one as Schema.JsonObject)[field] === other[field])

/** What an order must not pass: the approved terms, what was written down, and what the sale holds. */
const orderViolation = (
  { act, amount, call, chainId, from, identity, to, walletId }: Kind.SigningRequest,
  terms: Terms,
  { isClosed, sale, waits }: Records
) => {
  const order = decode(call)
  if (act !== "order" || call === null || order._tag === "None") {
    return "a swap signs nothing but an order"
  }
  const said = order.value
  const open = waits.find(CancelOrder.isOpen)
  const firstMs = Math.min(...waits.map(({ openedAt }) => openedAt.epochMilliseconds))
  return Kind.firstBroken([
    [said.identity === identity, "the order carries another identity"],
    [terms.fromWalletId === walletId, "the terms name another wallet"],
    [terms.chainId === chainId && said.chainId === chainId, "the terms name another chain"],
    [isSame(chainId, terms.fromAddress, from), "the terms name another address to sell from"],
    [isSame(chainId, said.owner, from), "the order names another owner"],
    [isSame(chainId, terms.receiver, to), "the terms name another receiver"],
    [isSame(chainId, said.receiver, to), "the order names another receiver"],
    [isSame(chainId, terms.sell.tokenAddress, said.sell), "the terms sell another token"],
    [said.sell === amount.token.address, "the order sells another token"],
    [isSame(chainId, terms.buy.tokenAddress, said.buy), "the terms buy another token"],
    [terms.sellAmount === amount.units, "the terms sell another amount"],
    [said.sellAmount === amount.units, "the order sells another amount"],
    [said.minBuyAmount >= terms.minBuyAmount, "the order gives less than the floor"],
    [open !== undefined && isSameOrder(open.journal.order, call), "no such order is written down"],
    [open?.journal.signed === undefined, "the order was signed before"],
    [
      said.validTo * 1000 <= firstMs + orderMinutes * 60_000,
      "the order outlives the time for orders"
    ],
    [sale?.state === "open", "nothing is held for it"],
    [!isClosed, "its day is closed"]
  ])
}

/** When a wallet's key may sign for a swap: its order, and once it was asked to stop, what ends that order. */
export const signing: Kind.Signing<Terms, Records, Effect.Services<ReturnType<typeof read>>> = {
  parts: [CancelOrder.cancelPart],
  read,
  violation: (request, terms, records) =>
    request.part === CancelOrder.cancelPart
      ? CancelOrder.violation(request, terms, records)
      : orderViolation(request, terms, records)
}
