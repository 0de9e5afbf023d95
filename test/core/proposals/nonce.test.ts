/** The relayer's nonces at their edges: what a filler offers, and when one counts as used. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import type { Fees } from "../../../core/evm/journal.ts"
import * as Journal from "../../../core/evm/journal.ts"
import { fillsGap, isCleared, isUsable, use } from "../../../core/evm/nonce.ts"
import { type Conditions, EvmRelay } from "../../../core/evm/relay.ts"
import * as Value from "../../support/chain-values.ts"
import * as SendingRows from "../../support/sending-rows.ts"
import * as SubmissionQueue from "../../support/submission-queue.ts"

const chainId = "local"

const inMemory = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.provide(work, Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain() }, 1))

const conditions = (relayerMined: number, relayerCount = relayerMined): Conditions => ({
  maxFeePerGas: 30n,
  maxPriorityFeePerGas: 2n,
  relayerCount,
  relayerMined,
  chainTime: 0,
  relayerWei: 10n ** 18n,
  dataFeeWei: 0n
})

interface Filled {
  readonly nonce: number
  readonly fees: Fees
}

/** The payouts that are there, on a chain that stands as it is told; what is filled and handed over is kept. */
const watched = Effect.fnUntraced(function* (now: Conditions) {
  const filled: Array<Filled> = []
  const handedOver: Array<string> = []
  const payouts = yield* EvmRelay
  const service: typeof payouts = {
    ...payouts,
    conditions: () => Effect.succeed(now),
    fill: (_, nonce, fees) =>
      Effect.sync(() => {
        filled.push({ nonce, fees })
        return `filler ${nonce}`
      }),
    broadcast: (_, raw) => Effect.sync(() => void handedOver.push(raw))
  }
  return { filled, handedOver, service }
})

const carried = Effect.fnUntraced(function* (relayerSequence: number) {
  const submission = SendingRows.submitted(yield* SubmissionQueue.aSubmission({ chainId }), {
    relayer: Value.key(yield* (yield* EvmRelay).relayerAddress(chainId)),
    relayerSequence
  })
  return { submission, newest: Journal.read(submission).attempts.at(-1) }
})

describe("a nonce that is held", () => {
  it.effect("is usable until a block has it, by the relayer that carries now", () =>
    inMemory(
      Effect.gen(function* () {
        const { submission } = yield* carried(7)
        assert.isTrue(yield* isUsable(submission, conditions(7)))
        assert.isFalse(yield* isUsable(submission, conditions(8)))
        const another = { ...submission, relayer: Value.key(`0x${"0f".repeat(20)}`) }
        assert.isFalse(yield* isUsable(another, conditions(7)))
        assert.isFalse(yield* isUsable({ ...submission, relayerSequence: null }, conditions(0)))
      })
    )
  )

  it.effect("is cleared once it is used or on its way, and kept in motion until then", () =>
    inMemory(
      Effect.gen(function* () {
        const { newest, submission } = yield* carried(7)
        // What blocks have, and what the chain holds beside them.
        const cases = [
          [conditions(8), true],
          [conditions(7, 8), true],
          [conditions(7, 7), false],
          [conditions(5, 6), false],
          [conditions(5, 9), true]
        ] as const
        for (const [now, cleared] of cases) {
          const { filled, handedOver, service } = yield* watched(now)
          const said = yield* Effect.provideService(
            isCleared(submission, Effect.succeed(now)),
            EvmRelay,
            service
          )
          assert.strictEqual(said, cleared)
          assert.deepStrictEqual(handedOver, cleared ? [] : [newest?.raw ?? "", "filler 7"])
          assert.deepStrictEqual(
            filled.map(({ nonce }) => nonce),
            cleared ? [] : [7]
          )
        }
      })
    )
  )
})

describe("a filler", () => {
  it.effect("offers twice what the network charges, since it is never raised", () =>
    inMemory(
      Effect.gen(function* () {
        const now = conditions(7)
        const { filled, service } = yield* watched(now)
        yield* Effect.provideService(use(chainId, 7, now), EvmRelay, service)
        assert.strictEqual(filled[0]?.fees.maxFeePerGas, 60n)
        assert.strictEqual(filled[0]?.fees.maxPriorityFeePerGas, 2n)
      })
    )
  )

  it.effect("fills each nonce of a gap that nobody holds, and none beyond it", () =>
    inMemory(
      Effect.gen(function* () {
        const { newest, submission } = yield* carried(7)
        const gas = newest?.gas
        const cases: ReadonlyArray<readonly [Conditions, ReadonlyArray<number>]> = [
          [conditions(4), [4, 5, 6]],
          [conditions(6), [6]],
          [conditions(7), []],
          [conditions(9), []]
        ]
        for (const [now, nonces] of cases) {
          const { filled, handedOver, service } = yield* watched(now)
          const fills = yield* Effect.provideService(fillsGap(submission, now), EvmRelay, service)
          assert.strictEqual(fills, nonces.length > 0)
          assert.deepStrictEqual(
            filled.map(({ nonce }) => nonce),
            [...nonces]
          )
          assert.deepStrictEqual(
            handedOver,
            nonces.map((nonce) => `filler ${nonce}`)
          )
          for (const { fees } of filled) {
            assert.deepStrictEqual(fees, { maxFeePerGas: 60n, maxPriorityFeePerGas: 2n, gas })
          }
        }
      })
    )
  )
})
