/**
 * The agent's side of governing: ask for a challenge, then bring it back signed. What is signed is looked
 * at outside of the transaction; that it is used once is decided inside, with the change it allows.
 */
import { DateTime, Effect, type Schema } from "effect"
import { Accounts } from "../accounts/account-store.ts"
import { requireInForce } from "../accounts/in-force.ts"
import { record } from "../audit/record.ts"
import { canonical } from "../encoding/canonical.ts"
import { Caller } from "../operation/caller.ts"
import { Deployment } from "../operation/deployment.ts"
import { InvalidRequest, UpstreamUnavailable } from "../operation/refusal.ts"
import { Ids } from "../ports/ids.ts"
import { Secrets } from "../ports/secrets.ts"
import { Signatures } from "../ports/signatures.ts"
import {
  type Action,
  AgentKeyRequired,
  type Challenge,
  ChallengeExpired,
  ChallengeMismatch,
  InvalidSignature,
  lastsMinutes,
  messageOf
} from "./challenge.ts"
import { Challenges } from "./governance-store.ts"

/** What an operation is handed of the proof that came with its input. */
export type Proof =
  | { readonly _tag: "unsigned"; readonly payloadHash: string }
  | { readonly _tag: "signed"; readonly challenge: Challenge }

interface SignedChallenge {
  readonly challengeId?: string
  readonly walletSignature?: string
}

/** The refusals of `prove` and `use`, for an operation to declare. */
export const refusals = [
  AgentKeyRequired,
  ChallengeExpired,
  ChallengeMismatch,
  InvalidSignature,
  UpstreamUnavailable
] as const

const expired = (message: string) => new ChallengeExpired({ param: "challengeId", message })

const mismatched = () =>
  new ChallengeMismatch({
    param: "challengeId",
    message:
      "This key has no challenge with this id for exactly this input; call without challengeId to get a new one."
  })

const verify = Effect.fnUntraced(function* (challenge: Challenge, signature: string) {
  const { signer, message } = challenge
  const isSigned = yield* (yield* Signatures).isBy({ signer, message, signature }).pipe(
    Effect.catchTag(
      "ChainUnavailable",
      () =>
        new UpstreamUnavailable({
          message: `${signer.chainId} does not respond, so the signature cannot be verified; try again with the same challenge.`
        })
    )
  )
  if (isSigned) return
  return yield* new InvalidSignature({
    param: "walletSignature",
    message: `The signature is not from ${signer.address} over the challenge's message; sign the message byte for byte.`
  })
})

/** What is signed for: an action of an account, with its exact body. */
export const payloadHashOf = Effect.fnUntraced(function* (
  action: Action,
  accountId: string,
  body: Schema.JsonObject
) {
  return (yield* Secrets).sha256(canonical({ version: 1, action, accountId, body }))
})

/** Looks at what the caller brought. Asks the chain, when the funding wallet is a contract. */
export const prove = Effect.fnUntraced(function* (
  action: Action,
  body: Schema.JsonObject,
  { challengeId, walletSignature }: SignedChallenge
) {
  const { accountId, keyId, kind } = yield* Caller
  const payloadHash = yield* payloadHashOf(action, accountId, body)
  if (challengeId === undefined && walletSignature === undefined) {
    return { _tag: "unsigned", payloadHash } satisfies Proof as Proof
  }
  if (challengeId === undefined || walletSignature === undefined) {
    const param = challengeId === undefined ? "walletSignature" : "challengeId"
    return yield* new InvalidRequest({
      param,
      message: "Send challengeId and walletSignature together, or omit both to get a challenge."
    })
  }
  if (kind !== "agent") {
    return yield* new AgentKeyRequired({
      message: "Only an agent's key uses a challenge; omit challengeId and walletSignature."
    })
  }
  const challenge = yield* (yield* Challenges).find(accountId, challengeId)
  const isFor =
    challenge?.keyId === keyId &&
    challenge.action === action &&
    challenge.payloadHash === payloadHash
  if (challenge === undefined || !isFor) {
    return yield* mismatched()
  }
  if (challenge.usedAt !== null)
    return yield* expired("This challenge was already used; request a new one.")
  if (DateTime.isLessThanOrEqualTo(challenge.expiresAt, yield* DateTime.now)) {
    return yield* expired("This challenge has expired; request a new one.")
  }
  yield* verify(challenge, walletSignature)
  return { _tag: "signed", challenge } satisfies Proof as Proof
})

/** No key brings what was issued to another one, nor hears what came of it. */
export const requireOwn = Effect.fnUntraced(function* ({ challengeId }: SignedChallenge) {
  yield* requireInForce()
  if (challengeId === undefined) return
  const { accountId, keyId } = yield* Caller
  const challenge = yield* (yield* Challenges).find(accountId, challengeId)
  if (challenge?.keyId !== keyId) return yield* mismatched()
})

/** Uses the challenge in the running transaction; of many at once, one. */
export const use = Effect.fnUntraced(function* (challenge: Challenge) {
  const now = yield* DateTime.now
  const inTime = DateTime.isLessThan(now, challenge.expiresAt)
  if (inTime && (yield* (yield* Challenges).use(challenge.accountId, challenge.id, now))) return
  return yield* expired("This challenge was already used or has expired; request a new one.")
})

/** Issues a challenge for a change that would be allowed but for the signature. */
export const challenge = Effect.fnUntraced(function* (
  action: Action,
  payloadHash: string,
  statement: string
) {
  const { accountId, keyId } = yield* Caller
  const signer = (yield* (yield* Accounts).find(accountId))?.fundingWallet
  if (signer === undefined || signer === null) {
    return yield* new InvalidRequest({
      message:
        "This account has no funding wallet to sign with; ask the operator to set one, or use a developer's key."
    })
  }
  const ids = yield* Ids
  const issuedAt = yield* DateTime.now
  const draft = {
    id: yield* ids.uuid,
    accountId,
    keyId,
    action,
    payloadHash,
    signer,
    issuedAt,
    expiresAt: DateTime.add(issuedAt, { minutes: lastsMinutes })
  }
  const message = messageOf(draft, yield* Deployment, { statement, nonce: yield* ids.base62(22) })
  const issued: Challenge = { ...draft, message, usedAt: null }
  yield* (yield* Challenges).issue(issued)
  yield* record({
    accountId,
    actor: keyId,
    action: "challenge.issued",
    subjectType: "challenge",
    subjectId: issued.id,
    facts: { action, payloadHash }
  })
  return issued
})
