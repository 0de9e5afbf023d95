/** What every store of idempotency keys knows of who called: whom an answer's secrets are for. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import { Idempotency } from "../../core/operation/idempotency-store.ts"
import type { Atomically } from "../../core/ports/atomically.ts"
import { anAnswer, aReservation, first, reserved } from "../support/idempotency-rows.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

type Stores = Idempotency | Accounts | Atomically

export const suite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: idempotency, who called`, (it) => {
    it.effect(
      "a slot names who called first, whoever asks later; taken over, whoever took it",
      () =>
        Effect.gen(function* () {
          const idempotency = yield* Idempotency
          const { slot } = yield* reserved()
          const other = { calledBy: "another key" }
          const running = yield* idempotency.reserve(aReservation(slot, other))
          assert.deepStrictEqual(running, {
            _tag: "running",
            leaseEndsAt: Rows.at(30),
            calledBy: first
          })
          const taker = aReservation(slot, { ...other, now: Rows.at(31), leaseEndsAt: Rows.at(61) })
          yield* idempotency.reserve(taker)
          yield* idempotency.answer(slot, taker.leaseOwner, anAnswer)
          assert.deepStrictEqual(yield* idempotency.reserve(aReservation(slot)), {
            _tag: "answered",
            answer: anAnswer,
            calledBy: "another key"
          })
        })
    )

    it.effect("a slot is taken while it runs and once it is answered, and free when released", () =>
      Effect.gen(function* () {
        const idempotency = yield* Idempotency
        const { leaseOwner, slot } = yield* reserved()
        assert.isTrue(yield* idempotency.isTaken(slot))
        assert.isFalse(yield* idempotency.isTaken({ ...slot, operation: "another" }))
        yield* idempotency.release(slot, leaseOwner)
        assert.isFalse(yield* idempotency.isTaken(slot))
        const again = aReservation(slot)
        yield* idempotency.reserve(again)
        yield* idempotency.answer(slot, again.leaseOwner, anAnswer)
        assert.isTrue(yield* idempotency.isTaken(slot))
      })
    )

    it.effect("what is sealed for some callers of an account is erased, for nobody else", () =>
      Effect.gen(function* () {
        const idempotency = yield* Idempotency
        const sealed = { ...anAnswer, sealedSecrets: "sealed", secretsEraseAt: Rows.at(9_000_000) }
        const account = yield* Stored.account()
        const slots = yield* Effect.forEach(["a", "a", "b", "c"], (calledBy) =>
          Effect.gen(function* () {
            const slot = Rows.aSlot(account.id)
            const reservation = aReservation(slot, { calledBy })
            yield* idempotency.reserve(reservation)
            yield* idempotency.answer(slot, reservation.leaseOwner, sealed)
            return slot
          })
        )
        const elsewhere = yield* reserved({ calledBy: "a" })
        yield* idempotency.answer(elsewhere.slot, elsewhere.leaseOwner, sealed)
        assert.strictEqual(yield* idempotency.eraseSecretsOf(account.id, ["a", "b"]), 3)
        assert.strictEqual(yield* idempotency.eraseSecretsOf(account.id, ["a", "b"]), 0)
        const left = yield* Effect.forEach([...slots, elsewhere.slot], (slot) =>
          Effect.map(idempotency.reserve(aReservation(slot)), (held) =>
            held._tag === "answered" ? held.answer.sealedSecrets : held._tag
          )
        )
        assert.deepStrictEqual(left, [null, null, null, "sealed", "sealed"])
      })
    )
  })
