/** An answer that proposed something, given again: it is the first one, and says how the proposal has ended. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { invoke } from "../../../core/operation/invoke.ts"
import {
  isTerminal,
  type Outcome,
  outcomeAt,
  type Proposal,
  Status
} from "../../../core/proposals/proposal.ts"
import { Proposals } from "../../../core/proposals/proposal-store.ts"
import { type Name, operations } from "../../../core/treasury/operations.ts"
import type { Asker } from "../../support/accounts.ts"
import { owner } from "../../support/full-account.ts"
import { overRest, overTools } from "../../support/surface-calls.ts"
import * as Surfaces from "../../support/surfaces.ts"
import { inputs } from "../../support/valid-inputs.ts"

const tick = TestClock.adjust("1 second")

const outcomes: Readonly<Record<Status, Outcome>> = {
  pending_confirm: null,
  requires_action: null,
  executing: null,
  completed: "executed",
  failed: "not_executed",
  rejected: "not_executed",
  cancelled: "not_executed",
  expired: "not_executed",
  superseded: "not_executed"
}

const proposing = operations.flatMap(({ name, sinceThen }) =>
  sinceThen === undefined ? [] : [name]
)

type Fields = Readonly<Record<string, unknown>>

/** What is said over REST and as a tool, both under the same idempotency key. */
const asked = Effect.fnUntraced(function* (name: Name, input: Fields, { apiKey }: Asker) {
  const said = [
    yield* overRest(name, input, apiKey, "k"),
    yield* overTools(name, { ...input, idempotencyKey: "k" }, apiKey)
  ].map((each) => (each.ok ? (each.data as Fields) : assert.fail(JSON.stringify(each))))
  assert.deepStrictEqual(said[1], said[0])
  return said[0] as Fields
})

layer(Surfaces.layer())("a replayed proposal", (it) => {
  it("is tried of every operation that proposes", () => {
    assert.sameMembers(proposing, [
      "add_recipient",
      "approve_recipient",
      "propose_bridge",
      "propose_create_account",
      "propose_refund",
      "propose_rename_account",
      "propose_solana_swap",
      "propose_swap",
      "propose_token_approve",
      "propose_transfer"
    ])
    for (const status of Status.literals) {
      assert.strictEqual(outcomeAt(status), outcomes[status])
    }
  })

  it.effect.each(Status.literals)("that is %s says so if it has ended", (status) =>
    Effect.gen(function* () {
      const own = yield* owner(`user of ${status}`, tick)
      const { accountId } = own.caller
      const proposals = yield* Proposals
      for (const name of proposing) {
        const input = inputs[name](own)
        const first = yield* asked(name, input, own)
        assert.notProperty(first, "current", name)
        const found = (yield* proposals.find(accountId, String(first.proposalId))) as Proposal
        // Only what waits for somebody is rejected.
        if (status === "rejected") yield* proposals.move([{ ...found, status: "requires_action" }])
        yield* proposals.move([{ ...found, status, outcome: outcomeAt(status) }])
        const current = { status, outcome: outcomes[status] }
        const expected = isTerminal(status) ? { ...first, current } : first
        assert.deepStrictEqual(yield* asked(name, input, own), expected, name)
      }
    })
  )

  it.effect("that was done at once says what came of it", () =>
    Effect.gen(function* () {
      const { agent } = yield* owner("user_42", tick)
      const operation = operations.find((each) => each.name === "propose_create_account")
      if (operation === undefined) return assert.fail("there is no such operation")
      const input = { chainId: "local", walletName: "Payroll" }
      const call = { caller: agent.caller, input, requestId: "req_1", idempotencyKey: "k" }
      const first = yield* invoke(operation, call)
      if (!first.ok) return assert.fail(first.refusal.message)
      assert.strictEqual(first.output.status, "completed")
      assert.notProperty(first.output, "current")
      const again = yield* invoke(operation, call)
      assert.deepStrictEqual(again.ok && again.output, {
        ...first.output,
        current: { status: "completed", outcome: "executed" }
      })
    })
  )
})
