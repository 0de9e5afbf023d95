/**
 * What the EVM family keeps of a submission: what the wallet has signed, and every transaction of the relayer
 * made to carry it. Amounts and fees are decimal strings in JSON, where a number would lose the last wei.
 */
import { Schema } from "effect"
import { AddressKey, TransactionId } from "../chains/address.ts"
import * as Usdc from "../money/usdc.ts"
import type { Submission } from "../submissions/submission.ts"

/** A wallet moves its tokens (EIP-3009), or lets a spender take them (EIP-2612). */
export const Act = Schema.Literals(["transfer", "permit"])
export type Act = typeof Act.Type

/** What a wallet signed for the token to act on, whoever carries it there. */
export const Authorization = Schema.Struct({
  act: Act,
  chainId: Schema.String,
  token: AddressKey,
  from: AddressKey,
  /** Who is paid, or who may take. */
  to: AddressKey,
  amountMicro: Usdc.Units,
  /**
   * Of a transfer: the 32 bytes of its identity, hex, so the token pays a proposal once.
   * Of a permit: the token's count of the wallet's permits, in decimal; only the next one is taken.
   */
  nonce: Schema.String,
  /** Unix seconds on the chain up to which the token refuses it; what our own wallets sign has none. */
  validAfter: Schema.optionalKey(Schema.Int),
  /** Unix seconds on the chain; after it the token refuses the authorization for ever. */
  validBefore: Schema.Int,
  signature: Schema.String
})
export type Authorization = typeof Authorization.Type

/** One transaction of the relayer that carries the authorization; of several, one at most can pay. */
export const Attempt = Schema.Struct({
  txHash: TransactionId,
  /** The exact signed bytes, hex; only these are ever broadcast. Empty once it is long settled. */
  raw: Schema.String,
  maxFeePerGas: Schema.BigIntFromString,
  maxPriorityFeePerGas: Schema.BigIntFromString,
  /** The most gas it may use. */
  gas: Schema.BigIntFromString,
  at: Schema.DateTimeUtcFromString
})
export type Attempt = typeof Attempt.Type

/** What a transaction may cost. */
export type Fees = Pick<Attempt, "maxFeePerGas" | "maxPriorityFeePerGas" | "gas">

const Journal = Schema.Struct({
  authorization: Schema.NullOr(Authorization),
  /** Newest last. */
  attempts: Schema.Array(Attempt)
})
export type Journal = typeof Journal.Type

const JournalJson = Schema.toCodecJson(Journal)
const AuthorizationJson = Schema.toCodecJson(Authorization)
const decode = Schema.decodeUnknownSync(JournalJson)
const encode = Schema.encodeSync(JournalJson)

/** A payer's authorization as it stands in the terms of a submission. */
export const signedTerms = (authorization: Authorization): Schema.JsonObject =>
  Schema.encodeSync(AuthorizationJson)(authorization) as Schema.JsonObject

export const fromTerms = (terms: Schema.JsonObject): Authorization =>
  Schema.decodeUnknownSync(AuthorizationJson)(terms)

export const signedIn = ({ terms }: Pick<Submission, "terms">): Authorization | null =>
  terms.signed === null ? null : fromTerms(terms.signed)

/** The journal of a submission; what somebody else has signed stands in its terms. */
export const read = (submission: Submission): Journal =>
  submission.journal.attempts === undefined
    ? { authorization: signedIn(submission), attempts: [] }
    : decode(submission.journal)

/** The submission with its journal written anew. */
export const write = (
  submission: Submission,
  { attempts, authorization }: Journal
): Submission => ({
  ...submission,
  journal: encode({ attempts, authorization }) as Schema.JsonObject,
  txIds: attempts.map(({ txHash }) => txHash)
})
