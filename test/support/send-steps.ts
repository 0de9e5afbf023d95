/** A confirmed send pushed forward by hand, look by look, with the chain and the clock in the test's hands. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { Proposal } from "../../core/proposals/proposal.ts"
import { Proposals } from "../../core/proposals/proposal-store.ts"
import { advance } from "../../core/sending/advance.ts"
import { Executions } from "../../core/submissions/execution-store.ts"
import { Submitter } from "../../core/submissions/submitter.ts"
import * as ExecutionQueue from "./execution-queue.ts"
import { held, PayingGround } from "./sending-chain.ts"
import * as SendingRows from "./sending-rows.ts"
import { amountMicro, warranted } from "./signable-orders.ts"

/** A send that was confirmed, from a wallet that holds what it takes. */
export const confirmed = Effect.gen(function* () {
  const { order, proposal, wallet } = yield* warranted()
  yield* (yield* PayingGround).fund(wallet.address, amountMicro)
  yield* (yield* Executions).queue(
    SendingRows.anExecution(proposal, wallet, { to: order.to, amountMicro })
  )
  return proposal
})

const longAfter = 50_000_000
let looks = 0

/** One worker's look at what is due; leases that were left behind have run out each time. */
export const look = Effect.gen(function* () {
  looks++
  const claimed = yield* ExecutionQueue.claimAt(longAfter + looks * 60)
  yield* Effect.forEach(claimed, advance, { discard: true })
})

/** A carrier is replaced when it was not seen for half a minute. */
export const longUnseen = TestClock.adjust("31 seconds")

export const executionOf = ({ id }: Proposal) =>
  Effect.gen(function* () {
    const execution = yield* (yield* Executions).find(id)
    return execution ?? assert.fail("it was never queued")
  })

export const statusOf = ({ accountId, id }: Proposal) =>
  Effect.gen(function* () {
    return (yield* (yield* Proposals).find(accountId, id))?.status
  })

/** What the chain says the recipient of a send holds. */
export const received = (proposal: Proposal) =>
  Effect.flatMap(executionOf(proposal), ({ to }) => held(to))

/** Looks and mines until the send is final, a few times at most. */
export const completed = Effect.fnUntraced(function* (proposal: Proposal, turns = 8) {
  const { mine } = yield* PayingGround
  for (let turn = 0; turn < turns && (yield* statusOf(proposal)) === "executing"; turn++) {
    yield* look
    yield* mine(1)
  }
  assert.strictEqual(yield* statusOf(proposal), "completed")
  assert.strictEqual(yield* received(proposal), amountMicro)
})

/** Pushes a send while another relayer carries for the same stores. */
export const asRival = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(PayingGround, ({ rival }) => Effect.provideService(effect, Submitter, rival))
