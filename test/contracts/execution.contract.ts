/**
 * What an execution of three steps, a payment, a wait and a payment, does over every kind of stores: what follows
 * what, how it ends, how it is stopped, and what it holds of the caps meanwhile.
 */
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, type Layer, Logger } from "effect"
import { TestClock } from "effect/testing"
import { Accounts } from "../../core/accounts/account-store.ts"
import { keyOf } from "../../core/chains/address.ts"
import * as Usd from "../../core/money/usd.ts"
import * as Usdc from "../../core/money/usdc.ts"
import { windowsAt } from "../../core/policy/limits.ts"
import { Spending } from "../../core/policy/spending-ledger.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { held, PayingWorld } from "../support/sending-chain.ts"
import { type Attester, uidOf } from "../support/stepped-kind.ts"
import {
  asking,
  attesting,
  begin,
  confirmed,
  ended,
  stepsOf,
  submitting,
  subStatusOf,
  turn,
  waiting
} from "../support/three-steps.ts"

type World =
  | Effect.Services<ReturnType<typeof confirmed>>
  | Effect.Services<typeof turn>
  | Effect.Services<ReturnType<typeof begin>>
  | Effect.Services<ReturnType<typeof asking>>
  | Accounts
  | Spending

/** `worldWith` gives everything over whoever attests, and keeps its records for as long as it stands. */
export const suite = (
  name: string,
  worldWith: (attester: Layer.Layer<Attester>) => Layer.Layer<World | Attester>
) => {
  const run = <A, E>(
    test: (attester: ReturnType<typeof attesting>) => Effect.Effect<A, E, World | Attester>
  ) => {
    const attester = attesting()
    return Effect.provide(test(attester), worldWith(attester.layer))
  }

  describe(`${name}: an execution of three steps`, () => {
    it.effect("opens each where the one before ends, and ends where the last one does", () =>
      run(({ posted, state }) =>
        Effect.gen(function* () {
          state.attests = false
          const { meant, proposal } = yield* confirmed()
          yield* begin(proposal)
          assert.deepStrictEqual(
            (yield* stepsOf(proposal)).map(({ isEnded, kind, n }) => [n, kind, isEnded]),
            [[1, "burn", false]]
          )
          for (let at = 0; at < 6; at++) yield* turn
          assert.deepStrictEqual(
            (yield* stepsOf(proposal)).map(({ isDone, kind, n }) => [n, kind, isDone]),
            [
              [1, "burn", true],
              [2, "attest", false]
            ]
          )
          assert.strictEqual(yield* subStatusOf(proposal), "attesting")
          assert.deepStrictEqual(posted, [uidOf({ proposalId: proposal.id })])
          assert.strictEqual(yield* held(keyOf(meant.chainId, meant.mintTo)), 0n)
          state.attests = true
          yield* turn
          assert.strictEqual(yield* subStatusOf(proposal), "minting")
          const done = yield* ended(proposal)
          const txHashes = (yield* stepsOf(proposal)).flatMap((step) =>
            step._tag === "wait" ? [] : step.submission.txIds
          )
          assert.lengthOf(txHashes, 2)
          assert.deepInclude(done, {
            status: "completed",
            outcome: "executed",
            recovered: false,
            result: { soldAmount: "3000000", boughtAmount: "3000000", feesPaid: [] },
            txHashes
          })
          const [burn, mint] = (yield* stepsOf(proposal)).flatMap((step) =>
            step._tag === "wait" ? [] : [step.submission.terms.identity]
          )
          assert.notStrictEqual(burn, mint)
        })
      )
    )

    it.effect("whose first step fails was not executed, and whose second fails was in part", () =>
      run(() =>
        Effect.gen(function* () {
          const poor = yield* confirmed({ amountSmallestUnit: Usdc.make(7_000_000n) })
          yield* begin(poor.proposal)
          const first = yield* ended(poor.proposal)
          assert.deepInclude(first, { status: "failed", outcome: "not_executed" })
          assert.isNotNull(first.statusReason)
          const half = yield* confirmed({ amountSmallestUnit: Usdc.make(6_000_000n) })
          yield* begin(half.proposal)
          assert.deepInclude(yield* ended(half.proposal), {
            status: "failed",
            outcome: "partly_executed"
          })
          const spending = yield* Spending
          for (const { proposal } of [poor, half]) {
            assert.strictEqual((yield* spending.heldBy(proposal.id))?.state, "released")
          }
        })
      )
    )

    it.effect(
      "is asked to stop once, and shows it; a wait that has begun nothing ends by that",
      () =>
        run(({ posted }) =>
          Effect.gen(function* () {
            const { proposal } = yield* confirmed()
            yield* begin(proposal)
            const { run } = yield* Atomically
            const asked = yield* run(asking(proposal))
            assert.strictEqual(asked.subStatus, "cancelling")
            assert.match(asked.message, /asked to stop/u)
            yield* TestClock.adjust("1 minute")
            assert.deepStrictEqual(yield* run(asking(proposal)), asked)
            const done = yield* ended(proposal)
            assert.deepInclude(done, { status: "failed", outcome: "partly_executed" })
            assert.strictEqual(done.statusReason, "It was cancelled before it was claimed.")
            assert.deepStrictEqual(posted, [])
          })
        )
    )

    it.effect("is asked to stop at any time: the wait that is open is due at once and told", () =>
      run(({ state }) =>
        Effect.gen(function* () {
          state.attests = false
          const { proposal } = yield* confirmed()
          yield* begin(proposal)
          for (let at = 0; at < 6; at++) yield* turn
          const { run } = yield* Atomically
          yield* run(asking(proposal))
          const [, wait] = yield* stepsOf(proposal)
          if (wait?._tag !== "wait") return assert.fail("its second step is a wait")
          assert.isTrue(wait.wait.isStopAsked)
          assert.deepStrictEqual(wait.wait.nextLookAt, yield* DateTime.now)
          for (let at = 0; at < 8; at++) yield* turn
          const steps = yield* stepsOf(proposal)
          assert.deepStrictEqual(
            steps.map(({ isDone, kind, n }) => [n, kind, isDone]),
            [
              [1, "burn", true],
              [2, "attest", false],
              [3, "cancel", true]
            ]
          )
          // What helped it has ended, so it was looked at again; what was asked for came too late.
          assert.strictEqual(steps[1]?._tag === "wait" && steps[1].wait.hurries, 2)
          assert.strictEqual(yield* subStatusOf(proposal), "cancelling")
          state.attests = true
          assert.strictEqual((yield* ended(proposal)).outcome, "executed")
          assert.lengthOf(yield* stepsOf(proposal), 4)
        })
      )
    )

    it.effect("holds more of the caps before it goes on, or does not go on", () =>
      run(({ posted }) =>
        Effect.gen(function* () {
          const spending = yield* Spending
          const more = yield* confirmed({ reserveMicro: Usdc.make(5_000_000n) })
          const tooMuch = yield* confirmed({ reserveMicro: Usdc.make(900_000_000_000n) })
          for (const { proposal } of [more, tooMuch]) yield* begin(proposal)
          const done = yield* ended(more.proposal)
          assert.strictEqual(done.status, "completed")
          assert.deepInclude(yield* spending.heldBy(done.id), {
            amountMicro: Usd.make(5_000_000n),
            state: "consumed"
          })
          const stopped = yield* ended(tooMuch.proposal)
          assert.deepInclude(stopped, { status: "failed", outcome: "partly_executed" })
          assert.match(stopped.statusReason ?? "", /exceeds the hard cap/u)
          assert.deepInclude(yield* spending.heldBy(stopped.id), {
            amountMicro: Usd.make(3_000_000n),
            state: "released"
          })
          assert.deepStrictEqual(posted, [uidOf({ proposalId: done.id })])
          const used = yield* spending.used(stopped.accountId, windowsAt(yield* DateTime.now))
          assert.deepStrictEqual(used, { dayMicro: 0n, monthMicro: 0n })
        })
      )
    )

    it.effect("decides nothing while what helped a wait is open", () =>
      run(({ state }) =>
        Effect.gen(function* () {
          state.attests = false
          const { proposal } = yield* confirmed()
          yield* begin(proposal)
          for (let at = 0; at < 6; at++) yield* turn
          const { run } = yield* Atomically
          yield* run(asking(proposal))
          yield* waiting
          state.attests = true
          yield* TestClock.adjust("1 minute")
          yield* waiting
          assert.deepStrictEqual(
            (yield* stepsOf(proposal)).map(({ isEnded, kind }) => [kind, isEnded]),
            [
              ["burn", true],
              ["attest", true],
              ["cancel", false]
            ]
          )
          assert.strictEqual((yield* ended(proposal)).outcome, "executed")
        })
      )
    )

    it.effect("that is stuck says so once, holds what it reserved, and goes on when it can", () =>
      run(({ state }) => {
        const said: Array<string> = []
        const hearing = Logger.layer([
          Logger.make(({ message }) => void said.push(String(message)))
        ])
        return Effect.gen(function* () {
          state.attests = false
          const { proposal } = yield* confirmed()
          yield* begin(proposal)
          for (let at = 0; at < 6; at++) yield* turn
          yield* TestClock.adjust("2 hours")
          for (let at = 0; at < 3; at++) yield* turn
          assert.strictEqual(yield* subStatusOf(proposal), "stuck")
          assert.deepStrictEqual(said, [
            `Proposal ${proposal.id} is stuck at its step attest on local: It is not attested yet.`
          ])
          assert.strictEqual((yield* (yield* Spending).heldBy(proposal.id))?.state, "reserved")
          state.attests = true
          assert.strictEqual((yield* ended(proposal)).status, "completed")
        }).pipe(Effect.provide(hearing))
      })
    )

    it.effect("begins nothing while its account is paused", () =>
      run(({ posted }) =>
        Effect.gen(function* () {
          const { proposal } = yield* confirmed()
          yield* begin(proposal)
          const { mine } = yield* PayingWorld
          for (let at = 0; at < 8 && (yield* stepsOf(proposal)).length === 1; at++) {
            yield* submitting
            yield* mine(1)
          }
          const accounts = yield* Accounts
          yield* accounts.pause(proposal.accountId, yield* DateTime.now)
          for (let at = 0; at < 4; at++) yield* turn
          const [, wait] = yield* stepsOf(proposal)
          assert.strictEqual(wait?._tag === "wait" && wait.wait.reason, "The account is paused.")
          assert.deepStrictEqual(posted, [])
          yield* accounts.pause(proposal.accountId, null)
          assert.strictEqual((yield* ended(proposal)).status, "completed")
        })
      )
    )
  })
}
