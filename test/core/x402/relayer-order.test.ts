/** Payments by signature and sends are carried in one order of the relayer, whoever stands still in it. */
import { assert, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { EvmRelay } from "../../../core/evm/relay.ts"
import { pay } from "../../../core/payments/pay.ts"
import { Proposals } from "../../../core/proposals/proposal-store.ts"
import { SubmissionStore } from "../../../core/submissions/submission-store.ts"
import * as SendingRows from "../../support/sending-rows.ts"
import * as Steps from "../../support/settlement-steps.ts"
import { amountMicro, signable } from "../../support/signable-orders.ts"
import * as SubmissionQueue from "../../support/submission-queue.ts"

const world = Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain() }, 1)

let looks = 0

/** One worker's look at the sends that are due. */
const lookAtSends = Effect.gen(function* () {
  looks++
  const due = yield* SubmissionQueue.claimAt(looks * 120)
  yield* SubmissionQueue.allAdvanced(
    due.filter(({ submission }) => submission.purpose.name === "send")
  )
})

const relayerMined = Effect.flatMap(EvmRelay, ({ conditions }) =>
  Effect.map(conditions("local"), (now) => now.relayerMined)
)

it.effect("a nonce that a payment holds is nobody's gap, and the send behind it follows", () =>
  Effect.gen(function* () {
    const { fund, mine } = yield* ChainScript
    const { request } = yield* Steps.aRequest()
    const payment = yield* Steps.funded(request)
    yield* Steps.pushed(pay(request, payment), 0)
    const dying = Effect.map(EvmRelay, (payouts) => ({
      ...payouts,
      wrap: () => Effect.die(new Error("The process is gone."))
    }))
    const [claimed] = yield* SubmissionQueue.claimAt(0)
    if (claimed === undefined) return assert.fail("nothing claimed")
    const died = yield* Effect.exit(
      Effect.provideServiceEffect(SubmissionQueue.advanced(claimed), EvmRelay, dying)
    )
    assert.isTrue(Exit.isFailure(died))

    const { order, proposal, wallet } = yield* signable()
    yield* fund(wallet.address, amountMicro)
    yield* (yield* SubmissionStore).open(
      SendingRows.aSubmission(proposal, wallet, {
        to: order.to,
        amount: order.amount,
        identity: order.identity
      })
    )
    for (let turn = 0; turn < 3; turn++) {
      yield* lookAtSends
      yield* mine(1)
      yield* TestClock.adjust("31 seconds")
    }
    assert.strictEqual(yield* relayerMined, 0)

    yield* Steps.ended
    yield* Effect.repeat(Effect.andThen(lookAtSends, mine(1)), { times: 6 })
    assert.strictEqual(yield* relayerMined, 2)
    const sent = yield* (yield* Proposals).find(proposal.accountId, proposal.id)
    assert.strictEqual(sent?.status, "completed")
    assert.strictEqual((yield* Steps.now(request)).status, "paid")
    assert.strictEqual(yield* Steps.held(order.to), amountMicro)
  }).pipe(Effect.provide(world))
)
