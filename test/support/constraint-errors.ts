/** Tells whether a write broke on a constraint of the database itself, and on nothing else. */
import { assert } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import * as SqlError from "effect/sql/SqlError"

export const isRefused = Effect.fnUntraced(function* <E, R>(write: Effect.Effect<unknown, E, R>) {
  const exit = yield* Effect.exit(Effect.orDie(write))
  const defect = Exit.isFailure(exit)
    ? exit.cause.reasons.find(Cause.isDieReason)?.defect
    : undefined
  assert.isTrue(SqlError.isSqlError(defect), "expected a database error")
  if (SqlError.isSqlError(defect)) assert.strictEqual(defect.reason._tag, "ConstraintError")
})
