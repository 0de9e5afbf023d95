/**
 * What a send does on a chain of every family: it pays once, whatever the network does with it, and says how it ended.
 * The same statements hold on scripted chains and on real ones.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Spending } from "../../core/policy/spending-ledger.ts"
import { look, submissionOf } from "../support/send-steps.ts"
import {
  called,
  calledUnfunded,
  ended,
  freshRecords,
  kept,
  SendWorld,
  standing,
  type World
} from "../support/send-world.ts"
import { amountMicro } from "../support/signable-orders.ts"

const onFreshRecords = Effect.provide(freshRecords())

export const suite = (name: string, world: Layer.Layer<World>) =>
  layer(world)(`${name}: sends`, (it) => {
    it.effect("a confirmed send pays what was confirmed, once, and uses its reservation up", () =>
      Effect.gen(function* () {
        const meant = yield* kept()
        const proposal = yield* called(meant)
        const after = yield* ended(proposal)
        assert.deepInclude(after, { status: "completed", recovered: false, statusReason: null })
        assert.lengthOf(after.txHashes, 1)
        assert.strictEqual((yield* (yield* Spending).heldBy(proposal.id))?.state, "consumed")
        assert.strictEqual(yield* (yield* SendWorld).held(meant.address), amountMicro)
      }).pipe(onFreshRecords)
    )

    it.effect("what is in a block completes nothing before the chain's rule calls it final", () =>
      Effect.gen(function* () {
        const { next, settle } = yield* SendWorld
        const proposal = yield* called(yield* kept())
        yield* look
        yield* next
        yield* look
        const waiting = yield* standing(proposal)
        assert.deepInclude(waiting, { status: "executing", subStatus: "confirming" })
        assert.lengthOf(waiting.txHashes, 1)
        yield* settle
        yield* look
        assert.deepInclude(yield* standing(proposal), { status: "completed" })
      }).pipe(onFreshRecords)
    )

    it.effect("a node whose answer is lost has still taken it, and it pays once", () =>
      Effect.gen(function* () {
        const { held, loseNextReply } = yield* SendWorld
        const meant = yield* kept()
        const proposal = yield* called(meant)
        yield* loseNextReply
        yield* look
        assert.match((yield* standing(proposal)).statusReason ?? "", /answer was lost/u)
        assert.deepInclude(yield* ended(proposal), { status: "completed", statusReason: null })
        assert.strictEqual(yield* held(meant.address), amountMicro)
      }).pipe(onFreshRecords)
    )

    it.effect("what the network forgets is handed over again, and pays once", () =>
      Effect.gen(function* () {
        const { held, lose, next } = yield* SendWorld
        const meant = yield* kept()
        const proposal = yield* called(meant)
        yield* lose(true)
        yield* look
        yield* next
        yield* look
        yield* next
        yield* lose(false)
        assert.strictEqual(yield* held(meant.address), 0n)
        yield* TestClock.adjust("31 seconds")
        assert.deepInclude(yield* ended(proposal), { status: "completed" })
        assert.strictEqual(yield* held(meant.address), amountMicro)
      }).pipe(onFreshRecords)
    )

    it.effect("what a reorganisation drops is handed over again, and pays once", () =>
      Effect.gen(function* () {
        const { dropNewest, held, next } = yield* SendWorld
        const meant = yield* kept()
        const proposal = yield* called(meant)
        yield* look
        yield* next
        yield* look
        assert.deepInclude(yield* standing(proposal), { subStatus: "confirming" })
        yield* dropNewest
        assert.strictEqual(yield* held(meant.address), 0n)
        yield* look
        assert.notDeepInclude(yield* standing(proposal), { subStatus: "confirming" })
        yield* TestClock.adjust("31 seconds")
        assert.deepInclude(yield* ended(proposal), { status: "completed" })
        assert.strictEqual(yield* held(meant.address), amountMicro)
      }).pipe(onFreshRecords)
    )

    it.effect("while the chain is away it waits, signs nothing and says so", () =>
      Effect.gen(function* () {
        const { held, outage } = yield* SendWorld
        const meant = yield* kept()
        const proposal = yield* called(meant)
        yield* outage(true)
        yield* look
        assert.deepInclude(yield* submissionOf(proposal), { status: "prepared", journal: {} })
        yield* outage(false)
        assert.deepInclude(yield* ended(proposal), { status: "completed" })
        assert.strictEqual(yield* held(meant.address), amountMicro)
      }).pipe(onFreshRecords)
    )

    it.effect("a wallet that holds too little pays nobody, and its reservation is given back", () =>
      Effect.gen(function* () {
        const meant = yield* kept()
        const { proposal } = yield* calledUnfunded(meant)
        const after = yield* ended(proposal)
        assert.deepInclude(after, { status: "failed", txHashes: [] })
        assert.match(after.statusReason ?? "", /too little USDC|insufficient balance/u)
        assert.strictEqual((yield* (yield* Spending).heldBy(proposal.id))?.state, "released")
        assert.strictEqual(yield* (yield* SendWorld).held(meant.address), 0n)
      }).pipe(onFreshRecords)
    )

    it.effect("a send whose records were lost is found paid by the same call", () =>
      Effect.gen(function* () {
        const meant = yield* kept()
        const first = yield* Effect.flatMap(called(meant), ended).pipe(
          Effect.provide(freshRecords())
        )
        assert.deepInclude(first, { status: "completed", recovered: false })
        const again = yield* Effect.gen(function* () {
          const proposal = yield* called(meant)
          const after = yield* ended(proposal)
          assert.deepStrictEqual((yield* submissionOf(proposal)).journal, {})
          return after
        }).pipe(Effect.provide(freshRecords()))
        assert.deepInclude(again, { status: "completed", recovered: true })
        assert.deepStrictEqual(again.txHashes, first.txHashes)
        assert.strictEqual(yield* (yield* SendWorld).held(meant.address), amountMicro)
      })
    )

    it.effect("nobody else is paid under the key of a call that was paid", () =>
      Effect.gen(function* () {
        const { held, someone } = yield* SendWorld
        const meant = yield* kept()
        yield* Effect.flatMap(called(meant), ended).pipe(Effect.provide(freshRecords()))
        const other = { ...meant, address: yield* someone }
        const after = yield* Effect.flatMap(called(other), ended).pipe(
          Effect.provide(freshRecords())
        )
        assert.deepInclude(after, { status: "failed", recovered: false })
        assert.match(after.statusReason ?? "", /already used for another payment, in \w+\./u)
        assert.strictEqual(yield* held(other.address), 0n)
        assert.strictEqual(yield* held(meant.address), amountMicro)
      })
    )

    it.effect("two records that know nothing of each other pay once together", () =>
      Effect.gen(function* () {
        const { held, next, settle } = yield* SendWorld
        const meant = yield* kept()
        const [one, other] = [
          yield* Layer.build(freshRecords()),
          yield* Layer.build(freshRecords())
        ]
        const first = yield* Effect.provideContext(called(meant), one)
        const second = yield* Effect.provideContext(called(meant), other)
        const eachLooks = Effect.andThen(
          Effect.provideContext(look, one),
          Effect.provideContext(look, other)
        )
        // Both sign before either is in a block.
        for (const pass of [next, next, settle, settle, settle]) {
          yield* eachLooks
          yield* pass
        }
        yield* eachLooks
        const ends = [
          yield* Effect.provideContext(standing(first), one),
          yield* Effect.provideContext(standing(second), other)
        ]
        assert.deepStrictEqual(
          ends.map(({ status }) => status),
          ["completed", "completed"]
        )
        assert.deepStrictEqual(ends[0]?.txHashes, ends[1]?.txHashes)
        assert.strictEqual(yield* held(meant.address), amountMicro)
      })
    )
  })
