/** Who lost the lease of a send knows nothing of it any more, and must not end it. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { Spending } from "../../../core/policy/spending-ledger.ts"
import { Proposals } from "../../../core/proposals/proposal-store.ts"
import { advance } from "../../../core/sending/advance.ts"
import { type Claimed, Executions } from "../../../core/submissions/execution-store.ts"
import { Submitter } from "../../../core/submissions/submitter.ts"
import * as ExecutionQueue from "../../support/execution-queue.ts"
import * as SendingRows from "../../support/sending-rows.ts"
import { amountMicro, type Over, warranted } from "../../support/signable-orders.ts"

const ground = Layer.suspend(() =>
  Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain() }, 1)
)

const claimedOf = (claims: ReadonlyArray<Claimed>, proposalId: string) => {
  const claimed = claims.find(({ execution }) => execution.proposalId === proposalId)
  return claimed ?? assert.fail("nothing claimed")
}

/** A send as its first claimer and, once that lease ran out, its second one hold it. */
const claimedTwice = Effect.fnUntraced(function* (over: Over = {}) {
  const { order, proposal, wallet } = yield* warranted(over)
  const execution = SendingRows.anExecution(proposal, wallet, { to: order.to, amountMicro })
  yield* (yield* Executions).queue(execution)
  const first = claimedOf(yield* ExecutionQueue.claimAt(0), proposal.id)
  const second = claimedOf(yield* ExecutionQueue.claimAt(31), proposal.id)
  const standing = Effect.gen(function* () {
    const after = yield* (yield* Proposals).find(proposal.accountId, proposal.id)
    return [after?.status, (yield* (yield* Spending).heldBy(proposal.id))?.state]
  })
  return { first, second, order, standing }
})

layer(ground)("a worker whose lease ran out", (it) => {
  it.effect("does not fail a send that it found the token to refuse", () =>
    Effect.gen(function* () {
      // The wallet holds nothing, so the trial says that the token would refuse.
      const { first, second, order, standing } = yield* claimedTwice()
      const authorization = yield* (yield* Submitter).authorize(order)
      const signed = (claimed: Claimed): Claimed => ({
        ...claimed,
        execution: { ...claimed.execution, step: "signed", authorization }
      })
      yield* advance(signed(first))
      assert.deepStrictEqual(yield* standing, ["executing", "reserved"])
      yield* advance(signed(second))
      assert.deepStrictEqual(yield* standing, ["failed", "released"])
    })
  )

  it.effect("does not fail a send that it found the recipient revoked of", () =>
    Effect.gen(function* () {
      const { first, second, standing } = yield* claimedTwice({ recipient: { status: "revoked" } })
      yield* advance(first)
      assert.deepStrictEqual(yield* standing, ["executing", "reserved"])
      yield* advance(second)
      assert.deepStrictEqual(yield* standing, ["failed", "released"])
    })
  )
})
