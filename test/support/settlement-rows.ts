/** Builders and plantings for the store of settlements, whose queue is one for all accounts. */
import { Effect } from "effect"
import type { Settlement, Subject } from "../../core/submissions/settlement.ts"
import { Settlements } from "../../core/submissions/settlement-store.ts"
import * as Rows from "./rows.ts"
import * as Stored from "./stored-rows.ts"

/** Signed and due from the start. */
export const aSettlement = (subject: Subject, over: Partial<Settlement> = {}): Settlement => {
  const chainId = Rows.aChainId()
  return {
    id: Rows.anId(),
    subject,
    chainId,
    authorization: {
      act: "transfer",
      chainId,
      token: Rows.anAddress().toLowerCase(),
      from: Rows.anAddress().toLowerCase(),
      to: Rows.anAddress().toLowerCase(),
      amountMicro: 9_007_199_254_740_993n,
      nonce: Rows.aTxHash(),
      validAfter: 1_893_456_000,
      validBefore: 1_893_460_000,
      signature: `0x${Rows.aDigest()}${Rows.aDigest()}1b`
    },
    payload: { x402Version: 2, payload: { note: 'spaces, "quotes" and ✓' } },
    step: "signed",
    outcome: null,
    reason: null,
    txHash: null,
    transferId: null,
    relayer: null,
    relayerNonce: null,
    carriers: [],
    nextLookAt: Rows.at(0),
    createdAt: Rows.at(0),
    updatedAt: Rows.at(0),
    ...over
  }
}

/** A request of its own, on a new vault unless one is named, and the subject that pays it. */
export const aRequest = Effect.gen(function* () {
  const vault = yield* Stored.vault()
  const request = yield* Stored.paymentRequest(vault)
  const { accountId, id, pid } = request
  const subject: Subject = { _tag: "payment_request", accountId, requestId: id, pid }
  return { vault, request, subject }
})

export const claimAt = (seconds: number, most = 100) =>
  Effect.flatMap(Settlements, (settlements) =>
    settlements.claim({ now: Rows.at(seconds), leaseMs: 30_000, most })
  )

/** Failed and looked at no more. */
export const asFailed = (settlement: Settlement): Settlement => ({
  ...settlement,
  step: "settled",
  outcome: "failed",
  reason: "insufficient_funds",
  nextLookAt: null
})

/** What earlier tests left in the queue is settled first. */
export const emptyQueue = Effect.gen(function* () {
  const settlements = yield* Settlements
  let left = yield* claimAt(50_000_000, 1000)
  while (left.length > 0) {
    yield* Effect.forEach(left, ({ lease, settlement }) =>
      settlements.conclude(lease, asFailed(settlement))
    )
    left = yield* claimAt(50_000_000, 1000)
  }
})
