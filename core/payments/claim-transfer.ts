/**
 * Takes a payer's claim: they name the transaction, and where its amount alone would not say which request
 * it was for, they are asked to sign that. Whether the claim is true is judged against the chain's own
 * record of who paid, so it can move nobody else's money.
 */

import { DateTime, Effect } from "effect"
import { record, system } from "../audit/record.ts"
import * as Address from "../chains/address.ts"
import * as Chain from "../chains/chain.ts"
import { InvalidSignature } from "../governance/challenge.ts"
import { Deployment } from "../operation/deployment.ts"
import { InvalidRequest, UpstreamUnavailable } from "../operation/refusal.ts"
import { Atomically } from "../ports/atomically.ts"
import { Notifier } from "../ports/notifier.ts"
import { Signatures } from "../ports/signatures.ts"
import { assignByRule, lockNear } from "./assign.ts"
import { maxPerRequest, messageOf, type PayerStatement } from "./claim.ts"
import { recomputeRequest } from "./recompute.ts"
import { hasRefund, supersedeRefunds } from "./refundable.ts"
import { type PaymentRequest, remainingMicro } from "./request.ts"
import { isPayable } from "./status.ts"
import { isDeposit, type Transfer } from "./transfer.ts"
import { PaymentClaims, Transfers } from "./transfer-store.ts"

export interface StatementInput {
  readonly txHash: string
  /** Absent in the first call, which asks whether a signature is needed. */
  readonly signed?: { readonly payerAddress: string; readonly signature: string } | undefined
}

/** Whether another request of the vault asks for the same: then an amount does not say which is meant. */
const hasTwin = Effect.fnUntraced(function* (request: PaymentRequest) {
  const due = remainingMicro(request)
  const near = yield* lockNear(request.vaultId, due)
  return near.some((each) => each.id !== request.id && remainingMicro(each) === due)
})

const verified = Effect.fnUntraced(function* (
  chainId: string,
  message: string,
  { payerAddress, signature }: NonNullable<StatementInput["signed"]>
) {
  const address = Address.parse(chainId, payerAddress)
  if (address === undefined) {
    return yield* new InvalidRequest({
      param: "payerAddress",
      message: "This is not an address of the request's chain."
    })
  }
  const signer = { chainId, address }
  const isSigned = yield* (yield* Signatures).isBy({ signer, message, signature }).pipe(
    Effect.catchTag(
      "ChainUnavailable",
      () =>
        new UpstreamUnavailable({
          message: `${chainId} does not respond; try again in a moment.`
        })
    )
  )
  if (isSigned) return Address.keyOf(chainId, address)
  return yield* new InvalidSignature({
    param: "signature",
    message: `The signature is not from ${address} over this message; sign the message unchanged.`
  })
})

const isOpenQuestion = (transfer: Transfer, claim: PayerStatement) =>
  isDeposit(transfer) &&
  transfer.resolution === null &&
  transfer.settlementIssue === "ambiguous" &&
  Address.isSame(transfer.chainId, transfer.payerAddress, claim.payerAddress)

/** Matches anew what came before the claim did. Requests are locked first, in the order of the watcher. */
const matchAnew = Effect.fnUntraced(function* (request: PaymentRequest, claim: PayerStatement) {
  const transfers = yield* Transfers
  for (const { id } of yield* transfers.ofTransaction(claim.chainId, claim.txHash)) {
    const transfer = yield* transfers.lock(request.accountId, id)
    if (transfer?.vaultId !== request.vaultId || !isOpenQuestion(transfer, claim)) continue
    if (yield* hasRefund(id)) continue
    const { amountMicro, blockTime, payerAddress, txHash } = transfer
    const came = { amountMicro, from: payerAddress, txHash, block: { timestamp: blockTime } }
    const vault = { id: transfer.vaultId, chainId: transfer.chainId }
    const assignment = yield* assignByRule(vault, came)
    if (assignment.requestId !== request.id) continue
    yield* transfers.assign(id, assignment)
    yield* record({
      accountId: request.accountId,
      actor: system,
      action: "transfer.claimed",
      subjectType: "transfer",
      subjectId: id,
      facts: { pid: request.pid, txHash, payerAddress }
    })
    yield* recomputeRequest(request.id)
    yield* supersedeRefunds(request.accountId, [id], system)
  }
})

const keep = Effect.fnUntraced(function* (request: PaymentRequest, claim: PayerStatement) {
  yield* lockNear(request.vaultId, remainingMicro(request))
  const outcome = yield* (yield* PaymentClaims).add(claim, maxPerRequest)
  if (outcome === "full") {
    return yield* new InvalidRequest({
      param: "txHash",
      message: "Too many transactions were already claimed for this request; contact the merchant.",
      details: { limit: maxPerRequest }
    })
  }
  if (outcome === "kept") yield* matchAnew(request, claim)
  yield* (yield* Atomically).afterCommit((yield* Notifier).signal("payments"))
})

/** The text to sign, when the payer must say what they paid for; null when there is nothing to say. */
export const claimTransfer = Effect.fnUntraced(function* (
  request: PaymentRequest,
  { txHash, signed }: StatementInput
) {
  const { run } = yield* Atomically
  const chain = Chain.find(request.chainId)
  if (chain === undefined) return { sign: null }
  const transactionId = Address.parseTransactionId(request.chainId, txHash)
  if (transactionId === undefined) {
    return yield* new InvalidRequest({
      param: "txHash",
      message: `This is not the id of a transaction on ${chain.name}.`
    })
  }
  if (!isPayable(request.status)) return { sign: null }
  const { siteUrl } = yield* Deployment
  const message = messageOf({
    siteUrl,
    chainName: chain.name,
    pid: request.pid,
    txHash: transactionId
  })
  if (signed === undefined) return { sign: (yield* run(hasTwin(request))) ? message : null }
  const payerAddress = yield* verified(request.chainId, message, signed)
  const claim: PayerStatement = {
    chainId: request.chainId,
    txHash: transactionId,
    payerAddress,
    requestId: request.id,
    claimedAt: yield* DateTime.now
  }
  yield* run(keep(request, claim))
  return { sign: null }
})
