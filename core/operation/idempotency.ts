/**
 * Runs a write under its idempotency key (contract, Idempotency): the same key and input give the same
 * answer, and the work happens once. The answer commits with the work, so a crash leaves both or neither.
 * Another key of the account is checked for its own authority before it gets the answer, without secrets.
 */
import { DateTime, Duration, Effect, Exit, Schedule, type Schema } from "effect"
import { canonical } from "../encoding/canonical.ts"
import { Atomically } from "../ports/atomically.ts"
import { Ids } from "../ports/ids.ts"
import { Secrets } from "../ports/secrets.ts"
import type { Facts as CallerFacts } from "./caller.ts"
import { Deployment } from "./deployment.ts"
import { Idempotency, type Slot, type StoredResponse } from "./idempotency-store.ts"
import * as Input from "./input.ts"
import type * as Operation from "./operation.ts"
import { IdempotencyInProgress, IdempotencyKeyReused } from "./refusal.ts"

const secretsKept = Duration.hours(24)

export interface Done {
  readonly output: Schema.JsonObject
  readonly replayed: boolean
}

const placeOf = (slot: Slot) => ({
  table: "idempotency",
  row: `${slot.operation}|${slot.key}`,
  account: slot.accountId
})

/** Splits an output into what may stand in the clear and what is sealed. */
const answerOf = Effect.fnUntraced(function* (
  operation: Operation.Any,
  slot: Slot,
  output: Schema.JsonObject
) {
  if (operation.secrets.length === 0) {
    return { body: JSON.stringify(output), sealedSecrets: null, secretsEraseAt: null }
  }
  const isSecret = (field: string) => operation.secrets.includes(field)
  const entries = Object.entries(output)
  const open = Object.fromEntries(entries.filter(([field]) => !isSecret(field)))
  const secret = Object.fromEntries(entries.filter(([field]) => isSecret(field)))
  const now = yield* DateTime.now
  return {
    body: JSON.stringify(open),
    sealedSecrets: yield* (yield* Secrets).seal(placeOf(slot), JSON.stringify(secret)),
    secretsEraseAt: DateTime.addDuration(now, secretsKept)
  }
})

/** In the order of the operation's own fields, as the first answer was: a replay has the same bytes. */
const inOrder = (operation: Operation.Any, output: Schema.JsonObject): Schema.JsonObject =>
  Object.fromEntries(
    Object.keys(operation.output.fields).flatMap((field) => {
      const value = output[field]
      return value === undefined ? [] : [[field, value]]
    })
  )

const openPartOf = ({ body }: StoredResponse) => JSON.parse(body) as Schema.JsonObject

const outputOf = Effect.fnUntraced(function* (
  operation: Operation.Any,
  slot: Slot,
  answer: StoredResponse
) {
  const open = openPartOf(answer)
  if (operation.secrets.length === 0) return open
  if (answer.sealedSecrets === null) return { ...open, secretAvailable: false }
  const secrets = yield* (yield* Secrets).open(placeOf(slot), answer.sealedSecrets)
  return inOrder(operation, { ...open, ...(JSON.parse(secrets) as Schema.JsonObject) })
})

/** Most calls end within it; only after a crash does a key stay held, until its lease ends. */
const askAgainSeconds = 2

const busy = (leaseEndsAt: DateTime.Utc, now: DateTime.Utc) =>
  new IdempotencyInProgress({
    message: "A call with this idempotency key is still running; repeat it unchanged in a moment.",
    outcome: "unknown",
    details: {
      retryAfterSeconds: Math.min(
        askAgainSeconds,
        Math.max(1, Math.ceil(Duration.toSeconds(DateTime.distance(now, leaseEndsAt))))
      )
    }
  })

/** What a write looks up outside before its transaction, and what it does inside with what was seen. */
export interface Doing<Seen, E, R> {
  readonly look: Effect.Effect<Seen, E, R>
  readonly work: (seen: Seen) => Effect.Effect<Schema.JsonObject, E, R>
  /** Refuses what this caller could not ask for themselves; it is handed the answer that stands, if any. */
  readonly authorize: (replayed: Schema.JsonObject | undefined) => Effect.Effect<unknown, E, R>
}

const reused = (isAnswered: boolean) =>
  new IdempotencyKeyReused({
    message:
      "This idempotency key was already used with a different input; use a new key for a new call, or the same input for a retry.",
    param: "idempotencyKey",
    outcome: isAnswered ? "executed" : "unknown"
  })

/** Does the work under a reservation that is ours: answer and work in one transaction, the slot freed on any failure. */
const perform = Effect.fnUntraced(function* <Seen, E, R>(
  operation: Operation.Any,
  slot: Slot,
  leaseOwner: string,
  { look, work }: Pick<Doing<Seen, E, R>, "look" | "work">
) {
  const idempotency = yield* Idempotency
  const { idempotencyLeaseMs } = yield* Deployment
  const renewing = DateTime.now.pipe(
    Effect.flatMap((now) =>
      idempotency.renew(slot, leaseOwner, DateTime.add(now, { milliseconds: idempotencyLeaseMs }))
    ),
    Effect.delay(idempotencyLeaseMs / 2),
    Effect.repeat(Schedule.forever)
  )
  const atomically = yield* Atomically
  const answered = Effect.fnUntraced(function* (seen: Seen) {
    const output = yield* work(seen)
    const kept = yield* idempotency.answer(
      slot,
      leaseOwner,
      yield* answerOf(operation, slot, output)
    )
    const now = yield* DateTime.now
    if (!kept) return yield* busy(now, now)
    return output
  })
  const working = Effect.flatMap(look, (seen) => atomically.run(answered(seen)))
  return yield* Effect.raceFirst(working, Effect.andThen(renewing, Effect.never)).pipe(
    Effect.onExit((exit) =>
      Exit.isFailure(exit) ? idempotency.release(slot, leaseOwner) : Effect.void
    )
  )
})

export const once = Effect.fnUntraced(function* <Seen, E, R>(
  operation: Operation.Any,
  caller: CallerFacts,
  key: string,
  input: unknown,
  doing: Doing<Seen, E, R>
) {
  const slot: Slot = { accountId: caller.accountId, operation: operation.name, key }
  const fingerprint = (yield* Secrets).sha256(canonical(yield* Input.encodeInput(operation, input)))
  const now = yield* DateTime.now
  const leaseOwner = yield* (yield* Ids).uuid
  const { idempotencyLeaseMs } = yield* Deployment
  const leaseEndsAt = DateTime.add(now, { milliseconds: idempotencyLeaseMs })
  const held = yield* (yield* Idempotency).reserve({
    ...slot,
    fingerprint,
    calledBy: caller.keyId,
    leaseOwner,
    now,
    leaseEndsAt
  })
  if (held._tag === "reserved") {
    return { output: yield* perform(operation, slot, leaseOwner, doing), replayed: false }
  }
  if (held._tag === "mismatched") return yield* reused(held.isAnswered)
  const isFirstCaller = held.calledBy === caller.keyId
  if (!isFirstCaller) {
    const told = held._tag === "answered" ? openPartOf(held.answer) : undefined
    yield* (yield* Atomically).run(doing.authorize(told))
  }
  if (held._tag === "running") return yield* busy(held.leaseEndsAt, now)
  const shown = isFirstCaller ? held.answer : { ...held.answer, sealedSecrets: null }
  return { output: yield* outputOf(operation, slot, shown), replayed: true }
})
