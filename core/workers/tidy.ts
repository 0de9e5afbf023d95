/** Erases secrets of day-old answers, forgets keys, challenges, links and sessions past their keeping, ends what is stranded. */
import { DateTime, Duration, Effect } from "effect"
import { operations } from "../operations.ts"
import { keptDays } from "../payments/claim.ts"
import { Ceremonies } from "../ports/ceremonies.ts"
import { Challenges } from "../ports/challenges.ts"
import { Deliveries } from "../ports/deliveries.ts"
import { Enrolments } from "../ports/enrolments.ts"
import { Idempotency } from "../ports/idempotency.ts"
import { PaymentClaims } from "../ports/payment-claims.ts"
import { Purchases } from "../ports/purchases.ts"
import { Sessions } from "../ports/sessions.ts"
import { WebhookEndpoints } from "../ports/webhook-endpoints.ts"
import { keepGoing } from "./loop.ts"

const every = Duration.minutes(5)

/** Whoever repeats a call that moved money is told the same, however late. */
const keptForEver = operations.filter(({ nature }) => nature === "money").map(({ name }) => name)

export const tidying = keepGoing(
  "Tidying",
  Effect.gen(function* () {
    const idempotency = yield* Idempotency
    const now = yield* DateTime.now
    yield* idempotency.eraseSecrets(now)
    yield* (yield* Purchases).eraseKeys(now)
    yield* idempotency.forget(DateTime.subtract(now, { days: 30 }), keptForEver)
    yield* (yield* Deliveries).skipStranded
    yield* (yield* WebhookEndpoints).forgetSecrets(now)
    const dayBefore = DateTime.subtract(now, { days: 1 })
    yield* (yield* Challenges).forget(dayBefore)
    yield* (yield* Ceremonies).forget(now)
    yield* (yield* Sessions).forget(now)
    yield* (yield* PaymentClaims).forget(DateTime.subtract(now, { days: keptDays }))
    yield* (yield* Enrolments).forget(dayBefore)
    yield* Effect.sleep(every)
  })
)
