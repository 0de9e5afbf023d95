/** What transactions of the relayer cost at most, in lamports, as it is charged to the ledger of outlay. */
import { DateTime, Effect } from "effect"
import * as Usdc from "../money/usdc.ts"
import { layOut } from "../policy/lay-out.ts"
import { windowsAt } from "../policy/limits.ts"
import { Outlay } from "../policy/outlay-ledger.ts"
import type { Submission, Terms } from "../submissions/submission.ts"
import { openedLately, tooSmallToOpen } from "./reasons.ts"
import type { Bid, Conditions } from "./relay.ts"

/** The relayer's own signature, and the wallet's. */
const signatureLamports = 2n * 5000n
const microPerLamport = 1_000_000n

/** What the network keeps. */
export const feeOf = ({ priority, units }: Pick<Bid, "priority" | "units">): bigint =>
  signatureLamports + (BigInt(units) * priority + microPerLamport - 1n) / microPerLamport

/** The fee, and the rent: a mark's is lent until it is reclaimed, a token account's is not. */
export const costOf = (
  bid: Bid,
  { accountLamports, markLamports }: Pick<Conditions, "accountLamports" | "markLamports">
): bigint => feeOf(bid) + markLamports + (bid.opensAccount ? accountLamports : 0n)

const openingKey = (to: string) => `opening the token account of ${to}`

/** Charges a transaction of a submission; one in its place is charged with what it may cost more. */
export const charged = Effect.fnUntraced(function* (
  { chainId, id, purpose, terms }: Submission,
  bid: Bid,
  conditions: Conditions
) {
  const { accountId } = purpose
  const cost = { chainId, accountId, units: costOf(bid, conditions) }
  const [isCharged = false] = yield* layOut([{ ...cost, key: `submission ${id}` }])
  if (!isCharged || !bid.opensAccount) return isCharged
  // The ledger remembers by it when the account was opened; what it costs is in the charge above.
  const [isRemembered = false] = yield* layOut([{ ...cost, key: openingKey(terms.to), units: 1n }])
  return isRemembered
})

/** A send that opens an account is worth so many times what that costs. */
const timesRent = 10n
const openingDays = 30
const lamportsPerSol = 1_000_000_000n
/** High enough for any day so far; what a send must be worth at least is a bound and no price. */
const microUsdPerSol = 250_000_000n

const lastDays = (now: DateTime.Utc) =>
  Array.from(
    { length: openingDays + 1 },
    (_, ago) => windowsAt(DateTime.subtract(now, { days: ago })).day
  )

/** Why a payee's token account is not opened for this send, if it is not. */
export const openingViolation = Effect.fnUntraced(function* (
  { chainId, terms }: { readonly chainId: string; readonly terms: Pick<Terms, "to" | "amount"> },
  { accountLamports }: Pick<Conditions, "accountLamports">
) {
  const least = (timesRent * accountLamports * microUsdPerSol) / lamportsPerSol
  if (terms.amount.units < least) return tooSmallToOpen(Usdc.format(least))
  const now = yield* DateTime.now
  const { chargedAt } = yield* Outlay
  const at = yield* chargedAt(chainId, openingKey(terms.to), lastDays(now))
  // What was charged just now is being opened, by this send or by another.
  return at !== undefined && DateTime.isLessThan(at, DateTime.subtract(now, { hours: 1 }))
    ? openedLately
    : undefined
})
