/**
 * Taking the rent of marks back on the real programs: only of old and final payments, whole and once, and what was paid
 * stays paid, for records that never knew it and for records that are older than the horizon.
 */
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import * as MarkRentOnSolana from "../../../adapters/solana/mark-rent.ts"
import { LocalSolana } from "../../../apps/sandbox/solana/local-solana.ts"
import { MarkHorizon } from "../../../core/solana/horizon.ts"
import { MarkRent } from "../../../core/solana/mark-rent.ts"
import * as Reclaim from "../../../core/solana/reclaim.ts"
import { SolanaRelay } from "../../../core/solana/relay.ts"
import { SubmissionStore } from "../../../core/submissions/submission-store.ts"
import { connectionTo, solana, solanaRelayer } from "../../support/real-send-worlds.ts"
import { look, submissionOf } from "../../support/send-steps.ts"
import { called, ended, freshRecords, kept, SendWorld, standing } from "../../support/send-world.ts"
import * as ShiftedClock from "../../support/shifted-clock.ts"
import { amountMicro } from "../../support/signable-orders.ts"

const chainId = "local-solana"
const rent = 1_447_680n
const finality = 33

const markRent = Layer.unwrap(
  LocalSolana.useSync((chain) =>
    MarkRentOnSolana.layer({ relayer: solanaRelayer(), connections: [connectionTo(chain)] })
  )
)

const world = markRent.pipe(Layer.provideMerge(solana))

const onFreshRecords = Effect.provide(freshRecords())

const hoursFromNow = (hours: number) => DateTime.makeUnsafe(Date.now() + hours * 3_600_000)

/** Of records that a test dates as it likes; what is old is said by the chain. */
const before = DateTime.makeUnsafe("2100-01-01T00:00:00Z")

const reclaimer = {
  page: (after: Parameters<Reclaim.Reclaimer<never, never>["page"]>[0]) =>
    SubmissionStore.use((store) => store.finalOn(chainId, { before, after, limit: 2 })),
  sign: Reclaim.signAll
}

/** Slots pass as long as it takes, and quickly: whoever looks each second looks as much sooner. */
const reclaimed = Effect.fnUntraced(function* (horizon: DateTime.Utc) {
  const { advance } = yield* LocalSolana
  const told: Array<Reclaim.Tally> = []
  const passing = Effect.forever(Effect.andThen(advance(1), Effect.sleep(5)))
  const tally = yield* Effect.raceFirst(
    Reclaim.reclaim(chainId, horizon, reclaimer, (so) => Effect.sync(() => told.push(so))).pipe(
      ShiftedClock.hurried(40)
    ),
    passing
  )
  return { tally, told }
})

const sent = Effect.fnUntraced(function* () {
  const meant = yield* kept()
  const proposal = yield* called(meant)
  assert.deepInclude(yield* ended(proposal), { status: "completed" })
  return { meant, proposal, submission: yield* submissionOf(proposal) }
})

const lamportsOfRelayer = SolanaRelay.use((relay) => relay.conditions(chainId)).pipe(
  Effect.map(({ relayerLamports }) => relayerLamports)
)

layer(world, { excludeTestServices: true })("marks on Solana that are taken back", (it) => {
  it.effect("give their rent back to the relayer, less the fee, and are told step by step", () =>
    Effect.gen(function* () {
      yield* Effect.forEach([1, 2, 3], sent)
      const before = yield* lamportsOfRelayer
      const { tally, told } = yield* reclaimed(hoursFromNow(1))
      assert.deepStrictEqual(tally, {
        ...{ reclaimed: 3, units: 3n * rent, young: 0, unproven: 0, untaken: 0 }
      })
      assert.deepStrictEqual(
        told.map((each) => each.reclaimed),
        [2, 3]
      )
      const gained = (yield* lamportsOfRelayer) - before
      assert.isTrue(gained > 3n * rent - 40_000n && gained < 3n * rent, `${gained}`)
      const again = yield* reclaimed(hoursFromNow(1))
      assert.strictEqual(again.tally.reclaimed, 0)
      assert.deepStrictEqual(again.told, [])
    }).pipe(onFreshRecords)
  )

  it.effect("are found by their history, so that the same call pays nothing", () =>
    Effect.gen(function* () {
      const { held } = yield* SendWorld
      const { meant } = yield* sent()
      assert.strictEqual((yield* reclaimed(hoursFromNow(1))).tally.reclaimed, 1)
      const again = yield* Effect.provide(
        Effect.flatMap(called(meant), (later) => ended(later)),
        freshRecords()
      )
      assert.deepInclude(again, { status: "completed", recovered: true })
      assert.strictEqual(yield* held(meant.address), amountMicro)
    }).pipe(onFreshRecords)
  )

  it.effect("are none that a block made after the horizon, whatever the records say", () =>
    Effect.gen(function* () {
      const { submission } = yield* sent()
      const horizon = hoursFromNow(-1)
      const { tally } = yield* reclaimed(horizon)
      assert.deepInclude(tally, { reclaimed: 0, young: 1, unproven: 0 })
      const { terms } = submission
      const { standing } = yield* MarkRent
      assert.lengthOf(yield* standing(chainId, [{ ...terms, chainId }]), 1)
    }).pipe(onFreshRecords)
  )

  it.effect("are none of payments that are not final in the records", () =>
    Effect.gen(function* () {
      const { advance } = yield* LocalSolana
      const meant = yield* kept()
      const proposal = yield* called(meant)
      yield* look
      yield* advance(finality)
      // A final block has it, and nobody has looked.
      assert.deepInclude(yield* standing(proposal), { status: "executing" })
      assert.strictEqual((yield* reclaimed(hoursFromNow(1))).tally.reclaimed, 0)
      assert.deepInclude(yield* ended(proposal), { status: "completed", recovered: false })
      assert.strictEqual((yield* reclaimed(hoursFromNow(1))).tally.reclaimed, 1)
    }).pipe(onFreshRecords)
  )

  it.effect(
    "are known to no node that forgot, so older records sign nothing until they caught up",
    () =>
      Effect.gen(function* () {
        const { forget } = yield* LocalSolana
        const { held } = yield* SendWorld
        const { meant } = yield* sent()
        assert.strictEqual((yield* reclaimed(hoursFromNow(1))).tally.reclaimed, 1)
        yield* forget(true)
        let isBehind = true
        const horizon = { isBehind: Effect.sync(() => isBehind) }
        yield* Effect.gen(function* () {
          const again = yield* called(meant)
          assert.deepInclude(yield* ended(again, 3), { status: "executing" })
          assert.match((yield* standing(again)).statusReason ?? "", /bursar reconcile/u)
          assert.deepStrictEqual((yield* submissionOf(again)).journal, {})
          yield* forget(false)
          isBehind = false
          assert.deepInclude(yield* ended(again), { status: "completed", recovered: true })
        }).pipe(Effect.provideService(MarkHorizon, horizon), Effect.provide(freshRecords()))
        assert.strictEqual(yield* held(meant.address), amountMicro)
      }).pipe(onFreshRecords)
  )

  it.effect("are left where the node has forgotten which block made them", () =>
    Effect.gen(function* () {
      const { forget } = yield* LocalSolana
      yield* sent()
      yield* forget(true)
      assert.deepInclude((yield* reclaimed(hoursFromNow(1))).tally, { reclaimed: 0, unproven: 1 })
      yield* forget(false)
      assert.deepInclude((yield* reclaimed(hoursFromNow(1))).tally, { reclaimed: 1, unproven: 0 })
    }).pipe(onFreshRecords)
  )

  it.effect("wait for a relayer that can pay, and for a network that asks less", () =>
    Effect.gen(function* () {
      const { setPriority } = yield* LocalSolana
      yield* sent()
      yield* setPriority(100_001n)
      const stopped = yield* Effect.flip(reclaimed(hoursFromNow(1)))
      assert.match(stopped.message, /priority fee of 100001 .*limit of 100000/u)
      yield* setPriority(0n)
      assert.strictEqual((yield* reclaimed(hoursFromNow(1))).tally.reclaimed, 1)
    }).pipe(onFreshRecords)
  )
})
