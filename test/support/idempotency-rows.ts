/** Reservations of idempotency keys, and a slot of an account of its own that is held. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { Idempotency, type Reservation, type Slot } from "../../core/operation/idempotency-store.ts"
import * as Rows from "./rows.ts"
import * as Stored from "./stored-rows.ts"

const fingerprint = "a".repeat(64)

export const first = "the first key"

export const aReservation = (slot: Slot, over: Partial<Reservation> = {}): Reservation => ({
  ...slot,
  fingerprint,
  calledBy: first,
  leaseOwner: Rows.anId(),
  now: Rows.at(0),
  leaseEndsAt: Rows.at(30),
  ...over
})

export const anAnswer = { body: '{"id":"1","text":"✓"}', sealedSecrets: null, secretsEraseAt: null }

export const aFreeSlot = Effect.map(
  Effect.suspend(() => Stored.account()),
  (account) => Rows.aSlot(account.id)
)

export const reserved = Effect.fnUntraced(function* (over: Partial<Reservation> = {}) {
  const slot = yield* aFreeSlot
  const reservation = aReservation(slot, over)
  const held = yield* (yield* Idempotency).reserve(reservation)
  assert.deepStrictEqual(held, { _tag: "reserved" })
  const { accountId, key, operation } = reservation
  return { slot: { accountId, operation, key }, leaseOwner: reservation.leaseOwner }
})
