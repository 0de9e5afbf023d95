/** A swap by an order that the records warrant in every respect, to be changed in one of them. */
import { DateTime, Effect, Schema } from "effect"
import * as Address from "../../core/chains/address.ts"
import { canonical } from "../../core/encoding/canonical.ts"
import * as Usd from "../../core/money/usd.ts"
import * as Usdc from "../../core/money/usdc.ts"
import { Spending } from "../../core/policy/spending-ledger.ts"
import { Secrets } from "../../core/ports/secrets.ts"
import { type SignedOrder, SwapOrder, SwapVenues, venueOn } from "../../core/ports/swap-venue.ts"
import type { Proposal } from "../../core/proposals/proposal.ts"
import { intentOf } from "../../core/proposals/propose.ts"
import { Sales } from "../../core/sales/sale-store.ts"
import { ofProposal } from "../../core/submissions/identity.ts"
import type { Order } from "../../core/submissions/order.ts"
import { cancelPart } from "../../core/swaps/cancel-order.ts"
import { Terms } from "../../core/swaps/terms.ts"
import { Identity } from "../../core/timeline/identity.ts"
import { newWait, type Wait } from "../../core/waits/wait.ts"
import { WaitStore } from "../../core/waits/wait-store.ts"
import * as Rows from "./rows.ts"
import * as SendingRows from "./sending-rows.ts"
import { aWallet } from "./signable-orders.ts"
import * as Stored from "./stored-rows.ts"

const chainId = "local"
const sold = Address.keyOf(chainId, `0x${"05".repeat(20)}`)
const bought = Address.keyOf(chainId, `0x${"90".repeat(20)}`)
const openedAt = Rows.at(0)
const openedSeconds = Math.floor(DateTime.toEpochMillis(openedAt) / 1000)

export const sellAmount = 100_000_000n
export const floor = 49_000_000_000_000_000_000n

export interface Over {
  readonly accountId?: string
  readonly proposal?: Partial<Proposal>
  readonly terms?: Partial<Terms>
  /** What the order says otherwise, where it is asked for and where it was written down. */
  readonly order?: Partial<SwapOrder>
  readonly wait?: Partial<Wait>
  /** Nobody opened its sale, or it has ended. */
  readonly sale?: "none" | "released" | "left"
  /** It was signed and placed before. */
  readonly isSigned?: boolean
}

const encodeOrder = Schema.encodeSync(Schema.toCodecJson(SwapOrder))

const token = (address: Address.AddressKey, symbol: string, decimals: number) => ({
  chainId,
  tokenAddress: Address.shown(chainId, address),
  symbol,
  decimals
})

const venue = Effect.gen(function* () {
  const found = venueOn(yield* SwapVenues, chainId)
  return found?.execution === "order" ? found : yield* Effect.die(new Error("There is no venue."))
})

/** The request to sign an order, and the bytes of the venue's own form of it. */
export const requestFor = Effect.fnUntraced(function* (
  base: Omit<Order, "act" | "call" | "from" | "to" | "amount" | "validBefore">,
  order: SwapOrder
) {
  const { bytes, orderId } = yield* (yield* venue).form(order)
  const request: Order = {
    ...base,
    act: "order",
    call: encodeOrder(order) as Schema.JsonObject,
    from: order.owner,
    to: order.receiver,
    amount: { token: { chainId: order.chainId, address: order.sell }, units: order.sellAmount },
    validBefore: order.validTo
  }
  return { request, bytes, orderId }
})

const stored = Effect.fnUntraced(function* (accountId: string, meant: Terms, over: Over) {
  const terms = yield* Effect.orDie(Schema.encodeUnknownEffect(Schema.toCodecJson(Terms))(meant))
  const draft = SendingRows.aProposal(accountId, {
    kind: "swap",
    status: "executing",
    terms: terms as Proposal["terms"]
  })
  const intentHash = (yield* Secrets).sha256(canonical(intentOf(draft)))
  const proposal = yield* Stored.proposal({ ...draft, intentHash, ...over.proposal })
  const reservation = SendingRows.aReservation(proposal, { amountMicro: 2_000_000n })
  yield* (yield* Spending).reserve(reservation, SendingRows.limits())
  if (over.sale === "none") return proposal
  const sales = yield* Sales
  const amount = { token: { chainId, address: sold }, units: sellAmount }
  const sale = { proposalId: proposal.id, accountId, walletId: meant.fromWalletId, amount }
  const dated = { worthMicro: meant.worthUsd, day: "2026-01-01", openedAt }
  yield* sales.open({ ...sale, ...dated }, Usd.make(1_000_000_000_000n))
  if (over.sale === "released") yield* sales.release(proposal.id)
  if (over.sale === "left") yield* sales.settle(proposal.id)
  return proposal
})

/** An executing swap with its wallet, its sale, its wait and its reservation, and the order to sign. */
export const signableOrder = Effect.fnUntraced(function* (over: Over = {}) {
  const accountId = over.accountId ?? (yield* Stored.account()).id
  const wallet = yield* aWallet(accountId)
  const meant: Terms = {
    fromWalletId: wallet.id,
    fromAddress: wallet.address,
    chainId,
    sell: token(sold, "USDC", 6),
    sellAmount: Usdc.SmallestUnits.make(sellAmount),
    buy: token(bought, "GOLD", 18),
    minBuyAmount: Usdc.SmallestUnits.make(floor),
    toWalletId: wallet.id,
    receiver: wallet.address,
    protocol: "cow",
    slippagePercent: 0.5,
    worthUsd: Usd.make(100_000_000n),
    valueAtRiskUsd: Usd.make(2_000_000n),
    feesUsd: Usd.zero,
    maxCostUsd: Usd.make(5_000_000n),
    notAfter: DateTime.makeUnsafe("2090-01-01T00:00:00Z"),
    ...over.terms
  }
  const proposal = yield* stored(accountId, meant, over)
  const order: SwapOrder = {
    identity: (yield* Identity).derive(ofProposal(proposal)),
    chainId,
    owner: Address.keyOf(chainId, wallet.address),
    receiver: Address.keyOf(chainId, wallet.address),
    sell: sold,
    sellAmount,
    buy: bought,
    minBuyAmount: floor + 1n,
    validTo: openedSeconds + 300,
    ...over.order
  }
  const base = {
    identity: (yield* Identity).derive(ofProposal(proposal)),
    proposalId: proposal.id,
    accountId,
    walletId: wallet.id,
    key: wallet.key,
    chainId
  }
  const { bytes, orderId, request } = yield* requestFor(base, order)
  const signed: SignedOrder = { ...order, orderId, signature: "0x" }
  const written = { ...(request.call as Schema.JsonObject), orderId, signature: "0x" }
  const wait: Wait = {
    ...newWait(
      {
        id: Rows.anId(),
        accountId,
        proposalId: proposal.id,
        n: 1,
        kind: "fill",
        watch: "swap_order",
        chainId,
        terms: {},
        deadline: DateTime.add(openedAt, { minutes: 20 }),
        isStopAsked: false
      },
      openedAt
    ),
    journal: {
      order: request.call as Schema.JsonObject,
      ...(over.isSigned === true ? { signed: written } : {})
    },
    ...over.wait
  }
  yield* (yield* WaitStore).open(wait)
  return { base, bytes, order, proposal, request, signed, wallet }
})

/** An order that was signed and is to be cancelled, and the request for the call that ends it. */
export const signableCancellation = Effect.fnUntraced(function* (over: Over = {}) {
  const begun = yield* signableOrder({
    isSigned: true,
    ...over,
    proposal: { stopAskedAt: Rows.at(1), ...over.proposal }
  })
  const { call, to } = (yield* venue).invalidation(begun.signed)
  const identity = (yield* Identity).derive(ofProposal(begun.proposal, cancelPart))
  const request: Order = {
    ...begun.request,
    ...{ act: "call", call, to, identity, validBefore: Number.MAX_SAFE_INTEGER }
  }
  return { ...begun, request, call, to }
})
