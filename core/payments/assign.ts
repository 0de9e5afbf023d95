/**
 * Which request a transfer counts for: the one its payer signed an x402 payment for, or else the one that the rule for
 * direct sends finds, helped by what the payer claimed. None of it is ever a guess, and what is read and locked of a
 * vault's requests is bounded, so that no vault holds up the chain that all accounts share.
 */
import { DateTime, Effect } from "effect"
import * as Usdc from "../money/usdc.ts"
import { newestFirst } from "../operation/page.ts"
import { Chains, type TransferLog } from "../ports/chains.ts"
import type { Wallet } from "../wallets/wallet.ts"
import { Wallets } from "../wallets/wallet-store.ts"
import * as Settlement from "../x402/settlement.ts"
import { standing } from "../x402/settlement.ts"
import { PaymentSettings } from "./payment-settings.ts"
import { received } from "./recompute.ts"
import {
  type Incoming,
  isTakenByNone,
  type Match,
  match,
  matchNamed,
  maxNamed,
  repeated,
  repeatedWithinDays,
  takes
} from "./reconcile.ts"
import type { PaymentRequest } from "./request.ts"
import { PaymentRequests } from "./request-store.ts"
import { isPayable } from "./status.ts"
import type { Transfer } from "./transfer.ts"
import { PaymentClaims, Transfers } from "./transfer-store.ts"

/**
 * Of the requests that take money, how many of each status are looked at; beyond them only such as ask for
 * the amount or lack it. Those that expire last are looked at first: when more than one of them is in
 * time, the one that is meant must be told by its amount, and when they are not, no other is.
 */
const maxPayable = 100

/** The requests of a vault that take money and that an amount may be meant for, locked. */
export const lockNear = Effect.fnUntraced(function* (vaultId: string, amountMicro: Usdc.Usdc) {
  return yield* (yield* PaymentRequests).lockPayableNear({ vaultId, amountMicro, max: maxPayable })
})

/** With what has come for each, money in flight included. */
const withComing = Effect.fnUntraced(function* (requests: ReadonlyArray<PaymentRequest>) {
  const ids = requests.map(({ id }) => id)
  const transfers = yield* (yield* Transfers).ofRequests(ids)
  const settlements = yield* standing(ids)
  const transfersOf = Map.groupBy(transfers, ({ requestId }) => requestId)
  const settlementsOf = Map.groupBy(settlements, ({ subject }) =>
    subject._tag === "payment_request" ? subject.requestId : undefined
  )
  return requests.map((request) => {
    const got = received(transfersOf.get(request.id) ?? [], settlementsOf.get(request.id))
    return { ...request, comingMicro: Usdc.add(got.finalMicro, got.inFlightMicro) }
  })
})

/** Those that ended say only whom late money may have been meant for, so nobody waits for them. */
export const candidatesOf = Effect.fnUntraced(function* (
  vaultId: string,
  { amountMicro, blockTime }: Pick<Incoming, "amountMicro" | "blockTime">
) {
  const payable = yield* lockNear(vaultId, amountMicro)
  if (payable.some((each) => takes(each, { blockTime }))) {
    return yield* withComing(payable)
  }
  const ended = yield* (yield* PaymentRequests).endedNear({ vaultId, amountMicro, max: maxNamed })
  const order = [...ended, ...payable].sort((a, b) => -newestFirst(a, b))
  return yield* withComing(order)
})

export type Assignment = Pick<
  Transfer,
  "requestId" | "method" | "settlementIssue" | "candidatePids" | "resolution"
>

export interface Came extends Pick<TransferLog, "txHash" | "from" | "amountMicro" | "references"> {
  readonly block: Pick<TransferLog["block"], "timestamp">
}

const repeatedBy = Effect.fnUntraced(function* (vaultId: string, { amountMicro, from }: Came) {
  const since = DateTime.subtract(yield* DateTime.now, { days: repeatedWithinDays })
  const like = { vaultId, amountMicro, since, payerAddress: from }
  return repeated(yield* (yield* PaymentRequests).paidLike(like), from, since)
})

/** The requests of the vault that the payment names, if it names any. */
const namedBy = Effect.fnUntraced(function* (vaultId: string, { references = [] }: Came) {
  if (references.length === 0) return []
  const named = yield* (yield* PaymentRequests).lockReferenced(vaultId, references)
  return yield* withComing(named)
})

const matched = Effect.fnUntraced(function* (
  vault: Pick<Wallet, "id" | "chainId">,
  transferred: Came
) {
  const { amountMicro } = transferred
  const blockTime = transferred.block.timestamp
  const named = yield* namedBy(vault.id, transferred)
  if (named.length > 0) {
    return matchNamed(named, { amountMicro, blockTime }, (yield* PaymentSettings).dustMicro)
  }
  const candidates = yield* candidatesOf(vault.id, { amountMicro, blockTime })
  const { dustMicro } = yield* PaymentSettings
  // Read under the lock of the requests, so that a claim made meanwhile sees the transfer or is seen here.
  const claim = yield* (yield* PaymentClaims).find(
    vault.chainId,
    transferred.txHash,
    transferred.from
  )
  const incoming = { amountMicro, blockTime, claimedFor: claim?.requestId }
  const found = match(candidates, incoming, dustMicro)
  if (!isTakenByNone(found)) return found
  return match(
    candidates,
    { ...incoming, repeats: yield* repeatedBy(vault.id, transferred) },
    dustMicro
  )
})

/**
 * The settlement that a transfer was made by, when the request it was signed for is still there to be
 * paid. What a payer signed for says more than any amount, so it is asked before amounts are compared.
 */
const settlementOf = Effect.fnUntraced(function* (vault: Wallet, transferred: TransferLog) {
  const { signedAs: nonce, from } = transferred
  if (nonce === undefined) return undefined
  const { chainId } = vault
  const token = (yield* Chains).connected.find(({ chain }) => chain.id === chainId)?.usdc
  if (token === undefined) return undefined
  const settlement = yield* Settlement.find({ chainId, token, from, nonce })
  if (settlement?.subject._tag !== "payment_request") return undefined
  // Under one nonce a payer may sign several; the one that was handed in says this amount.
  if (settlement.authorization.amountMicro !== transferred.amountMicro) return undefined
  const request = yield* (yield* PaymentRequests).lock(settlement.subject.requestId)
  if (request?.vaultId !== vault.id) return undefined
  return isPayable(request.status) || request.status === "paid"
    ? { id: settlement.id, requestId: request.id }
    : undefined
})

const assignmentOf = (found: Match): Assignment =>
  found._tag === "credited"
    ? {
        requestId: found.requestId,
        method: found.byClaim === true ? "checkout" : "direct",
        settlementIssue: "none",
        candidatePids: [],
        resolution: null
      }
    : {
        requestId: null,
        method: "direct",
        settlementIssue: found.issue,
        candidatePids: found.candidatePids,
        resolution: null
      }

/** What the rule for direct sends makes of a transfer. */
export const assignByRule = (vault: Pick<Wallet, "id" | "chainId">, came: Came) =>
  Effect.map(matched(vault, came), assignmentOf)

const ownTransfer: Assignment = {
  requestId: null,
  method: "direct",
  settlementIssue: "none",
  candidatePids: [],
  resolution: "own_transfer"
}

/** Nobody pays themselves: money of the account's own wallets counts for nothing, whatever was signed for it. */
const isOwn = Effect.fnUntraced(function* ({ accountId, chainId }: Wallet, { from }: TransferLog) {
  return (yield* (yield* Wallets).ownerOf(chainId, from)) === accountId
})

/** What a transfer to the vault counts for, and the settlement that it was made by, if it was. */
export const assign = Effect.fnUntraced(function* (vault: Wallet, transferred: TransferLog) {
  const settlement = yield* settlementOf(vault, transferred)
  if (yield* isOwn(vault, transferred)) {
    return { assignment: ownTransfer, settlementId: settlement?.id }
  }
  if (settlement === undefined) {
    return { assignment: yield* assignByRule(vault, transferred), settlementId: undefined }
  }
  const assignment: Assignment = {
    requestId: settlement.requestId,
    method: "x402",
    settlementIssue: "none",
    candidatePids: [],
    resolution: null
  }
  return { assignment, settlementId: settlement.id }
})
