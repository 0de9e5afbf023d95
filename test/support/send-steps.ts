/** A confirmed send pushed forward by hand, look by look, with the chain and the clock in the test's hands. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { EvmRelay } from "../../core/evm/relay.ts"
import type { Proposal } from "../../core/proposals/proposal.ts"
import { Proposals } from "../../core/proposals/proposal-store.ts"
import { keyOf } from "../../core/proposals/step.ts"
import { SubmissionStore } from "../../core/submissions/submission-store.ts"
import { held, PayingWorld } from "./sending-chain.ts"
import * as SendingRows from "./sending-rows.ts"
import { amountMicro, type Over, signable } from "./signable-orders.ts"
import * as SubmissionQueue from "./submission-queue.ts"

/** A send that was confirmed, from a wallet that holds what it takes. */
export const confirmedOver = Effect.fnUntraced(function* (over: Over = {}) {
  const { order, proposal, wallet } = yield* signable(over)
  yield* (yield* PayingWorld).fund(wallet.address, amountMicro)
  yield* (yield* SubmissionStore).open(
    SendingRows.aSubmission(proposal, wallet, {
      to: order.to,
      amount: order.amount,
      identity: order.identity
    })
  )
  return proposal
})

export const confirmed = Effect.suspend(() => confirmedOver())

const longAfter = 50_000_000
let looks = 0

/** One worker's look at what is due; leases that were left behind have run out each time. */
export const look = Effect.gen(function* () {
  looks++
  yield* SubmissionQueue.allAdvanced(yield* SubmissionQueue.claimAt(longAfter + looks * 60))
})

/** An attempt is replaced when it was not seen for half a minute. */
export const longUnseen = TestClock.adjust("31 seconds")

export const submissionOf = ({ id }: Proposal) =>
  Effect.gen(function* () {
    const submission = yield* (yield* SubmissionStore).find(keyOf(id))
    return submission ?? assert.fail("it was never opened")
  })

export const statusOf = ({ accountId, id }: Proposal) =>
  Effect.gen(function* () {
    return (yield* (yield* Proposals).find(accountId, id))?.status
  })

/** What the chain says the recipient of a send holds. */
export const received = (proposal: Proposal) =>
  Effect.flatMap(submissionOf(proposal), ({ terms }) => held(terms.to))

/** Looks and mines until the send is final, a few times at most. */
export const completed = Effect.fnUntraced(function* (proposal: Proposal, turns = 8) {
  const { mine } = yield* PayingWorld
  for (let turn = 0; turn < turns && (yield* statusOf(proposal)) === "executing"; turn++) {
    yield* look
    yield* mine(1)
  }
  assert.strictEqual(yield* statusOf(proposal), "completed")
  assert.strictEqual(yield* received(proposal), amountMicro)
})

/** Pushes a send while another relayer carries for the same stores. */
export const asRival = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(PayingWorld, ({ rival }) => Effect.provideService(effect, EvmRelay, rival))
