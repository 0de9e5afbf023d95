/**
 * An execution of three steps in memory: a process may die at any call of any store, of the chain or of whoever
 * attests, and each act still happens once.
 */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Exit, Layer } from "effect"
import * as Memory from "../../../adapters/memory/memory.ts"
import * as TokenAccounts from "../../../adapters/memory/token-accounts.ts"
import { keyOf } from "../../../core/chains/address.ts"
import { EvmRelay } from "../../../core/evm/relay.ts"
import * as Usdc from "../../../core/money/usdc.ts"
import { windowsAt } from "../../../core/policy/limits.ts"
import { Spending } from "../../../core/policy/spending-ledger.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import type { Proposal } from "../../../core/proposals/proposal.ts"
import { Proposals } from "../../../core/proposals/proposal-store.ts"
import { SubmissionStore } from "../../../core/submissions/submission-store.ts"
import { WaitStore } from "../../../core/waits/wait-store.ts"
import { suite } from "../../contracts/execution.contract.ts"
import { newState, world } from "../../support/memory-sending-chain.ts"
import { around, type Wrap } from "../../support/port-wrapper.ts"
import { makeDeath } from "../../support/process-death.ts"
import { registries } from "../../support/registries.ts"
import { held } from "../../support/sending-chain.ts"
import { identified } from "../../support/signing-policies.ts"
import { Attester, registered, uidOf } from "../../support/stepped-kind.ts"

import {
  amountMicro,
  attesting,
  begin,
  confirmed,
  ended,
  stepsOf,
  unpriced
} from "../../support/three-steps.ts"

const worldWith = (attester: Layer.Layer<Attester>, wrap: Wrap) => {
  const records = Layer.mergeAll(Memory.layer(), identified, attester, registries, registered)
  const accounts = TokenAccounts.layer(newState())
  const base = Layer.mergeAll(world, records, accounts, Layer.provide(unpriced, world))
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

/** A death after a call that only reads is one before the next call. */
const sides = (call: string): ReadonlyArray<"before" | "after"> =>
  /\.(?:find|ofProposals|heldBy|lockAll|trace|simulate|conditions)/u.test(call)
    ? ["before"]
    : ["before", "after"]

suite("memory", (attester) => worldWith(attester, (_, call) => call))

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
      for (const when of sides(calls[at] ?? "")) {
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
    assert.strictEqual(deaths, calls.flatMap(sides).length)
  }).pipe(Effect.provide(worldWith(attester.layer, wrap)))
})
