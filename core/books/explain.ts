/**
 * Says what transfers were, by the records: a payment, a deposit, or the doing of a proposal whose wallet, token and
 * direction they have. What fits nothing is of nobody's doing here, even in a transaction of our own.
 */
import { DateTime, Effect, Schema } from "effect"
import { type Terms as BridgeTerms, terms as bridgeTerms } from "../bridges/terms.ts"
import { type AddressKey, isSame, keyOf } from "../chains/address.ts"
import * as Usd from "../money/usd.ts"
import type { PaymentRequest } from "../payments/request.ts"
import { PaymentRequests } from "../payments/request-store.ts"
import type { Transfer } from "../payments/transfer.ts"
import { Transfers } from "../payments/transfer-store.ts"
import type { TokenMovement } from "../ports/token-history.ts"
import type { Proposal } from "../proposals/proposal.ts"
import { Proposals } from "../proposals/proposal-store.ts"
import { inOrder, txHashesOf } from "../proposals/step.ts"
import { SubmissionStore } from "../submissions/submission-store.ts"
import { Terms as SwapTerms } from "../swaps/terms.ts"
import type { Pinned } from "../tokens/token.ts"
import { WaitStore } from "../waits/wait-store.ts"
import type { Wallet } from "../wallets/wallet.ts"
import type { Movement } from "./movement.ts"
import { shownAddress } from "./shown.ts"

export const readBridge = Schema.decodeUnknownSync(Schema.toCodecJson(Schema.Struct(bridgeTerms)))
const readSwap = Schema.decodeUnknownSync(Schema.toCodecJson(SwapTerms))

/** What the books know of an account while they are read. */
export interface Owned {
  readonly accountId: string
  readonly wallets: ReadonlyMap<AddressKey, Wallet>
  readonly tokens: ReadonlyMap<AddressKey, Pinned>
  /** Proposals that go on, by the transactions they have made so far. */
  readonly goingOn: ReadonlyMap<string, Proposal>
}

/** A few hundred go on at once, where ever so many have ended. */
const maxGoingOn = 500

export const goingOn = Effect.fnUntraced(function* (accountId: string) {
  const proposals = yield* Proposals
  const { rows } = yield* proposals.list(accountId, { status: "executing" }, { limit: maxGoingOn })
  const ids = rows.map(({ id }) => id)
  if (ids.length === 0) return new Map<string, Proposal>()
  const submissions = yield* (yield* SubmissionStore).ofProposals(ids)
  const waits = yield* (yield* WaitStore).ofProposals(ids)
  return new Map(
    rows.flatMap((proposal) => {
      const own = submissions.filter(({ purpose }) => purpose.proposalId === proposal.id)
      const waited = waits.filter(({ proposalId }) => proposalId === proposal.id)
      return txHashesOf(inOrder(own, waited)).map((txHash) => [txHash, proposal] as const)
    })
  )
})

type Doing = Pick<Movement, "kind" | "feeUnits" | "transit" | "worthMicro">

const plain = { feeUnits: 0n, transit: null, worthMicro: undefined } as const

const isUsdc = ({ isUsdc }: Pinned): boolean => isUsdc

const unitsOf = (text: string | undefined): bigint | undefined =>
  text !== undefined && /^\d{1,78}$/u.test(text) ? BigInt(text) : undefined

const size = (units: bigint): bigint => (units < 0n ? -units : units)

const swapped = (
  { result, terms }: Proposal,
  { token, units }: TokenMovement,
  wallet: Wallet
): Doing | undefined => {
  const { buy, chainId, fromWalletId, sell, toWalletId, worthUsd } = readSwap(terms)
  const isSold =
    units < 0n && wallet.id === fromWalletId && isSame(chainId, sell.tokenAddress, token)
  const isBought =
    units > 0n && wallet.id === toWalletId && isSame(chainId, buy.tokenAddress, token)
  if (!isSold && !isBought) return undefined
  const paid = result?.feesPaid?.find(
    ({ kind, symbol }) => kind === "protocol" && symbol === sell.symbol
  )
  const fee = isSold ? (unitsOf(paid?.amount) ?? 0n) : 0n
  // What it was sold or bought for in dollars, where one of the two is dollars.
  const dollars = [
    [sell.symbol, result?.soldAmount],
    [buy.symbol, result?.boughtAmount]
  ].find(([symbol]) => symbol === "USDC")?.[1]
  const known = unitsOf(dollars)
  return {
    kind: "swap",
    feeUnits: fee <= size(units) ? fee : 0n,
    transit: null,
    worthMicro: known === undefined ? worthUsd : Usd.make(known)
  }
}

/** Which leg of a bridge it is, if it is one. */
const legOf = (
  { buy, fromWalletId, sell, toWalletId }: BridgeTerms,
  { token, units }: TokenMovement,
  { chainId, id }: Wallet
) => {
  const isSellToken = chainId === sell.chainId && isSame(chainId, sell.tokenAddress, token)
  const isBuyToken = chainId === buy.chainId && isSame(chainId, buy.tokenAddress, token)
  if (units < 0n) return isSellToken && id === fromWalletId ? "bridge_out" : undefined
  if (isBuyToken && id === toWalletId) return "bridge_in"
  return isSellToken && id === fromWalletId ? "bridge_return" : undefined
}

/** Whether so much may be what a bridge brought: what its end says, or before that anything within its terms. */
const isWhatCame = (
  { buy, minBuyAmount, sell, sellAmount }: BridgeTerms,
  arrived: bigint | undefined,
  units: bigint
): boolean => {
  if (arrived !== undefined) return arrived === units
  const isLike = buy.symbol === sell.symbol && buy.decimals === sell.decimals
  return units >= minBuyAmount && (!isLike || units <= sellAmount)
}

/** The token of a bridge's terms, as the books name it. */
export const sellTokenOf = ({ sell }: BridgeTerms): Pinned => ({
  chainId: sell.chainId,
  address: keyOf(sell.chainId, sell.tokenAddress),
  symbol: sell.symbol,
  name: sell.symbol,
  decimals: sell.decimals,
  permit: "none",
  priceId: null,
  approvesByZero: false,
  isUsdc: sell.symbol === "USDC"
})

const bridged = (
  { result, terms }: Proposal,
  log: TokenMovement,
  wallet: Wallet
): Doing | undefined => {
  const approved = readBridge(terms)
  const kind = legOf(approved, log, wallet)
  if (kind === undefined) return undefined
  const arrived = unitsOf(result?.boughtAmount)
  const returned = unitsOf(result?.refundedAmount)
  // Whoever brings it may pay the wallet something of their own in the same transaction, or bring another bridge too.
  if (kind === "bridge_in" && !isWhatCame(approved, arrived, log.units)) return undefined
  if (kind === "bridge_return" && returned !== undefined && returned !== log.units) return undefined
  const units = kind === "bridge_out" ? -log.units : -approved.sellAmount
  return {
    kind,
    feeUnits: 0n,
    transit: { protocol: approved.protocol, token: sellTokenOf(approved), units },
    worthMicro: Usd.parse(approved.worthUsd)
  }
}

const doingOf = (proposal: Proposal, log: TokenMovement, wallet: Wallet): Doing | undefined => {
  switch (proposal.kind) {
    case "send":
    case "refund":
      return log.units < 0n && proposal.terms.fromWalletId === wallet.id
        ? { ...plain, kind: proposal.kind }
        : undefined
    case "swap":
    case "solana_swap":
      return swapped(proposal, log, wallet)
    case "bridge":
      return bridged(proposal, log, wallet)
    default:
      return undefined
  }
}

interface Known {
  readonly transfers: ReadonlyArray<Transfer>
  readonly requests: ReadonlyMap<string, PaymentRequest>
  readonly proposals: ReadonlyArray<Proposal>
  /** The ends of bridges that a movement was found for already. */
  readonly legs: Set<string>
}

const textOf = (proposal: Proposal | undefined, request: PaymentRequest | undefined): string => {
  const memo = proposal?.terms.memo
  if (typeof memo === "string" && memo !== "") return memo
  return request?.description ?? proposal?.summary ?? ""
}

/** A bridge arrives, or comes back, by one movement of a transaction; another like it is of another bridge. */
const legIn = (log: TokenMovement, { id }: Proposal, { kind }: Doing): string | undefined =>
  kind === "bridge_in" || kind === "bridge_return" ? `${log.txHash} ${id} ${kind}` : undefined

const explained = (owned: Owned, known: Known, log: TokenMovement): Movement | undefined => {
  const wallet = owned.wallets.get(log.owner)
  const token = owned.tokens.get(log.token)
  if (wallet === undefined || token === undefined) return undefined
  const transfer = isUsdc(token)
    ? known.transfers.find(
        ({ logIndex, txHash, vaultId }) =>
          txHash === log.txHash && logIndex === log.logIndex && vaultId === wallet.id
      )
    : undefined
  const request =
    transfer?.requestId === undefined || transfer.requestId === null
      ? undefined
      : known.requests.get(transfer.requestId)
  const going = owned.goingOn.get(log.txHash)
  const [proposal, doing] = [...known.proposals, ...(going === undefined ? [] : [going])]
    .filter((each) => each === going || each.txHashes.includes(log.txHash))
    .map((each) => [each, doingOf(each, log, wallet)] as const)
    .find(([each, found]) => {
      const leg = found && legIn(log, each, found)
      return found !== undefined && (leg === undefined || !known.legs.has(leg))
    }) ?? [undefined, undefined]
  const leg = proposal && doing && legIn(log, proposal, doing)
  if (leg !== undefined) known.legs.add(leg)
  const isOwn = owned.wallets.has(log.counterparty)
  const received =
    transfer === undefined || log.units < 0n ? undefined : request ? "payment" : "deposit"
  const nobodys = log.units < 0n ? "unrecorded_out" : "unrecorded_in"
  const isTrade = doing !== undefined && doing.kind !== "send" && doing.kind !== "refund"
  const kind = isTrade ? doing.kind : isOwn ? "own_transfer" : (doing?.kind ?? received ?? nobodys)
  return {
    ...plain,
    ...doing,
    log,
    wallet,
    token,
    kind,
    worthMicro: isUsdc(token) ? Usd.make(size(log.units)) : doing?.worthMicro,
    proposalId: proposal?.id ?? null,
    depositId: transfer?.id ?? null,
    pid: request?.pid ?? null,
    externalReference: request?.externalReference ?? null,
    customer: (request?.customer ?? wallet.customer)?.externalId ?? null,
    text: textOf(proposal, request)
  }
}

/** What transfers of one chain were. The records are read once for all of them. */
export const explain = Effect.fnUntraced(function* (
  owned: Owned,
  chainId: string,
  logs: ReadonlyArray<TokenMovement>
) {
  if (logs.length === 0) return []
  const { accountId } = owned
  const txHashes = [...new Set(logs.map(({ txHash }) => txHash))]
  const all = yield* (yield* Transfers).ofTransactions(chainId, txHashes)
  const transfers = all.filter((each) => each.accountId === accountId && each.state !== "reorged")
  const store = yield* PaymentRequests
  const requests = new Map<string, PaymentRequest>()
  for (const requestId of new Set(transfers.flatMap((each) => each.requestId ?? []))) {
    const request = yield* store.find(accountId, requestId)
    if (request !== undefined) requests.set(requestId, request)
  }
  const proposals = yield* (yield* Proposals).ofTransactions(accountId, txHashes)
  const known: Known = { transfers, requests, proposals, legs: new Set() }
  return logs.flatMap((log) => explained(owned, known, log) ?? [])
})

/** The day of a moment, in UTC. */
export const dayOf = (at: DateTime.Utc): string => DateTime.formatIsoDateUtc(at)

export const counterpartyOf = ({ log, wallet }: Movement): string =>
  shownAddress(wallet.chainId, log.counterparty)
