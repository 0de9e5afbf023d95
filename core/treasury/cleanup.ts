/**
 * The chores: erases secrets of day-old answers, forgets what is past its keeping, ends what is stranded, and sends
 * the digests that are due.
 */
import { DateTime, Duration, Effect } from "effect"
import { type Chore, finish } from "../background/chore.ts"
import { supervise } from "../background/loop.ts"
import { Challenges } from "../governance/governance-store.ts"
import { Enrolments, PasskeyChallenges, Sessions } from "../humans/human-store.ts"
import { Notices } from "../notices/notice-store.ts"
import { Idempotency, type Kept } from "../operation/idempotency-store.ts"
import { keptDays } from "../payments/claim.ts"
import { Provisioning } from "../payments/provisioning-store.ts"
import { PaymentClaims } from "../payments/transfer-store.ts"
import { sendDigests } from "../people/tell-people.ts"
import { Purchases } from "../policy/spending-ledger.ts"
import { Notifier } from "../ports/notifier.ts"
import { Quotes } from "../quotes/quote-store.ts"
import * as Submission from "../submissions/submission.ts"
import { SubmissionStore } from "../submissions/submission-store.ts"
import { Deliveries, Events } from "../webhooks/delivery-store.ts"
import { WebhookEndpoints } from "../webhooks/endpoint-store.ts"
import { WebhookSettings } from "../webhooks/webhook-settings.ts"
import { operations } from "./operations.ts"

const every = Duration.minutes(5)

/** Longer than anything a notice is about stays open. */
const keptNoticeDays = 90

/** Whoever repeats a call that led to money is told the same, however late. */
const keptForEver = operations.filter(({ leadsToMoney }) => leadsToMoney).map(({ name }) => name)

/** Of those, what is told anew from its proposal when it is repeated: little is kept of an old answer. */
const toldAnew = operations.flatMap(({ leadsToMoney, name, respond, sinceThen }) =>
  leadsToMoney && (sinceThen !== undefined || respond !== undefined) ? [name] : []
)

const keptCalls: Kept = {
  short: toldAnew,
  whole: keptForEver.filter((name) => !toldAnew.includes(name))
}

/** Everything that is tidied up as of an instant. */
export const choresAt = Effect.fnUntraced(function* (now: DateTime.Utc) {
  const idempotency = yield* Idempotency
  const purchases = yield* Purchases
  const deliveries = yield* Deliveries
  const endpoints = yield* WebhookEndpoints
  const challenges = yield* Challenges
  const passkeyChallenges = yield* PasskeyChallenges
  const sessions = yield* Sessions
  const claims = yield* PaymentClaims
  const enrolments = yield* Enrolments
  const quotes = yield* Quotes
  const provisioning = yield* Provisioning
  const submissions = yield* SubmissionStore
  const events = yield* Events
  const { webhooksKeptDays } = yield* WebhookSettings
  const notices = yield* Notices
  const ago = (days: number) => DateTime.subtract(now, { days })
  const chores: ReadonlyArray<Chore<never>> = [
    { name: "Erasing secrets", batch: (max) => idempotency.eraseSecrets(now, max) },
    { name: "Erasing purchased keys", batch: (max) => purchases.eraseKeys(now, max) },
    { name: "Skipping deliveries of disabled endpoints", batch: deliveries.skipStranded },
    { name: "Forgetting calls", batch: (max) => idempotency.forget(ago(30), keptForEver, max) },
    { name: "Putting calls away", batch: (max) => idempotency.putAway(ago(30), keptCalls, max) },
    { name: "Forgetting webhook secrets", batch: (max) => endpoints.forgetSecrets(now, max) },
    { name: "Forgetting challenges", batch: (max) => challenges.forget(ago(1), max) },
    { name: "Forgetting passkey challenges", batch: (max) => passkeyChallenges.forget(now, max) },
    { name: "Forgetting sessions", batch: (max) => sessions.forget(now, max) },
    { name: "Forgetting payers' claims", batch: (max) => claims.forget(ago(keptDays), max) },
    {
      name: "Forgetting deliveries",
      batch: (max) => deliveries.forget(ago(webhooksKeptDays), max)
    },
    // After their deliveries: an event stays for as long as a delivery of it does.
    { name: "Forgetting events", batch: (max) => events.forget(ago(webhooksKeptDays), max) },
    { name: "Forgetting provisioning jobs", batch: (max) => provisioning.forget(ago(30), max) },
    {
      name: "Forgetting signed bytes",
      batch: (max) => submissions.forgetBytes(ago(Submission.keptDays), max)
    },
    { name: "Forgetting quotes", batch: (max) => quotes.forget(ago(1), max) },
    { name: "Forgetting enrolment links", batch: (max) => enrolments.forget(ago(1), max) },
    { name: "Forgetting notices", batch: (max) => notices.forget(ago(keptNoticeDays), max) }
  ]
  return chores
})

/** Everything that is tidied up as of now. */
export const chores = Effect.flatMap(DateTime.now, choresAt)

/** All chores once, each to its end; as one process of many may do them. */
export const cleanup = Effect.flatMap(chores, (all) =>
  Effect.andThen(
    Effect.forEach(all, finish, { discard: true }),
    finish({ name: "Sending digests", batch: sendDigests })
  )
)

export const cleanupLoop = supervise(
  "Tidying",
  Effect.gen(function* () {
    const next = yield* (yield* Notifier).listen("chores")
    const pause = Effect.raceFirst(next, Effect.sleep(every))
    yield* Effect.forever(Effect.andThen(cleanup, pause))
  }).pipe(Effect.scoped)
)
