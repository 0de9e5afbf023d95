/**
 * Sends an agent's claim link again (spec section 4, Other writes): three times in any hour, and with one
 * answer whether there is nobody to write to, the account is claimed, or a link is on its way.
 */
import { DateTime, Duration, Effect, Schema } from "effect"
import { Accounts } from "../accounts/account-store.ts"
import { AgentKeyRequired } from "../governance/challenge.ts"
import { defaultHours } from "../humans/enrolment.ts"
import { Caller } from "../operation/caller.ts"
import * as Operation from "../operation/operation.ts"
import { RateLimited } from "../operation/refusal.ts"
import { sendClaimLink } from "./claim.ts"
import { ClaimLinkResends } from "./claim-link-resends.ts"

export const maxPerHour = 3
const window = Duration.hours(1)

/** Whether it may be asked now, given when it was asked before; when it may be, if it may not. */
export type Turn =
  | { readonly _tag: "allowed"; readonly askedAt: ReadonlyArray<DateTime.Utc> }
  | { readonly _tag: "spent"; readonly nextAt: DateTime.Utc }

/** An asking counts until exactly one hour later. */
export const turnAt = (askedAt: ReadonlyArray<DateTime.Utc>, now: DateTime.Utc): Turn => {
  const counted = askedAt
    .filter((at) => DateTime.isGreaterThan(DateTime.addDuration(at, window), now))
    .toSorted((a, b) => DateTime.toEpochMillis(a) - DateTime.toEpochMillis(b))
  const first = counted[counted.length - maxPerHour]
  return first === undefined
    ? { _tag: "allowed", askedAt: [...counted, now] }
    : { _tag: "spent", nextAt: DateTime.addDuration(first, window) }
}

const drawTurn = Effect.fnUntraced(function* (accountId: string) {
  const claimLinkResends = yield* ClaimLinkResends
  const now = yield* DateTime.now
  const turn = turnAt(yield* claimLinkResends.lock(accountId), now)
  if (turn._tag === "allowed") return yield* claimLinkResends.note(accountId, turn.askedAt)
  const waitMs = DateTime.toEpochMillis(turn.nextAt) - DateTime.toEpochMillis(now)
  const retryAfterSeconds = Math.ceil(waitMs / 1000)
  return yield* new RateLimited({
    message: `At most ${maxPerHour} claim links are sent per hour; try again in ${retryAfterSeconds} seconds.`,
    details: {
      rateLimit: "claim_links",
      limit: maxPerHour,
      windowSeconds: 3600,
      retryAfterSeconds
    }
  })
})

const requireAgent = Effect.fnUntraced(function* () {
  const { kind } = yield* Caller
  if (kind === "agent") return
  return yield* new AgentKeyRequired({
    message: "Only an agent's account can be claimed; call this with an agent's key."
  })
})

export const resendClaimLink = Operation.make("resend_claim_link", {
  summary:
    "Emails the account's contact a new link to claim it in the console; earlier links stop working.",
  next: "The contact opens the link; get_guide explains what they can do then.",
  scope: "keys:manage",
  sideEffect: "write",
  authority: requireAgent,
  input: {},
  output: { acknowledged: Schema.Boolean, message: Schema.String },
  refusals: [AgentKeyRequired, RateLimited],
  handle: Effect.fnUntraced(function* () {
    const { accountId, keyId } = yield* Caller
    yield* drawTurn(accountId)
    const account = yield* (yield* Accounts).find(accountId)
    if (account !== undefined) yield* sendClaimLink(account, keyId)
    return {
      acknowledged: true,
      message: `If this account has a contact address and is not claimed yet, a new link was sent; it is valid for ${defaultHours.claim} hours.`
    }
  })
})
