/** What proposing a transfer asks ahead is what its rules ask, to the letter: anything else would be asked twice. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import { MemoryStore } from "../../../adapters/memory/store.ts"
import { bothFurnished } from "../../../apps/testing/seed.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { Spending } from "../../../core/policy/spending-ledger.ts"
import { Together } from "../../../core/ports/together.ts"
import { Proposals } from "../../../core/proposals/proposal-store.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"

const treasury = Layer.unwrap(
  Effect.map(MemoryStore.make, (store) => Wiring.layer({ store, chain: Wiring.scriptedChain() }, 1))
)

it.effect("the sums of the caps and how many proposals wait are asked with the other reads", () =>
  Effect.gen(function* () {
    const [, agent] = yield* bothFurnished
    const call = callsOf(agent.caller)
    yield* (yield* ChainScript).fund(agent.wallet.address, 5_000_000n)
    const { recipients } = yield* call.list_recipients({})
    const [spending, proposals, together] = [yield* Spending, yield* Proposals, yield* Together]
    const asked = { used: [] as Array<unknown>, waiting: [] as Array<unknown> }
    const propose = call
      .propose_transfer({
        recipientId: recipients[0]?.id ?? "",
        fromWalletId: agent.wallet.id,
        amountUsdc: "1"
      })
      .pipe(
        Effect.provideService(Together, { ...together, isRemembered: true }),
        Effect.provideService(Spending, {
          ...spending,
          usedWithout: (...question) => {
            asked.used.push(question)
            // Time goes on between a question that is asked ahead and the rule's.
            return Effect.andThen(TestClock.adjust("7 millis"), spending.usedWithout(...question))
          }
        }),
        Effect.provideService(Proposals, {
          ...proposals,
          countWaiting: (...question) => {
            asked.waiting.push(question)
            return proposals.countWaiting(...question)
          }
        })
      )
    assert.strictEqual((yield* propose).status, "pending_confirm")
    for (const questions of [asked.used, asked.waiting]) {
      assert.lengthOf(questions, 2)
      assert.deepStrictEqual(questions[1], questions[0])
    }
  }).pipe(Effect.provide(treasury))
)
