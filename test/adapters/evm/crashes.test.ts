/**
 * The process dies at every call a send makes, before it and after it, while the keys are in a service
 * that signs otherwise each time: the send is paid once, and only by bytes that were written down.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import * as Journal from "../../../core/evm/journal.ts"
import { EvmRelay } from "../../../core/evm/relay.ts"
import { Spending } from "../../../core/policy/spending-ledger.ts"
import { Proposals } from "../../../core/proposals/proposal-store.ts"
import { SubmissionStore } from "../../../core/submissions/submission-store.ts"
import { AnvilChain } from "../../support/anvil.ts"
import { kmsKeys, sendingOver } from "../../support/anvil-sending-chain.ts"
import { localKms } from "../../support/local-kms.ts"
import { around, type Wrap } from "../../support/port-wrapper.ts"
import {
  completed,
  confirmed,
  longUnseen,
  look,
  statusOf,
  submissionOf
} from "../../support/send-steps.ts"
import { PayingWorld } from "../../support/sending-chain.ts"

type When = "before" | "after"

/** Lets a process die at one of its calls; whatever else it does is not done. */
const makeDeath = () => {
  const state = {
    isArmed: false,
    isGone: false,
    calls: 0,
    at: Number.POSITIVE_INFINITY,
    when: "before" as When
  }
  const names: Array<string> = []
  const dead = Effect.die(new Error("The process is gone."))
  const gone = Effect.suspend(() => {
    state.isGone = true
    return dead
  })
  const wrap: Wrap = (name, call) =>
    Effect.suspend(() => {
      if (!state.isArmed) return call
      if (state.isGone) return dead
      names.push(name)
      if (state.calls++ !== state.at) return call
      return state.when === "before" ? gone : Effect.andThen(call, gone)
    })
  const living = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    Effect.suspend(() => {
      state.isArmed = true
      return Effect.exit(work)
    }).pipe(
      Effect.ensuring(
        Effect.sync(() => {
          state.isArmed = false
          state.isGone = false
        })
      )
    )
  const arm = (at: number, when: When) => {
    Object.assign(state, { calls: 0, at, when })
    names.length = 0
  }
  return { wrap, living, arm, names }
}

const broadcasts = Effect.map(AnvilChain, ({ proxy }) =>
  proxy
    .asked()
    .flat()
    .filter(({ method }) => method === "eth_sendRawTransaction")
    .map(({ params }) => String(params[0]))
)

/** Handed over, never seen, replaced by one that pays more, and then mined to the end. */
const whole = Effect.gen(function* () {
  const { mine } = yield* PayingWorld
  yield* look
  yield* longUnseen
  yield* look
  yield* mine(1)
  yield* look
  yield* mine(3)
  yield* look
})

it.effect(
  "at every step, on either side of it",
  () => {
    const { wrap, living, arm, names } = makeDeath()
    const service = localKms()
    const below = sendingOver(kmsKeys(service, "one"), kmsKeys(service, "other"))
    const world = Layer.mergeAll(
      below,
      around(SubmissionStore, below, wrap),
      around(EvmRelay, below, wrap),
      around(Proposals, below, wrap),
      around(Spending, below, wrap)
    )
    return Effect.gen(function* () {
      arm(Number.POSITIVE_INFINITY, "before")
      const first = yield* confirmed
      assert.isTrue(Exit.isSuccess(yield* living(whole)))
      assert.strictEqual(yield* statusOf(first), "completed")
      assert.lengthOf(Journal.read(yield* submissionOf(first)).attempts, 2)
      const steps = [...names]
      for (const wanted of ["authorize", "takeSequences", "wrap", "broadcast", "save"]) {
        assert.isTrue(
          steps.some((name) => name.endsWith(`.${wanted}`)),
          wanted
        )
      }
      let deaths = 0
      for (let at = 0; at < steps.length; at++) {
        for (const when of ["before", "after"] as const) {
          const handedOver = (yield* broadcasts).length
          arm(at, when)
          const proposal = yield* confirmed
          if (Exit.isFailure(yield* living(whole))) deaths++
          arm(Number.POSITIVE_INFINITY, when)
          yield* longUnseen
          yield* completed(proposal)
          const { attempts } = Journal.read(yield* submissionOf(proposal))
          const written = new Set(attempts.map(({ raw }) => raw))
          for (const raw of (yield* broadcasts).slice(handedOver)) {
            assert.isTrue(written.has(raw), `${steps[at]} ${when}: bytes nobody wrote down`)
          }
        }
      }
      assert.strictEqual(deaths, 2 * steps.length)
    }).pipe(Effect.provide(world))
  },
  120_000
)
