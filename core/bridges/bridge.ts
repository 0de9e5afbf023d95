/**
 * Bridges: a token leaves a wallet on one chain and arrives in another wallet of the same account on another. What it
 * may cost is reserved when it starts; what has left is never given up, and is counted until it has arrived.
 */
import { DateTime, Effect } from "effect"
import { AccountPaused, requireRunning } from "../accounts/pause.ts"
import * as Decimal from "../money/decimal.ts"
import * as Usd from "../money/usd.ts"
import { InvalidRequest } from "../operation/refusal.ts"
import * as Kind from "../proposals/kind.ts"
import { PolicyLimitExceeded, type Proposal } from "../proposals/proposal.ts"
import { Recipients } from "../recipients/recipient-store.ts"
import { whyClosed } from "../sales/closed-day.ts"
import * as Trade from "../sales/rules.ts"
import { Sales } from "../sales/sale-store.ts"
import { Wallets } from "../wallets/wallet-store.ts"
import { doing } from "./doing.ts"
import { hasBegun, journeyOf, openedOf, readProposal } from "./read-journey.ts"
import { canSign } from "./signing.ts"
import * as Steps from "./steps.ts"
import { blocked, isBlocked, liveOrder } from "./stuck.ts"
import { endsOf, type Terms, terms } from "./terms.ts"

const usdOf = (text: string): Usd.Usd => Usd.parse(text) ?? Usd.zero

const judgedOf = ({ maxCostUsd, worthUsd }: Terms): Trade.Judged => ({
  worthMicro: usdOf(worthUsd),
  valueAtRiskMicro: usdOf(maxCostUsd)
})

const sellingOf = (approved: Terms): Trade.Selling => {
  const { from, units } = endsOf(approved)
  return {
    walletId: approved.fromWalletId,
    amount: { token: { chainId: from.chainId, address: from.token }, units }
  }
}

/** Both ends are wallets of the account, as they were when it was proposed. */
const requireWallets = Effect.fnUntraced(function* (accountId: string, approved: Terms) {
  const wallets = yield* Wallets
  const from = yield* wallets.find(accountId, approved.fromWalletId)
  const to = yield* wallets.find(accountId, approved.toWalletId)
  if (from?.address === approved.fromAddress && to?.address === approved.receiver) return
  return yield* new InvalidRequest({
    param: "toWalletId",
    message: "A wallet of this bridge is no longer the account's; propose it again."
  })
})

const requireNoOrder = Effect.fnUntraced(function* (
  accountId: string,
  approved: Terms,
  own?: string
) {
  const proposalId = yield* liveOrder(accountId, approved, own)
  if (proposalId === undefined) return
  return yield* new Trade.WalletBusy({
    param: "fromWalletId",
    message:
      "An order of this wallet is alive between these chains; wait for its end, or use another wallet.",
    details: { proposalId }
  })
})

const check = Effect.fnUntraced(function* (accountId: string, approved: Terms) {
  yield* requireRunning(accountId)
  yield* requireWallets(accountId, approved)
  if (yield* isBlocked(accountId, approved)) {
    return yield* new InvalidRequest({ param: "toWalletId", message: blocked })
  }
  yield* requireNoOrder(accountId, approved)
  yield* Trade.check(accountId, judgedOf(approved))
})

const perform = Effect.fnUntraced(function* (proposal: Proposal, approved: Terms) {
  yield* requireRunning(proposal.accountId)
  yield* requireWallets(proposal.accountId, approved)
  // Sales of an account open one after the other, so that two orders cannot both find none.
  yield* Trade.start(proposal, sellingOf(approved), judgedOf(approved))
  yield* requireNoOrder(proposal.accountId, approved, proposal.id)
  return { status: "executing" as const }
})

/** A key that may pay some recipients alone may bridge only to a wallet that is one of them. */
const spends = Effect.fnUntraced(function* (accountId: string, approved: Terms) {
  const { standing } = yield* Recipients
  const recipient = yield* standing(accountId, approved.buy.chainId, approved.receiver)
  const spent: Kind.Spent = {
    walletId: approved.fromWalletId,
    recipientId: recipient?.id ?? null,
    amountMicro: Trade.countedOf(usdOf(approved.maxCostUsd)),
    isCapped: true
  }
  return spent
})

const shownUnits = (units: bigint, decimals: number) => Decimal.format({ units, places: decimals })

export const bridge = Kind.define("bridge", {
  title: "Bridge",
  movesMoney: true,
  chains: ({ buy, sell }) => [sell.chainId, buy.chainId],
  refusals: [InvalidRequest, PolicyLimitExceeded, AccountPaused, Trade.WalletBusy],
  terms,
  cosigned: ({ worthUsd }) => ({ action: "bridge", amountMicro: usdOf(worthUsd) }),
  exposure: ({ worthUsd }) => ({ amountMicro: usdOf(worthUsd), limit: "hard_cap" }),
  summary: ({ buy, fromAddress, minBuyAmount, receiver, sell, sellAmount }) =>
    `Bridge ${shownUnits(sellAmount, sell.decimals)} ${sell.symbol} from ${fromAddress} on ${sell.chainId} to ${receiver} on ${buy.chainId}; at least ${shownUnits(minBuyAmount, buy.decimals)} ${buy.symbol} arrive`,
  spends,
  check,
  perform,
  next: Steps.next,
  isStoppable: true,
  doing,
  signing: {
    parts: Steps.parts,
    read: Effect.fnUntraced(function* (proposal: Proposal) {
      const reading = yield* readProposal(proposal)
      const opened = yield* openedOf(proposal.id)
      const journey = yield* journeyOf(reading, proposal.id)
      const isOpened = opened !== undefined
      const isHandedOver = yield* hasBegun(proposal.id)
      const isClosed = (yield* whyClosed(proposal.id)) !== undefined
      return { reading, journey, isOpened, isHandedOver, isClosed, now: yield* DateTime.now }
    }),
    violation: canSign
  },
  /** The wallet is free once nothing of the sale can leave it any more. */
  ended: ({ id }: Proposal, isDone: boolean) =>
    Effect.flatMap(Sales, (sales) => (isDone ? sales.settle(id) : sales.release(id)))
})

declare module "../proposals/proposal.ts" {
  interface KindNames {
    bridge: true
  }
}
