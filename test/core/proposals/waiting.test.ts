/** A send that waits is looked at again and again, and its proposal is written only when it stands otherwise. */
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import * as Memory from "../../../adapters/memory/memory.ts"
import { Accounts } from "../../../core/accounts/account-store.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import type { Proposal } from "../../../core/proposals/proposal.ts"
import { Proposals } from "../../../core/proposals/proposal-store.ts"
import { inOrder, subStatusOf, viewOf } from "../../../core/proposals/step.ts"
import { world } from "../../support/memory-sending-chain.ts"
import { around, type Wrap } from "../../support/port-wrapper.ts"
import { registries } from "../../support/registries.ts"
import { completed, confirmed, look, submissionOf } from "../../support/send-steps.ts"
import { identified } from "../../support/signing-policies.ts"

/** Stores that count the transactions and the writes of proposals made on them. */
const counted = () => {
  let writes = 0
  const counting: Wrap = (name, call) =>
    Effect.suspend(() => {
      if (
        ["Atomically.run", "Proposals.lock", "Proposals.lockAll", "Proposals.move"].includes(name)
      )
        writes++
      return call
    })
  const base = Layer.mergeAll(world, Memory.layer(), identified, registries)
  const stores = Layer.mergeAll(
    around(Atomically, base, counting),
    around(Proposals, base, counting)
  ).pipe(Layer.provideMerge(base))
  return { stores, writes: () => writes }
}

/** How it is told now. */
const now = (proposal: Proposal) =>
  Effect.map(submissionOf(proposal), (submission) => ({
    proposal,
    subStatus: subStatusOf(submission),
    step: inOrder([submission]).map(viewOf),
    updatedAt: submission.updatedAt
  }))

const polls = 70

/** What keeps a send waiting, from which look on, and how it shows. */
const waits = {
  "for confirmations": {
    arrange: () => Effect.flatMap(ChainScript, ({ mine }) => Effect.andThen(look, mine(1))),
    shows: "confirming"
  },
  "for a chain that is away": {
    arrange: () => Effect.flatMap(ChainScript, ({ outage }) => Effect.andThen(look, outage(true))),
    shows: "unknown"
  },
  "for a relayer's gas": {
    arrange: () => Effect.flatMap(ChainScript, ({ relayersLackGas }) => relayersLackGas(true)),
    shows: "queued"
  },
  "for its account to be resumed": {
    arrange: ({ accountId }: Proposal) =>
      Effect.flatMap(Accounts, ({ pause }) => pause(accountId, DateTime.makeUnsafe(0))),
    shows: "queued"
  }
} as const

describe("a send that waits", () => {
  for (const [what, { arrange, shows }] of Object.entries(waits)) {
    it.effect(`${what} writes nothing while nothing has changed`, () => {
      const { stores, writes } = counted()
      return Effect.gen(function* () {
        const proposal = yield* confirmed
        yield* arrange(proposal)
        yield* look
        const first = yield* now(proposal)
        assert.strictEqual(first.subStatus, shows)
        const before = writes()
        for (let poll = 0; poll < polls; poll++) {
          yield* TestClock.adjust("2 seconds")
          yield* look
        }
        assert.strictEqual(writes() - before, 0)
        const last = yield* now(proposal)
        assert.deepStrictEqual({ ...last, updatedAt: first.updatedAt }, first)
      }).pipe(Effect.provide(stores))
    })
  }

  it.effect("is written as soon as it stands otherwise", () => {
    const { stores } = counted()
    return Effect.gen(function* () {
      const script = yield* ChainScript
      const proposal = yield* confirmed
      yield* look
      yield* script.mine(1)
      yield* look
      const confirming = yield* now(proposal)
      yield* script.outage(true)
      yield* TestClock.adjust("2 seconds")
      yield* look
      const unknown = yield* now(proposal)
      assert.strictEqual(unknown.subStatus, "unknown")
      assert.isTrue(DateTime.isGreaterThan(unknown.updatedAt, confirming.updatedAt))
      yield* script.outage(false)
      yield* look
      assert.strictEqual((yield* now(proposal)).subStatus, "confirming")
      yield* completed(proposal)
    }).pipe(Effect.provide(stores))
  })
})
