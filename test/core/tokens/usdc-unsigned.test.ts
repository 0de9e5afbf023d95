/** The last door before a key: nothing is signed for a chain whose USDC has another contract behind it. */
import { assert, layer } from "@effect/vitest"
import { Cause, Effect, Exit } from "effect"
import { EvmRelay } from "../../../core/evm/relay.ts"
import { SigningDenied } from "../../../core/submissions/order.ts"
import { SubmissionStore } from "../../../core/submissions/submission-store.ts"
import { UsdcImplementations } from "../../../core/tokens/usdc-implementation-store.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"
import * as Rows from "../../support/rows.ts"
import * as SendingRows from "../../support/sending-rows.ts"
import { signable } from "../../support/signable-orders.ts"
import * as SubmissionQueue from "../../support/submission-queue.ts"

layer(memoryTreasury)("a wallet's key", (it) => {
  it.effect("signs nothing there until what was seen is accepted", () =>
    Effect.gen(function* () {
      const { accept, see } = yield* UsdcImplementations
      const { order } = yield* signable()
      const { authorize } = yield* EvmRelay
      yield* see(order.chainId, "0xa1", Rows.at(1))
      yield* authorize(order)
      yield* see(order.chainId, "0xb2", Rows.at(2))
      const exit = yield* Effect.exit(authorize(order))
      assert(Exit.isFailure(exit))
      const denied = Cause.squash(exit.cause)
      assert.instanceOf(denied, SigningDenied)
      assert.include((denied as SigningDenied).violation, "bursar usdc acknowledge local")
      yield* accept(order.chainId, "0xb2")
      yield* authorize(order)
    })
  )

  it.effect("that is denied because of it leaves its submission waiting with the reason", () =>
    Effect.gen(function* () {
      const { see } = yield* UsdcImplementations
      const { order, proposal, wallet } = yield* signable()
      const submission = SendingRows.aSubmission(proposal, wallet, {
        to: order.to,
        amount: order.amount,
        identity: order.identity
      })
      yield* (yield* SubmissionStore).open(submission)
      const [claimed] = yield* SubmissionQueue.claimAt(0)
      assert(claimed?.submission.id === submission.id)
      const relay = yield* EvmRelay
      // It is seen between the look of whoever carries it and the signature.
      const authorize: typeof relay.authorize = (asked) =>
        Effect.andThen(see(asked.chainId, "0xc3", Rows.at(3)), relay.authorize(asked))
      yield* SubmissionQueue.advanced(claimed).pipe(
        Effect.provideService(EvmRelay, { ...relay, authorize })
      )
      const [after] = yield* (yield* SubmissionStore).ofProposals([proposal.id])
      assert.strictEqual(after?.status, "prepared")
      assert.include(after?.reason ?? "", "is 0xc3. No wallet signs on local")
    })
  )
})
