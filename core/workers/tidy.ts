/** Erases secrets of day-old answers, forgets keys and challenges past their keeping, ends what is stranded. */
import { DateTime, Duration, Effect } from "effect"
import { Challenges } from "../ports/challenges.ts"
import { Deliveries } from "../ports/deliveries.ts"
import { Idempotency } from "../ports/idempotency.ts"
import { keepGoing } from "./loop.ts"

const every = Duration.minutes(5)

export const tidying = keepGoing(
  "Tidying",
  Effect.gen(function* () {
    const idempotency = yield* Idempotency
    const now = yield* DateTime.now
    yield* idempotency.eraseSecrets(now)
    yield* idempotency.forget(DateTime.subtract(now, { days: 30 }), [])
    yield* (yield* Deliveries).skipStranded
    yield* (yield* Challenges).forget(DateTime.subtract(now, { days: 1 }))
    yield* Effect.sleep(every)
  })
)
