/** Builders and plantings for payments by signature, whose queue is one for all accounts. */
import { Effect } from "effect"
import type { Authorization } from "../../core/evm/journal.ts"
import * as Usdc from "../../core/money/usdc.ts"
import type { Purchase } from "../../core/policy/purchase.ts"
import type { Submission } from "../../core/submissions/submission.ts"
import { SubmissionStore } from "../../core/submissions/submission-store.ts"
import { type Subject, submissionOf } from "../../core/x402/settlement.ts"
import type { Plain } from "./plain.ts"
import * as Rows from "./rows.ts"
import * as SendingRows from "./sending-rows.ts"
import * as Stored from "./stored-rows.ts"

export const anAuthorization = (over: Plain<Partial<Authorization>> = {}): Authorization => ({
  act: "transfer",
  chainId: over.chainId ?? Rows.aChainId(),
  token: Rows.anAddressKey(),
  from: Rows.anAddressKey(),
  to: Rows.anAddressKey(),
  amountMicro: Usdc.make(9_007_199_254_740_993n),
  nonce: Rows.aTxHash(),
  validAfter: 1_893_456_000,
  validBefore: 1_893_460_000,
  signature: `0x${Rows.aDigest()}${Rows.aDigest()}1b`,
  ...(over as Partial<Authorization>)
})

const payload = { x402Version: 2, payload: { note: 'spaces, "quotes" and ✓' } }

/** Signed and due from the start. */
export const aSettlement = (
  subject: Subject,
  over: Partial<Submission> = {},
  authorization = anAuthorization()
): Submission => ({
  ...submissionOf({ id: Rows.anId(), subject, authorization, payload }, Rows.at(0)),
  ...over
})

/** A request of its own, on a new vault unless one is named, and the subject that pays it. */
export const aRequest = Effect.gen(function* () {
  const vault = yield* Stored.vault()
  const request = yield* Stored.paymentRequest(vault)
  const { accountId, id, pid } = request
  const subject: Subject = { _tag: "payment_request", accountId, requestId: id, pid }
  return { vault, request, subject }
})

/** Failed and looked at no more. */
export const asFailed = SendingRows.ended

export const open = (submission: Submission) =>
  Effect.flatMap(SubmissionStore, (store) => store.open(submission))

/** The purchase of an account, with its first key. */
export const anOnboarding = (accountId: string, over: Partial<Purchase> = {}): Purchase => ({
  chainId: "base",
  txHash: Rows.aTxHash(),
  settlementId: Rows.anId(),
  accountId,
  purpose: "onboarding",
  plan: "startup",
  amountMicro: Usdc.make(50_000_000n),
  payer: Rows.anAddress(),
  paidAt: Rows.at(1.5),
  expiresAt: Rows.at(86_400.5),
  keyId: Rows.anId(),
  sealedKey: "sealed-key",
  eraseAt: Rows.at(9e9),
  ...over
})
