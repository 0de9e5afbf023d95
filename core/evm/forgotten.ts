/**
 * A wallet's transactions that the records forgot, as the chain tells of them. What is final is kept before anything
 * follows from it: a node may know nothing of it any more when it is asked again.
 */
import { Clock, Effect } from "effect"
import type { AddressKey } from "../chains/address.ts"
import { SubmissionStore } from "../submissions/submission-store.ts"
import type { NonceOf, ToldNonce } from "./call.ts"
import { EvmRelay } from "./relay.ts"
import { UsedNonces } from "./used-nonce-store.ts"

/** Of so many unknown transactions each is looked at; more are the operator's business. */
export const maxUnknown = 64

/** Asks by which transaction a nonce was used, and keeps that if it is final. */
export const learn = Effect.fnUntraced(function* (of: NonceOf) {
  const used = yield* (yield* EvmRelay).usedBy(of)
  if (used?.isFinal !== true) return used
  const { isFinal: _, ...kept } = used
  yield* (yield* UsedNonces).keep({ ...of, ...kept })
  return used
})

/**
 * What was kept of a wallet's nonces, and stands. What the chain contradicts is looked at again: then it is replaced, or
 * goes where the nonce was never used. `doubtful` is a nonce that was kept wrongly and of which nobody tells.
 */
export const keptOf = Effect.fnUntraced(function* (
  { chainId, sender }: Omit<NonceOf, "nonce">,
  mined: number
) {
  const { forget, from, replace } = yield* UsedNonces
  const kept = yield* from(chainId, sender, 0)
  if (kept.length === 0) return { kept, doubtful: undefined }
  const { contradicted, usedBy } = yield* EvmRelay
  const isWrong = yield* contradicted(chainId, kept)
  const stands: Array<ToldNonce> = []
  for (const [at, told] of kept.entries()) {
    if (isWrong[at] !== true) {
      stands.push(told)
      continue
    }
    const { nonce } = told
    yield* Effect.logError(
      `The chain ${chainId} contradicts what a node told before of the nonce ${nonce} of the wallet ${sender}, ${told.txId}; it is looked at again.`
    )
    if (nonce >= mined) {
      yield* forget(told)
      continue
    }
    const used = yield* usedBy({ chainId, sender, nonce })
    if (used?.isFinal !== true) return { kept: stands, doubtful: nonce }
    const { isFinal: _, ...now } = used
    const other: ToldNonce = { chainId, sender, nonce, ...now }
    yield* replace(other)
    stands.push(other)
  }
  return { kept: stands, doubtful: undefined }
})

/** The nonces of a wallet that neither a submission nor the store has, of those that blocks have. */
const unknownOf = Effect.fnUntraced(function* (chainId: string, sender: AddressKey, mined: number) {
  const newest = yield* (yield* SubmissionStore).newestSequence(chainId, sender)
  const known = newest === undefined ? 0 : newest.sequence + 1
  const kept = yield* (yield* UsedNonces).from(chainId, sender, known)
  const isKept = new Set(kept.map(({ nonce }) => nonce))
  if (mined - known - kept.length > maxUnknown) {
    yield* Effect.logError(
      `The wallet ${sender} on ${chainId} has sent ${mined - known - kept.length} transactions that these records do not know; none of them is looked at.`
    )
    return []
  }
  const unknown: Array<NonceOf> = []
  for (let nonce = known; nonce < mined; nonce++) {
    if (!isKept.has(nonce)) unknown.push({ chainId, sender, nonce })
  }
  return unknown
})

/** So long are transactions of a page of wallets looked for: nothing is sent meanwhile. */
const lookedForMs = 300_000

/**
 * Keeps what the chain tells of wallets' forgotten transactions. One that nobody tells of keeps no other from it, and
 * many of them hold nobody up for long.
 */
export const learnForgotten = Effect.fnUntraced(function* (
  chainId: string,
  wallets: ReadonlyArray<AddressKey>
) {
  const counts = yield* (yield* EvmRelay).counts(chainId, wallets)
  const untilMs = (yield* Clock.currentTimeMillis) + lookedForMs
  let passedOver = 0
  for (const [at, sender] of wallets.entries()) {
    const mined = counts[at] ?? 0
    for (const of of mined === 0 ? [] : yield* unknownOf(chainId, sender, mined)) {
      if ((yield* Clock.currentTimeMillis) >= untilMs) {
        passedOver += 1
        continue
      }
      const used = yield* learn(of).pipe(Effect.retry({ times: 2 }), Effect.option)
      if (used._tag === "Some" && used.value !== undefined) continue
      yield* Effect.logWarning(
        `Nobody tells by which transaction the wallet ${sender} on ${chainId} used its nonce ${of.nonce}; it is looked for again before that wallet's next transaction of its own.`
      )
    }
  }
  if (passedOver > 0) {
    yield* Effect.logWarning(
      `Looking for unknown transactions of wallets on ${chainId} took ${lookedForMs / 60_000} minutes; ${passedOver} of them are looked for only before their wallets' next transactions.`
    )
  }
})
