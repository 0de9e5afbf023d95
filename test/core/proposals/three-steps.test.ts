/**
 * An execution of three steps, a payment, a wait and a payment: what follows what, how it ends, and that a process
 * may die at any call of any store, of the chain or of whoever attests, and each act still happens once.
 */
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Exit, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import * as Memory from "../../../adapters/memory/memory.ts"
import * as Prices from "../../../adapters/memory/prices.ts"
import { Accounts } from "../../../core/accounts/account-store.ts"
import { keyOf } from "../../../core/chains/address.ts"
import { EvmRelay } from "../../../core/evm/relay.ts"
import * as Usd from "../../../core/money/usd.ts"
import * as Usdc from "../../../core/money/usdc.ts"
import { Caller } from "../../../core/operation/caller.ts"
import { windowsAt } from "../../../core/policy/limits.ts"
import { Spending } from "../../../core/policy/spending-ledger.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { Chains } from "../../../core/ports/chains.ts"
import { cancelProposal } from "../../../core/proposals/cancel.ts"
import * as CarryWaits from "../../../core/proposals/carry-waits.ts"
import { execute } from "../../../core/proposals/execute.ts"
import type { Proposal } from "../../../core/proposals/proposal.ts"
import { Proposals } from "../../../core/proposals/proposal-store.ts"
import { inOrder, underWay } from "../../../core/proposals/step.ts"
import { SubmissionStore } from "../../../core/submissions/submission-store.ts"
import * as AgreedPrices from "../../../core/tokens/agreed-price.ts"
import { WaitStore } from "../../../core/waits/wait-store.ts"
import { world } from "../../support/memory-sending-chain.ts"
import { around, type Wrap } from "../../support/port-wrapper.ts"
import { makeDeath } from "../../support/process-death.ts"
import { registries } from "../../support/registries.ts"
import * as Rows from "../../support/rows.ts"
import { held, PayingWorld } from "../../support/sending-chain.ts"
import { aWallet } from "../../support/signable-orders.ts"
import { identified } from "../../support/signing-policies.ts"
import { Attester, registered, stepped, type Terms, uidOf } from "../../support/stepped-kind.ts"
import * as Stored from "../../support/stored-rows.ts"
import * as SubmissionQueue from "../../support/submission-queue.ts"
import * as WaitQueue from "../../support/wait-queue.ts"

const amountMicro = Usdc.make(3_000_000n)

/** Attests what was posted, once it is let; what it was told outlives every process. */
const attesting = () => {
  const posted: Array<string> = []
  const state = { attests: true }
  const layer = Layer.succeed(Attester, {
    post: (uid) =>
      Effect.sync(() => {
        posted.push(uid)
      }),
    attested: (uid) => Effect.sync(() => (state.attests && posted.includes(uid) ? "12" : undefined))
  })
  return { posted, state, layer }
}

/** Nothing but USDC has a price. */
const unpriced = AgreedPrices.layer.pipe(
  Layer.provide([Prices.none, Prices.noSecond]),
  Layer.provide(world)
)

const worldWith = (attester: Layer.Layer<Attester>, wrap: Wrap) => {
  const records = Layer.mergeAll(Memory.layer(), identified, attester, registries, registered)
  const base = Layer.mergeAll(world, records, unpriced)
  return Layer.mergeAll(
    around(Attester, base, wrap),
    around(Atomically, base, wrap),
    around(EvmRelay, base, wrap),
    around(Proposals, base, wrap),
    around(Spending, base, wrap),
    around(SubmissionStore, base, wrap),
    around(WaitStore, base, wrap)
  ).pipe(Layer.provideMerge(base))
}

/** A proposal that is confirmed and about to be executed, from a wallet that holds what both payments take. */
const confirmed = Effect.fnUntraced(function* (over: Partial<Terms> = {}) {
  const { id: accountId } = yield* Stored.account()
  const wallet = yield* aWallet(accountId)
  const { connected } = yield* Chains
  const [chain] = connected
  if (chain === undefined) return assert.fail("no chain is connected")
  yield* (yield* PayingWorld).fund(wallet.address, 2n * amountMicro)
  const meant: Terms = {
    fromWalletId: wallet.id,
    fromAddress: wallet.address,
    chainId: wallet.chainId,
    token: chain.usdc,
    burnTo: Rows.anAddress(),
    mintTo: Rows.anAddress(),
    amountSmallestUnit: amountMicro,
    reserveMicro: null,
    ...over
  }
  const written = yield* Effect.orDie(
    Schema.encodeUnknownEffect(Schema.toCodecJson(stepped.terms))(meant)
  )
  const proposal = yield* Stored.proposal({
    accountId,
    kind: "three_steps",
    terms: written as Proposal["terms"]
  })
  return { meant, proposal }
})

const longAfter = 50_000_000
let turns = 0

/** One turn of the worker of submissions; leases that were left behind have run out each time. */
const submitting = Effect.gen(function* () {
  turns++
  yield* SubmissionQueue.allAdvanced(yield* SubmissionQueue.claimAt(longAfter + turns * 60))
})

/** One turn of both workers and a block. */
const turn = Effect.gen(function* () {
  yield* submitting
  const { inBatches } = yield* CarryWaits.make
  const due = yield* inBatches(yield* WaitQueue.claimAt(longAfter + turns * 60))
  yield* Effect.forEach(due, CarryWaits.carry, { discard: true })
  yield* (yield* PayingWorld).mine(1)
})

const find = ({ accountId, id }: Proposal) =>
  Effect.gen(function* () {
    const found = yield* (yield* Proposals).find(accountId, id)
    return found ?? assert.fail("it is gone")
  })

const begin = (proposal: Proposal) =>
  Effect.gen(function* () {
    const { run } = yield* Atomically
    const proposals = yield* Proposals
    yield* run(
      Effect.gen(function* () {
        const locked = yield* proposals.lock(proposal.id)
        if (locked?.status === "pending_confirm") yield* execute(locked, "somebody")
      })
    )
  })

/** Turns until it has ended, some at most. */
const ended = Effect.fnUntraced(function* (proposal: Proposal) {
  for (let at = 0; at < 30 && (yield* find(proposal)).status === "executing"; at++) yield* turn
  return yield* find(proposal)
})

const stepsOf = ({ id }: Proposal) =>
  Effect.gen(function* () {
    return inOrder(
      yield* (yield* SubmissionStore).ofProposals([id]),
      yield* (yield* WaitStore).ofProposals([id])
    )
  })

const subStatusOf = Effect.fnUntraced(function* (proposal: Proposal) {
  return underWay(yield* find(proposal), yield* stepsOf(proposal)).subStatus
})

/** Its caller cancels it. */
const asking = ({ accountId, id }: Proposal) =>
  Effect.provideService(cancelProposal.handle({ proposalId: id }, undefined, undefined), Caller, {
    accountId,
    keyId: "somebody",
    kind: "developer",
    scopes: new Set<never>()
  })

const calm: Wrap = (_, call) => call

const run = <A, E>(
  test: (
    attester: ReturnType<typeof attesting>
  ) => Effect.Effect<A, E, Layer.Success<ReturnType<typeof worldWith>>>
) => {
  const attester = attesting()
  return Effect.provide(test(attester), worldWith(attester.layer, calm))
}

describe("an execution of three steps", () => {
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

  it.effect("is asked to stop once, and shows it; a wait that has begun nothing ends by that", () =>
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
        // It was claimed by then, so it goes on to its end.
        state.attests = true
        assert.strictEqual((yield* ended(proposal)).outcome, "executed")
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

  it.effect("that is stuck says so, holds what it reserved, and goes on when it can", () =>
    run(({ state }) =>
      Effect.gen(function* () {
        state.attests = false
        const { proposal } = yield* confirmed()
        yield* begin(proposal)
        for (let at = 0; at < 6; at++) yield* turn
        yield* TestClock.adjust("2 hours")
        yield* turn
        assert.strictEqual(yield* subStatusOf(proposal), "stuck")
        assert.strictEqual((yield* (yield* Spending).heldBy(proposal.id))?.state, "reserved")
        state.attests = true
        assert.strictEqual((yield* ended(proposal)).status, "completed")
      })
    )
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

  it.effect("survives a death at every call, on either side of it, and does each act once", () => {
    const { living, names, wrap } = makeDeath()
    const attester = attesting()
    return Effect.gen(function* () {
      const whole = yield* confirmed()
      const flow = (proposal: Proposal) => Effect.andThen(begin(proposal), ended(proposal))
      assert.isTrue(Exit.isSuccess(yield* living(-1, "before", flow(whole.proposal))))
      const calls = [...names]
      for (const wanted of ["WaitStore.open", "Attester.post", "EvmRelay.broadcast"]) {
        assert.include(calls, wanted)
      }
      let deaths = 0
      for (let at = 0; at < calls.length; at++) {
        for (const when of ["before", "after"] as const) {
          const { meant, proposal } = yield* confirmed()
          if (Exit.isFailure(yield* living(at, when, flow(proposal)))) deaths++
          const said = `${calls[at]} ${when}`
          yield* begin(proposal)
          const done = yield* ended(proposal)
          assert.deepInclude(done, { status: "completed", outcome: "executed" }, said)
          for (const paid of [meant.burnTo, meant.mintTo]) {
            assert.strictEqual(yield* held(keyOf(meant.chainId, paid)), amountMicro, said)
          }
          assert.deepStrictEqual(
            (yield* stepsOf(proposal)).map(({ isDone, kind, n }) => [n, kind, isDone]),
            [
              [1, "burn", true],
              [2, "attest", true],
              [3, "mint", true]
            ],
            said
          )
          assert.include(attester.posted, uidOf({ proposalId: proposal.id }))
          const used = yield* (yield* Spending).used(
            proposal.accountId,
            windowsAt(yield* DateTime.now)
          )
          assert.strictEqual(used.dayMicro, Usdc.toUsd(amountMicro), said)
        }
      }
      assert.isAtLeast(deaths, calls.length)
    }).pipe(Effect.provide(worldWith(attester.layer, wrap)))
  })
})
