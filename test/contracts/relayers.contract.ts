/** What must become of sends when the relayer's nonces in the records and on the chain fall apart. */
import { assert, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as Journal from "../../core/evm/journal.ts"
import { EvmRelay } from "../../core/evm/relay.ts"
import { Chains } from "../../core/ports/chains.ts"
import { SubmissionStore } from "../../core/submissions/submission-store.ts"
import * as Value from "../support/chain-values.ts"
import {
  asRival,
  completed,
  confirmed,
  longUnseen,
  look,
  received,
  statusOf,
  submissionOf
} from "../support/send-steps.ts"
import { PayingWorld } from "../support/sending-chain.ts"
import { amountMicro, chainId } from "../support/signable-orders.ts"
import * as SubmissionQueue from "../support/submission-queue.ts"

type Needs =
  | Effect.Services<typeof look>
  | Effect.Services<typeof confirmed>
  | Effect.Services<ReturnType<typeof completed>>

const conditions = Effect.flatMap(EvmRelay, (payouts) => payouts.conditions(chainId))

/** Nonces that the records gave and nobody ever carried anything under. */
const lose = Effect.fnUntraced(function* (count: number) {
  const { relayerAddress } = yield* EvmRelay
  const { takeSequences } = yield* SubmissionStore
  const relayer = yield* relayerAddress(chainId)
  const { relayerCount } = yield* conditions
  yield* takeSequences(chainId, Value.key(relayer), relayerCount, count)
})

const stillCarried = Effect.fnUntraced(function* () {
  const { mine } = yield* PayingWorld
  yield* look
  yield* mine(1)
  yield* look
})

export const suite = (name: string, world: Layer.Layer<Needs>) => {
  const tells = <E>(title: string, tell: Effect.Effect<void, E, Needs>) =>
    it.effect(`${title} (${name})`, () => Effect.provide(tell, world))

  tells(
    "a chain that was set back under these records: the gap is used up and the send is paid once",
    Effect.gen(function* () {
      const { mine, reorg } = yield* PayingWorld
      const { tip } = yield* Chains
      yield* mine(1)
      const { number: start } = yield* tip(chainId)
      const earlier = [yield* confirmed, yield* confirmed, yield* confirmed]
      for (const proposal of earlier) yield* completed(proposal)
      yield* reorg((yield* tip(chainId)).number - start, [])
      assert.strictEqual((yield* conditions).relayerMined, 0)
      const proposal = yield* confirmed
      yield* stillCarried()
      assert.strictEqual((yield* submissionOf(proposal)).relayerSequence, 3)
      assert.strictEqual(yield* received(proposal), 0n)
      yield* longUnseen
      yield* look
      yield* mine(1)
      assert.strictEqual((yield* conditions).relayerMined, 4)
      yield* completed(proposal)
      const next = yield* confirmed
      yield* completed(next)
      assert.strictEqual((yield* submissionOf(next)).relayerSequence, 4)
    })
  )

  tells(
    "a gap larger than one look fills is used up over several",
    Effect.gen(function* () {
      const { mine } = yield* PayingWorld
      yield* lose(70)
      const proposal = yield* confirmed
      yield* stillCarried()
      yield* longUnseen
      const mined: Array<number> = []
      for (let turn = 0; turn < 3; turn++) {
        yield* look
        yield* mine(1)
        mined.push((yield* conditions).relayerMined)
      }
      assert.deepStrictEqual(mined, [32, 64, 71])
      yield* completed(proposal)
    })
  )

  tells(
    "sends that wait behind a gap together are all paid, in their order, each once",
    Effect.gen(function* () {
      const { mine } = yield* PayingWorld
      yield* lose(2)
      const waiting = [yield* confirmed, yield* confirmed, yield* confirmed]
      yield* stillCarried()
      const nonces = yield* Effect.forEach(waiting, submissionOf)
      assert.sameMembers(
        nonces.map(({ relayerSequence }) => relayerSequence),
        [2, 3, 4]
      )
      yield* longUnseen
      yield* look
      yield* mine(1)
      assert.strictEqual((yield* conditions).relayerMined, 5)
      for (const proposal of waiting) yield* completed(proposal)
    })
  )

  tells(
    "a gap that a send of ours still holds is left to it",
    Effect.gen(function* () {
      const { mine } = yield* PayingWorld
      const first = yield* confirmed
      const store = yield* SubmissionStore
      const relayer = yield* (yield* EvmRelay).relayerAddress(chainId)
      // Taken and written down, and the process was gone before anything was signed under it.
      const [claimed] = yield* store.claim({
        now: (yield* submissionOf(first)).createdAt,
        leaseMs: 0,
        most: 1
      })
      if (claimed === undefined) return assert.fail("nothing claimed")
      const by = Value.key(relayer)
      const relayerSequence = yield* store.takeSequences(chainId, by, 0, 1)
      const holding = { ...claimed.submission, relayer: by, relayerSequence }
      yield* SubmissionQueue.note(claimed.lease, holding)
      assert.isTrue(yield* store.holdsSequence(chainId, by, 0, 1))
      const second = yield* confirmed
      yield* look
      yield* mine(1)
      assert.strictEqual((yield* submissionOf(first)).relayerSequence, 0)
      assert.strictEqual((yield* submissionOf(second)).relayerSequence, 1)
      yield* completed(first)
      yield* completed(second)
      assert.strictEqual((yield* conditions).relayerMined, 2)
    })
  )

  tells(
    "a new relayer starts at its own count, and what the old one left waiting is paid by it once",
    Effect.gen(function* () {
      const { mine, rival } = yield* PayingWorld
      yield* lose(1)
      const proposal = yield* confirmed
      yield* stillCarried()
      const before = yield* submissionOf(proposal)
      assert.strictEqual(before.relayerSequence, 1)
      assert.strictEqual(yield* received(proposal), 0n)
      yield* longUnseen
      yield* asRival(look)
      const after = yield* submissionOf(proposal)
      assert.strictEqual(after.relayer, Value.key(yield* rival.relayerAddress(chainId)))
      assert.strictEqual(after.relayerSequence, 0)
      assert.lengthOf(Journal.read(after).attempts, 2)
      yield* mine(1)
      yield* asRival(completed(proposal))
      // The old attempt comes into a block after all, and pays nothing.
      const payouts = yield* EvmRelay
      const fees = { ...(yield* conditions), gas: 150_000n }
      yield* payouts.broadcast(chainId, yield* payouts.fill(chainId, 0, fees))
      yield* mine(1)
      assert.strictEqual((yield* conditions).relayerMined, 2)
      assert.strictEqual(yield* received(proposal), amountMicro)
    })
  )

  tells(
    "a nonce that somebody else used with the relayer's key is given up for another",
    Effect.gen(function* () {
      const { mine } = yield* PayingWorld
      const payouts = yield* EvmRelay
      const proposal = yield* confirmed
      const fees = { ...(yield* conditions), gas: 150_000n }
      const dearer = {
        ...fees,
        maxFeePerGas: fees.maxFeePerGas * 3n,
        maxPriorityFeePerGas: fees.maxPriorityFeePerGas * 3n
      }
      yield* look
      assert.strictEqual((yield* submissionOf(proposal)).relayerSequence, 0)
      yield* payouts.broadcast(chainId, yield* payouts.fill(chainId, 0, dearer))
      yield* mine(1)
      yield* look
      assert.strictEqual(yield* statusOf(proposal), "executing")
      yield* longUnseen
      yield* look
      assert.strictEqual((yield* submissionOf(proposal)).relayerSequence, 1)
      yield* mine(1)
      yield* completed(proposal)
      assert.strictEqual((yield* conditions).relayerMined, 2)
    })
  )
}
