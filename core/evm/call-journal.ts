/** What the EVM family keeps of a call: the loans asked for it, and every transaction the wallet has signed. */
import { Schema } from "effect"
import type { Submission } from "../submissions/submission.ts"
import { Attempt } from "./journal.ts"

const CallJournal = Schema.Struct({
  /** How many loans were asked for; each is a submission of its own. */
  loans: Schema.Int,
  /** Transactions that make the call, all under one nonce; newest last. */
  attempts: Schema.Array(Attempt),
  /** Transactions that only use the nonce up, made when nobody took the others. */
  voids: Schema.Array(Attempt)
})
export type CallJournal = typeof CallJournal.Type

const Json = Schema.toCodecJson(CallJournal)

export const read = ({ journal }: Submission): CallJournal =>
  journal.attempts === undefined
    ? { loans: 0, attempts: [], voids: [] }
    : Schema.decodeUnknownSync(Json)(journal)

export const write = (submission: Submission, journal: CallJournal): Submission => ({
  ...submission,
  journal: Schema.encodeSync(Json)(journal) as Schema.JsonObject,
  txIds: [...journal.attempts, ...journal.voids].map(({ txHash }) => txHash)
})

/** What is handed over and replaced: the newest of the transactions under the nonce. */
export const newest = ({ attempts, voids }: CallJournal): Attempt | undefined =>
  voids.at(-1) ?? attempts.at(-1)
