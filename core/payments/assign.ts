/**
 * Which request a transfer counts for: the one its payer signed an x402 payment for, or else the one that
 * the rule for direct sends finds, helped by what the payer claimed. None of it is ever a guess.
 */
import { DateTime, Effect } from "effect"
import { Chains, type TransferLog } from "../ports/chains.ts"
import type { Wallet } from "../wallets/wallet.ts"
import { Wallets } from "../wallets/wallet-store.ts"
import * as Settlement from "../x402/settlement.ts"
import { candidatesOf } from "./candidates.ts"
import { PaymentSettings } from "./payment-settings.ts"
import { isTakenByNone, type Match, match, repeated, repeatedWithinDays } from "./reconcile.ts"
import { PaymentRequests } from "./request-store.ts"
import { isPayable } from "./status.ts"
import type { Transfer } from "./transfer.ts"
import { PaymentClaims } from "./transfer-store.ts"

export type Assignment = Pick<
  Transfer,
  "requestId" | "method" | "settlementIssue" | "candidatePids" | "resolution"
>

export interface Came extends Pick<TransferLog, "txHash" | "from" | "amountMicro"> {
  readonly block: Pick<TransferLog["block"], "timestamp">
}

const repeatedBy = Effect.fnUntraced(function* (vaultId: string, { amountMicro, from }: Came) {
  const since = DateTime.subtract(yield* DateTime.now, { days: repeatedWithinDays })
  const like = { vaultId, amountMicro, since, payerAddress: from }
  return repeated(yield* (yield* PaymentRequests).paidLike(like), from, since)
})

const matched = Effect.fnUntraced(function* (
  vault: Pick<Wallet, "id" | "chainId">,
  transferred: Came
) {
  const { amountMicro } = transferred
  const blockTime = transferred.block.timestamp
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
  const { authorizationNonce: nonce, from } = transferred
  if (nonce === undefined) return undefined
  const { chainId } = vault
  const token = (yield* Chains).connected.find(({ chain }) => chain.id === chainId)?.usdc ?? ""
  const settlement = yield* Settlement.find({ chainId, token, from, nonce })
  if (settlement?.subject._tag !== "payment_request") return undefined
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
