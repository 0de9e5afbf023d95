/** What every store of idempotency keys must do: one call of many happens, and its answer stays. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import { Idempotency, type Slot } from "../../core/operation/idempotency-store.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { aFreeSlot, anAnswer, aReservation, first, reserved } from "../support/idempotency-rows.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

type Stores = Idempotency | Accounts | Atomically

export const suite = (name: string, stores: Layer.Layer<Stores>) => {
  layer(stores)(`${name}: idempotency`, (it) => {
    it.effect("of many reservations of one key, one wins and the others hear that it runs", () =>
      Effect.gen(function* () {
        const idempotency = yield* Idempotency
        const slot = yield* aFreeSlot
        const held = yield* Effect.all(
          Array.from({ length: 32 }, () => idempotency.reserve(aReservation(slot))),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(held.filter(({ _tag }) => _tag === "reserved").length, 1)
        assert.deepStrictEqual(
          held.filter(({ _tag }) => _tag !== "reserved"),
          Array.from({ length: 31 }, () => ({
            _tag: "running" as const,
            leaseEndsAt: Rows.at(30),
            calledBy: first
          }))
        )
      })
    )

    it.effect("another account, operation or key is another slot", () =>
      Effect.gen(function* () {
        const idempotency = yield* Idempotency
        const { slot } = yield* reserved()
        const account = yield* Stored.account()
        for (const other of [
          { ...slot, accountId: account.id },
          { ...slot, operation: "cancel_payment_request" },
          { ...slot, key: `${slot.key}!` }
        ]) {
          const held = yield* idempotency.reserve(aReservation(other))
          assert.deepStrictEqual(held, { _tag: "reserved" })
        }
      })
    )

    it.effect("a key that came with another input is a mismatch, running or answered", () =>
      Effect.gen(function* () {
        const idempotency = yield* Idempotency
        const { leaseOwner, slot } = yield* reserved()
        const other = aReservation(slot, { fingerprint: "b".repeat(64) })
        assert.deepStrictEqual(yield* idempotency.reserve(other), {
          _tag: "mismatched",
          isAnswered: false
        })
        yield* idempotency.answer(slot, leaseOwner, anAnswer)
        assert.deepStrictEqual(yield* idempotency.reserve(other), {
          _tag: "mismatched",
          isAnswered: true
        })
      })
    )

    it.effect("an answer stays and is given to everyone who asks again, long after the lease", () =>
      Effect.gen(function* () {
        const idempotency = yield* Idempotency
        const { leaseOwner, slot } = yield* reserved()
        const answer = {
          ...anAnswer,
          sealedSecrets: "sealed",
          secretsEraseAt: Rows.at(1_000_000)
        }
        assert.isTrue(yield* idempotency.answer(slot, leaseOwner, answer))
        const late = { now: Rows.at(900_000), leaseEndsAt: Rows.at(900_030) }
        assert.deepStrictEqual(yield* idempotency.reserve(aReservation(slot, late)), {
          _tag: "answered",
          answer,
          calledBy: first
        })
      })
    )

    it.effect("the answer is rolled back with the work", () =>
      Effect.gen(function* () {
        const idempotency = yield* Idempotency
        const { run } = yield* Atomically
        const { leaseOwner, slot } = yield* reserved()
        const answering = idempotency.answer(slot, leaseOwner, anAnswer)
        yield* Effect.exit(run(Effect.andThen(answering, Effect.fail("no"))))
        const held = yield* idempotency.reserve(aReservation(slot))
        assert.strictEqual(held._tag, "running")
      })
    )

    it.effect("a released slot is free again; one that was answered stays answered", () =>
      Effect.gen(function* () {
        const idempotency = yield* Idempotency
        const { leaseOwner, slot } = yield* reserved()
        yield* idempotency.release(slot, Rows.anId())
        assert.strictEqual((yield* idempotency.reserve(aReservation(slot)))._tag, "running")
        yield* idempotency.release(slot, leaseOwner)
        const second = aReservation(slot, { fingerprint: "c".repeat(64) })
        assert.strictEqual((yield* idempotency.reserve(second))._tag, "reserved")
        yield* idempotency.answer(slot, second.leaseOwner, anAnswer)
        yield* idempotency.release(slot, second.leaseOwner)
        assert.strictEqual((yield* idempotency.reserve(second))._tag, "answered")
      })
    )
  })
  leaseSuite(name, stores)
  keepingSuite(name, stores)
}

const leaseSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: idempotency, leases`, (it) => {
    it.effect("a reservation whose lease ended is taken over, once", () =>
      Effect.gen(function* () {
        const idempotency = yield* Idempotency
        const { slot } = yield* reserved()
        const late = { now: Rows.at(31), leaseEndsAt: Rows.at(61) }
        const held = yield* Effect.all(
          Array.from({ length: 8 }, () => idempotency.reserve(aReservation(slot, late))),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(held.filter(({ _tag }) => _tag === "reserved").length, 1)
        assert.strictEqual(held.filter(({ _tag }) => _tag === "running").length, 7)
      })
    )

    it.effect("who lost the reservation can neither answer, renew nor release it", () =>
      Effect.gen(function* () {
        const idempotency = yield* Idempotency
        const { leaseOwner, slot } = yield* reserved()
        const taker = aReservation(slot, { now: Rows.at(31), leaseEndsAt: Rows.at(61) })
        yield* idempotency.reserve(taker)
        assert.isFalse(yield* idempotency.answer(slot, leaseOwner, anAnswer))
        yield* idempotency.renew(slot, leaseOwner, Rows.at(500))
        yield* idempotency.release(slot, leaseOwner)
        const now = aReservation(slot, { now: Rows.at(40), leaseEndsAt: Rows.at(70) })
        assert.deepStrictEqual(yield* idempotency.reserve(now), {
          _tag: "running",
          leaseEndsAt: Rows.at(61),
          calledBy: first
        })
        assert.isTrue(yield* idempotency.answer(slot, taker.leaseOwner, anAnswer))
        assert.isFalse(yield* idempotency.answer(slot, leaseOwner, { ...anAnswer, body: "{}" }))
        assert.deepStrictEqual(yield* idempotency.reserve(now), {
          _tag: "answered",
          answer: anAnswer,
          calledBy: first
        })
      })
    )

    it.effect("a renewed reservation is not taken over", () =>
      Effect.gen(function* () {
        const idempotency = yield* Idempotency
        const { leaseOwner, slot } = yield* reserved()
        yield* idempotency.renew(slot, leaseOwner, Rows.at(90))
        const late = aReservation(slot, { now: Rows.at(31), leaseEndsAt: Rows.at(61) })
        assert.deepStrictEqual(yield* idempotency.reserve(late), {
          _tag: "running",
          leaseEndsAt: Rows.at(90),
          calledBy: first
        })
      })
    )
  })

const keepingSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: idempotency, what is kept`, (it) => {
    it.effect("sealed secrets are erased when they are due; the rest of the answer stays", () =>
      Effect.gen(function* () {
        const idempotency = yield* Idempotency
        yield* idempotency.eraseSecrets(Rows.at(2_000_000), 1000)
        const due = yield* reserved()
        const later = yield* reserved()
        const sealed = { ...anAnswer, sealedSecrets: "sealed", secretsEraseAt: Rows.at(100) }
        const kept = { ...sealed, secretsEraseAt: Rows.at(300) }
        yield* idempotency.answer(due.slot, due.leaseOwner, sealed)
        yield* idempotency.answer(later.slot, later.leaseOwner, kept)
        assert.strictEqual(yield* idempotency.eraseSecrets(Rows.at(99), 1000), 0)
        assert.strictEqual(yield* idempotency.eraseSecrets(Rows.at(101), 1000), 1)
        assert.strictEqual(yield* idempotency.eraseSecrets(Rows.at(101), 1000), 0)
        const erased = yield* idempotency.reserve(aReservation(due.slot))
        assert.strictEqual(erased._tag, "answered")
        if (erased._tag === "answered") {
          assert.strictEqual(erased.answer.body, anAnswer.body)
          assert.isNull(erased.answer.sealedSecrets)
        }
        assert.deepStrictEqual(yield* idempotency.reserve(aReservation(later.slot)), {
          _tag: "answered",
          answer: kept,
          calledBy: first
        })
      })
    )

    it.effect("of an old answer its proposal is kept, and that it was given for this input", () =>
      Effect.gen(function* () {
        const idempotency = yield* Idempotency
        const old = { now: Rows.at(-5000), leaseEndsAt: Rows.at(-4000) }
        const putAway = (max: number) =>
          idempotency.putAway(
            Rows.at(-1000),
            { short: ["propose", "vote"], whole: ["approve"] },
            max
          )
        yield* putAway(1000)
        const { id: accountId } = yield* Stored.account()
        const answered = Effect.fnUntraced(function* (operation: string, body: string, at = old) {
          const slot = Rows.aSlot(accountId, { operation })
          const call = aReservation(slot, at)
          yield* idempotency.reserve(call)
          yield* idempotency.answer(slot, call.leaseOwner, { ...anAnswer, body })
          return slot
        })
        const told = `{"proposalId":"p1","summary":"Send 5 USDC"}`
        const recent = { now: Rows.at(-10), leaseEndsAt: Rows.at(20) }
        const kept: ReadonlyArray<readonly [Slot, string]> = [
          [yield* answered("propose", told), `{"proposalId":"p1"}`],
          [yield* answered("vote", `{"proposalId":7}`), `{"proposalId":7}`],
          [yield* answered("vote", `{"status":"approved"}`), `{"status":"approved"}`],
          [yield* answered("approve", told), told],
          [yield* answered("other", told), told],
          [yield* answered("propose", told, recent), told]
        ]
        assert.deepStrictEqual([yield* putAway(3), yield* putAway(3), yield* putAway(3)], [3, 1, 0])
        assert.strictEqual(
          yield* idempotency.forget(Rows.at(-1000), ["propose", "vote", "approve", "other"], 1000),
          0
        )
        for (const [slot, body] of kept) {
          const held = yield* idempotency.reserve(aReservation(slot))
          assert.strictEqual(held._tag, "answered")
          if (held._tag !== "answered") continue
          assert.deepStrictEqual(JSON.parse(held.answer.body), JSON.parse(body))
          const other = yield* idempotency.reserve(
            aReservation(slot, { fingerprint: "b".repeat(64) })
          )
          assert.deepStrictEqual(other, { _tag: "mismatched", isAnswered: true })
        }
      })
    )

    it.effect(
      "old keys are forgotten, answered ones of kept operations and running ones never",
      () =>
        Effect.gen(function* () {
          const idempotency = yield* Idempotency
          const old = { now: Rows.at(-5000), leaseEndsAt: Rows.at(-4000) }
          const forget = Effect.fnUntraced(function* (max: number) {
            const forgotten = yield* idempotency.forget(Rows.at(-1000), ["send"], max)
            const kept = { short: [], whole: ["send"] }
            return [forgotten, yield* idempotency.putAway(Rows.at(-1000), kept, max)]
          })
          yield* forget(1000)
          const account = yield* Stored.account()
          const money = Rows.aSlot(account.id, { operation: "send" })
          const answered = yield* reserved(old)
          const running = yield* reserved({ now: old.now })
          const left = yield* reserved(old)
          const leftMoney = Rows.aSlot(account.id, { operation: "send" })
          yield* idempotency.reserve(aReservation(leftMoney, old))
          const recent = yield* reserved({ now: Rows.at(-10) })
          const moneyCall = aReservation(money, old)
          yield* idempotency.reserve(moneyCall)
          yield* idempotency.answer(money, moneyCall.leaseOwner, anAnswer)
          yield* idempotency.answer(answered.slot, answered.leaseOwner, anAnswer)
          yield* idempotency.answer(recent.slot, recent.leaseOwner, anAnswer)
          assert.deepStrictEqual(yield* forget(1), [1, 1])
          assert.deepStrictEqual(yield* forget(1000), [1, 1])
          assert.deepStrictEqual(yield* forget(1000), [0, 0])
          // Nobody would hear that their input is another one's, as nothing was done under it.
          for (const { operation, key } of [left.slot, leftMoney]) {
            const slot = { accountId: operation === "send" ? account.id : left.slot.accountId }
            const other = { fingerprint: Rows.aDigest() }
            const held = yield* idempotency.reserve(
              aReservation({ ...slot, operation, key }, other)
            )
            assert.strictEqual(held._tag, "reserved")
          }
          const tag = (slot: Slot) =>
            Effect.map(idempotency.reserve(aReservation(slot)), ({ _tag }) => _tag)
          assert.strictEqual(yield* tag(answered.slot), "reserved")
          assert.strictEqual(yield* tag(running.slot), "running")
          assert.strictEqual(yield* tag(recent.slot), "answered")
          assert.strictEqual(yield* tag(money), "answered")
        })
    )

    it.effect(
      "of each operation that has old answers they are forgotten, behind one that has none",
      () =>
        Effect.gen(function* () {
          const idempotency = yield* Idempotency
          const { id: accountId } = yield* Stored.account()
          const forget = (max: number) => idempotency.forget(Rows.at(-1000), ["kept"], max)
          yield* Effect.repeat(forget(1000), { while: (rows) => rows > 0 })
          const answered = Effect.fnUntraced(function* (operation: string, seconds: number) {
            const slot = Rows.aSlot(accountId, { operation })
            const call = aReservation(slot, {
              now: Rows.at(seconds),
              leaseEndsAt: Rows.at(seconds + 60)
            })
            yield* idempotency.reserve(call)
            yield* idempotency.answer(slot, call.leaseOwner, anAnswer)
          })
          const ages = {
            alter: [-5000, -5000],
            bill: [-10],
            kept: [-5000],
            offer: [-10, -5000],
            sell: [-5000]
          }
          for (const [operation, each] of Object.entries(ages)) {
            yield* Effect.forEach(each, (seconds) => answered(operation, seconds))
          }
          assert.strictEqual(yield* forget(3), 3)
          assert.strictEqual(yield* forget(3), 1)
          assert.strictEqual(yield* forget(3), 0)
        })
    )
  })
