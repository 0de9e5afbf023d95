/** The last vote and the last passkey start a send, so neither is taken while its chain is stopped; both may be given later. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { UsdcImplementations } from "../../../core/tokens/usdc-implementation-store.ts"
import { cosigner, humanAccount, sendsTake } from "../../support/human-account.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"
import * as Rows from "../../support/rows.ts"

const chainId = "local"

layer(memoryTreasury)("while a chain is stopped", (it) => {
  it.effect(
    "a vote that would start a send there is refused, and counts once it is given later",
    () =>
      Effect.gen(function* () {
        const { accept, see } = yield* UsdcImplementations
        const account = yield* humanAccount
        const { call, human, propose, statusOf } = account
        const ben = yield* cosigner(account, "Ben")
        yield* call.update_cosigner_rules(sendsTake(1))
        const proposalId = yield* propose("5")
        yield* call.confirm_proposal({ proposalId })
        yield* human.approve(proposalId)
        yield* see(chainId, "0xa1", Rows.at(1))
        yield* see(chainId, "0xb2", Rows.at(2))
        const refused = yield* Effect.flip(ben.vote(proposalId, true))
        assert.deepInclude(refused, { _tag: "SENDING_HELD", retryable: true })
        assert.strictEqual(yield* statusOf(proposalId), "requires_action")
        yield* accept(chainId, "0xb2")
        yield* ben.vote(proposalId, true)
        assert.strictEqual(yield* statusOf(proposalId), "executing")
      })
  )

  it.effect(
    "a passkey that would start a send there is refused, and counts once it is given later",
    () =>
      Effect.gen(function* () {
        const { accept, see } = yield* UsdcImplementations
        const { call, human, propose, statusOf } = yield* humanAccount
        const proposalId = yield* propose("5")
        yield* call.confirm_proposal({ proposalId })
        yield* see(chainId, "0xc3", Rows.at(3))
        const refused = yield* Effect.flip(human.approve(proposalId))
        assert.deepInclude(refused, { _tag: "SENDING_HELD" })
        assert.strictEqual(yield* statusOf(proposalId), "requires_action")
        yield* accept(chainId, "0xc3")
        yield* human.approve(proposalId)
        assert.strictEqual(yield* statusOf(proposalId), "executing")
      })
  )
})
