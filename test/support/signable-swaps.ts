/** A swap on Solana that the records warrant in every respect, to be changed in one of them. */
import { DateTime, Effect, Schema } from "effect"
import { AddressKey, shown } from "../../core/chains/address.ts"
import { canonical } from "../../core/encoding/canonical.ts"
import * as Usd from "../../core/money/usd.ts"
import * as Usdc from "../../core/money/usdc.ts"
import { Spending } from "../../core/policy/spending-ledger.ts"
import { Secrets } from "../../core/ports/secrets.ts"
import type { Proposal } from "../../core/proposals/proposal.ts"
import { intentOf } from "../../core/proposals/propose.ts"
import { Sales } from "../../core/sales/sale-store.ts"
import { ofProposal } from "../../core/submissions/identity.ts"
import type { Order } from "../../core/submissions/order.ts"
import { next } from "../../core/swaps/solana-swap.ts"
import { Terms } from "../../core/swaps/terms.ts"
import { Identity } from "../../core/timeline/identity.ts"
import * as Rows from "./rows.ts"
import * as SendingRows from "./sending-rows.ts"
import { aWallet } from "./signable-orders.ts"
import * as Stored from "./stored-rows.ts"

const chainId = "local-solana"

/** A hundred USDC for at least 150 of a token of six decimals, which is worth half a dollar. */
export const sellAmount = 100_000_000n
export const minBuyAmount = 150_000_000n

export interface Over {
  readonly accountId?: string
  readonly keyId?: string
  readonly usdc: string
  readonly buy: string
  readonly terms?: Partial<Terms>
  readonly proposal?: Partial<Proposal>
  /** Whether its sale is open. */
  readonly isOpen?: boolean
}

/** An executing swap with its wallet, its sale and its reservation, its submission's terms, and the order to sign. */
export const signableSwap = Effect.fnUntraced(function* (over: Over) {
  const accountId = over.accountId ?? (yield* Stored.account()).id
  const wallet = yield* aWallet(accountId, over.keyId, chainId)
  const meant: Terms = {
    fromWalletId: wallet.id,
    fromAddress: wallet.address,
    chainId,
    sell: {
      chainId,
      tokenAddress: shown(chainId, AddressKey.make(over.usdc)),
      symbol: "USDC",
      decimals: 6
    },
    sellAmount: Usdc.SmallestUnits.make(sellAmount),
    buy: {
      chainId,
      tokenAddress: shown(chainId, AddressKey.make(over.buy)),
      symbol: "JUP",
      decimals: 6
    },
    minBuyAmount: Usdc.SmallestUnits.make(minBuyAmount),
    toWalletId: wallet.id,
    receiver: wallet.address,
    protocol: "jupiter",
    slippagePercent: 0.5,
    worthUsd: Usd.make(100_000_000n),
    valueAtRiskUsd: Usd.make(25_000_000n),
    feesUsd: Usd.zero,
    maxCostUsd: Usd.make(28_000_000n),
    notAfter: DateTime.makeUnsafe("2090-01-01T00:00:00Z"),
    ...over.terms
  }
  const terms = yield* Effect.orDie(Schema.encodeUnknownEffect(Schema.toCodecJson(Terms))(meant))
  const draft = SendingRows.aProposal(accountId, {
    kind: "solana_swap",
    status: "executing",
    terms: terms as Proposal["terms"]
  })
  const intentHash = (yield* Secrets).sha256(canonical(intentOf(draft)))
  const proposal = yield* Stored.proposal({ ...draft, intentHash, ...over.proposal })
  const reservation = SendingRows.aReservation(proposal, { amountMicro: 25_000_000n })
  yield* (yield* Spending).reserve(reservation, SendingRows.limits())
  const amount = { token: { chainId, address: AddressKey.make(over.usdc) }, units: sellAmount }
  if (over.isOpen !== false) {
    const sale = { proposalId: proposal.id, accountId, walletId: wallet.id, amount }
    const dated = { worthMicro: meant.worthUsd, day: "2026-01-01", openedAt: Rows.at(0) }
    yield* (yield* Sales).open({ ...sale, ...dated }, Usd.make(1_000_000_000_000n))
  }
  const step = next(meant, [])
  if (step._tag !== "submit") return yield* Effect.die(new Error("A swap begins by a submission."))
  const identity = (yield* Identity).derive(ofProposal(proposal))
  const { act, call = null, from, to } = step
  const order: Order = {
    ...{ act, call, from, to, amount: step.amount, identity },
    proposalId: proposal.id,
    accountId,
    walletId: wallet.id,
    key: wallet.key,
    chainId,
    validBefore: 4_000_000_000
  }
  return { order, proposal, wallet, terms: meant }
})
