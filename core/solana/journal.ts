/**
 * What the Solana family keeps of a submission: the transactions that may still land, and the highest priority fee that
 * was bid. A transaction stands here before it is handed over.
 */
import { Schema } from "effect"
import { TransactionId } from "../chains/address.ts"
import type { Submission } from "../submissions/submission.ts"

/** One signed transaction. Of several, one at most can pay: the mark refuses the others. */
export const Attempt = Schema.Struct({
  /** Its signature, base58. */
  txId: TransactionId,
  /** The exact signed bytes, base64; only these are ever handed over. Empty once it is long settled. */
  wire: Schema.String,
  /** The height of the last block that can hold it. */
  lastValidBlockHeight: Schema.BigIntFromString,
  at: Schema.DateTimeUtcFromString
})
export type Attempt = typeof Attempt.Type

const Journal = Schema.Struct({
  /** Newest last. None that is known to be dead. */
  attempts: Schema.Array(Attempt),
  /** The priority fee of the newest transaction, in micro-lamports for a compute unit; null before the first. */
  bid: Schema.NullOr(Schema.BigIntFromString),
  /** How often a swap was tried, the way of a venue that was refused included. */
  tries: Schema.optionalKey(Schema.Int),
  /** The least that the newest transaction of a swap gives. */
  minimum: Schema.optionalKey(Schema.BigIntFromString),
  /** By how much the receiver's balance of the bought token rose, once a block has it. */
  received: Schema.optionalKey(Schema.BigIntFromString),
  /** What the network took for the transaction that swapped, in lamports, once a block has it. */
  networkFee: Schema.optionalKey(Schema.BigIntFromString)
})
export type Journal = typeof Journal.Type

const JournalJson = Schema.toCodecJson(Journal)
const decode = Schema.decodeUnknownSync(JournalJson)
const encode = Schema.encodeSync(JournalJson)

export const read = ({ journal }: Pick<Submission, "journal">): Journal =>
  decode({ attempts: [], bid: null, ...journal })

/** The submission with its journal written anew. */
export const write = (submission: Submission, journal: Journal): Submission => ({
  ...submission,
  journal: encode(journal) as Schema.JsonObject,
  txIds: journal.attempts.map(({ txId }) => txId)
})
