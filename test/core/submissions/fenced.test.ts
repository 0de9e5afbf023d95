/** On records that others have replaced the relayer begins nothing: what it has is spent by those others. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Memory from "../../../adapters/memory/memory.ts"
import { EvmRelay } from "../../../core/evm/relay.ts"
import { SubmissionStore } from "../../../core/submissions/submission-store.ts"
import { begun, type Line, type Standing, Timeline } from "../../../core/timeline/timeline.ts"
import { world } from "../../support/memory-sending-chain.ts"
import { registries } from "../../support/registries.ts"
import * as Rows from "../../support/rows.ts"
import { identified } from "../../support/signing-policies.ts"
import * as SubmissionQueue from "../../support/submission-queue.ts"

const base = Layer.suspend(() => Layer.mergeAll(world, Memory.layer(), identified, registries))

const line: Line = { number: 2, server: "one", begunAt: "", keyStore: null, held: begun }

/** An act of the relayer alone, taken on while the records stand so; its reason, and whether the chain was asked for fees. */
const relayed = Effect.fnUntraced(function* (standing: Standing) {
  const relay = yield* EvmRelay
  let isAsked = false
  const watched: typeof relay = {
    ...relay,
    conditions: (chainId) =>
      Effect.suspend(() => {
        isAsked = true
        return relay.conditions(chainId)
      })
  }
  const store = yield* SubmissionStore
  const purpose = { name: "loan", accountId: null }
  const over = { chainId: "local", purpose, nextLookAt: Rows.at(10) }
  const submission = yield* SubmissionQueue.aSubmission(over, { act: "lend", wallet: null })
  yield* store.open(submission)
  const timeline = Layer.succeed(Timeline, {
    look: Effect.succeed(standing),
    write: () => Effect.succeed(false),
    keep: () => Effect.void
  })
  yield* SubmissionQueue.allAdvanced(yield* SubmissionQueue.claimAt(20)).pipe(
    Effect.provide(timeline),
    Effect.provideService(EvmRelay, watched)
  )
  const now = yield* store.find(submission.key)
  return { isAsked, status: now?.status, reason: now?.reason }
})

it.effect("what the relayer does is not begun on records that were replaced", () =>
  Effect.gen(function* () {
    const fenced = yield* relayed({ _tag: "fenced", line })
    assert.deepInclude(fenced, { isAsked: false, status: "prepared" })
    assert.match(`${fenced.reason}`, /^Other records have taken the place of these/u)
  }).pipe(Effect.provide(base))
)

it.effect("and goes on while the chains are read", () =>
  Effect.gen(function* () {
    assert.isTrue((yield* relayed({ _tag: "held", line })).isAsked)
  }).pipe(Effect.provide(base))
)
