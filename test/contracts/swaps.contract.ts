/**
 * What a swap by a wallet's own transaction does, whatever the venue answers, the network loses or the price does: what is
 * sold is sold once, and never below what was signed for. The same statements hold on the scripted chain and on the real
 * virtual machine.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Logger, References } from "effect"
import { SwapVenues } from "../../core/ports/swap-venue.ts"
import * as Journal from "../../core/solana/journal.ts"
import { maxTries } from "../../core/solana/prepare-swap.ts"
import { SolanaRelay } from "../../core/solana/relay.ts"
import { isRecovered } from "../../core/submissions/submission.ts"
import { look } from "../support/send-steps.ts"
import { freshRecords, SendWorld } from "../support/send-world.ts"
import { journalOf, queued, submissionOf } from "../support/solana-swaps.ts"
import {
  apart,
  begun,
  ended,
  type Ground,
  isSoldOnce,
  isUntouched,
  meant,
  SwapWorld
} from "../support/swap-world.ts"

/** What the operator hears meanwhile. */
const heard = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const lines: Array<string> = []
  const hearing = Logger.make(({ message }) => void lines.push(String(message)))
  const after = yield* effect.pipe(
    Effect.provideService(References.MinimumLogLevel, "Error"),
    Effect.provide(Logger.layer([hearing]))
  )
  return { after, lines }
})

export const suite = (name: string, ground: Layer.Layer<Ground>) =>
  layer(ground, { timeout: "60 seconds" })(`${name}: swaps by transactions`, (it) => {
    it.effect(
      "a token is bought for at least a fresh quote less slippage, and what came is kept",
      () =>
        Effect.gen(function* () {
          const one = yield* begun()
          const after = yield* ended(one)
          assert.deepInclude(after, { status: "final", reason: null })
          const bought = yield* isSoldOnce(one)
          const { minimum, networkFee = 0n, received } = Journal.read(after)
          assert.strictEqual(received, bought)
          // Two signatures, and what was bid beside them.
          assert.isTrue(networkFee >= 10_000n && networkFee < 100_000n)
          // The floor was 150; a fresh quote less half a percent is more.
          assert.isTrue(minimum !== undefined && minimum > 195_000_000n && bought >= minimum)
        }).pipe(apart)
    )

    it.effect("one token is sold for another, by one transaction", () =>
      Effect.gen(function* () {
        const { first, second } = yield* SwapWorld
        const one = yield* begun({ sell: first, buy: second, minBuyAmount: 200_000_000n })
        const after = yield* ended(one)
        assert.deepInclude(after, { status: "final" })
        assert.lengthOf(after.txIds, 1)
        yield* isSoldOnce(one)
      }).pipe(apart)
    )

    it.effect("what is bought for another wallet is that wallet's", () =>
      Effect.gen(function* () {
        const { unitsOf } = yield* SwapWorld
        const receiver = yield* (yield* SendWorld).someone
        const one = yield* begun({}, receiver)
        const after = yield* ended(one)
        assert.deepInclude(after, { status: "final" })
        const { received } = Journal.read(after)
        assert.strictEqual(yield* unitsOf(receiver, one.swap.buy), received)
        assert.strictEqual(yield* unitsOf(one.wallet, one.swap.buy), 0n)
      }).pipe(apart)
    )

    it.effect("a quote below the floor ends it, and nothing is signed", () =>
      Effect.gen(function* () {
        const one = yield* begun({ minBuyAmount: 250_000_000n })
        const after = yield* ended(one)
        assert.deepInclude(after, { status: "failed", txIds: [] })
        assert.match(after.reason ?? "", /less than the minimum that was approved/u)
        yield* isUntouched(one)
      }).pipe(apart)
    )

    it.effect("a venue that is away, busy or says what nobody asked is waited for", () =>
      Effect.gen(function* () {
        const { becomes } = yield* SwapWorld
        const one = yield* begun()
        for (const mood of ["away", "busy", "lies"] as const) {
          yield* becomes(mood)
          yield* look
          const waiting = yield* submissionOf(one)
          assert.deepInclude(waiting, { status: "prepared", journal: {} })
          assert.match(waiting.reason ?? "", /does not answer/u)
        }
        yield* isUntouched(one)
        yield* becomes("answers")
        assert.deepInclude(yield* ended(one), { status: "final" })
        yield* isSoldOnce(one)
      }).pipe(apart)
    )

    it.effect("a venue that names no way ends it, and nothing is signed", () =>
      Effect.gen(function* () {
        const { becomes } = yield* SwapWorld
        const one = yield* begun()
        yield* becomes("builds nothing")
        assert.deepInclude(yield* ended(one), { status: "failed", txIds: [] })
        yield* isUntouched(one)
      }).pipe(apart)
    )

    it.effect(
      "a way by which a stranger is paid gets no signature, and the operator hears it",
      () =>
        Effect.gen(function* () {
          const { becomes } = yield* SwapWorld
          const one = yield* begun()
          yield* becomes("pays a stranger")
          const { after, lines } = yield* heard(ended(one))
          assert.deepInclude(after, { status: "failed", txIds: [] })
          assert.match(after.reason ?? "", /was not signed; the operator is alerted/u)
          assert.lengthOf(lines, maxTries)
          for (const line of lines) assert.match(line, /was not signed: /u)
          yield* isUntouched(one)
        }).pipe(apart)
    )

    it.effect("past the time it was approved until, nothing is signed", () =>
      Effect.gen(function* () {
        const one = yield* begun({ notAfter: -1 })
        assert.deepInclude(yield* ended(one), { status: "failed", txIds: [] })
        yield* isUntouched(one)
      }).pipe(apart)
    )

    it.effect("too little of what is sold ends it before anything is signed", () =>
      Effect.gen(function* () {
        const swap = yield* meant()
        const { give, unitsOf } = yield* SwapWorld
        const { proposal, wallet } = yield* queued(swap)
        yield* give(swap.sell, wallet, swap.sellAmount - 1n)
        const after = yield* ended({ proposal })
        assert.deepInclude(after, { status: "failed", txIds: [] })
        assert.match(after.reason ?? "", /too little of what is sold/u)
        assert.strictEqual(yield* unitsOf(wallet, swap.sell), swap.sellAmount - 1n)
      }).pipe(apart)
    )

    it.effect(
      "a price that moves before the transaction lands sells nothing; it is tried again",
      () =>
        Effect.gen(function* () {
          const { late, worsen } = yield* SwapWorld
          const { holdFinality, next } = yield* SendWorld
          const one = yield* begun()
          yield* holdFinality(true)
          yield* late(true)
          yield* look
          const first = yield* journalOf(one)
          assert.strictEqual(first.tries, 1)
          yield* worsen
          yield* late(false)
          for (let passed = 0; passed < 4; passed++) yield* next
          yield* look
          // That it failed is not final yet.
          const { txIds } = yield* submissionOf(one)
          assert.deepStrictEqual(
            txIds,
            first.attempts.map(({ txId }) => txId)
          )
          yield* isUntouched(one)
          yield* holdFinality(false)
          const after = yield* ended(one)
          assert.deepInclude(after, { status: "final" })
          assert.strictEqual(Journal.read(after).tries, 2)
          yield* isSoldOnce(one)
        }).pipe(apart)
    )

    it.effect("it is tried three times at most, each when the one before is dead at finality", () =>
      Effect.gen(function* () {
        const { lose, outlast, settle } = yield* SendWorld
        const one = yield* begun()
        yield* lose(true)
        const wires = new Set<string>()
        for (let attempt = 1; attempt <= maxTries; attempt++) {
          yield* look
          const { attempts, tries } = yield* journalOf(one)
          assert.strictEqual(tries, attempt)
          assert.lengthOf(attempts, 1)
          wires.add(attempts[0]?.wire ?? "")
          yield* outlast
          yield* look
          // No block takes it any more, but none that does so is final: nothing else is signed.
          assert.deepStrictEqual((yield* journalOf(one)).attempts, attempts)
          yield* settle
          yield* look
        }
        assert.strictEqual(wires.size, maxTries)
        yield* lose(false)
        const after = yield* ended(one)
        assert.deepInclude(after, { status: "failed" })
        assert.match(after.reason ?? "", /tried 3 times and nothing was sold/u)
        yield* isUntouched(one)
      }).pipe(apart)
    )

    it.effect(
      "an answer that is lost is looked for on the chain, and the swap is found there",
      () =>
        Effect.gen(function* () {
          const { loseNextReply } = yield* SendWorld
          const one = yield* begun()
          yield* loseNextReply
          const after = yield* ended(one)
          assert.deepInclude(after, { status: "final" })
          assert.strictEqual(Journal.read(after).tries, 1)
          yield* isSoldOnce(one)
        }).pipe(apart)
    )

    it.effect("what a fork drops was not sold; the same bytes sell it, and once", () =>
      Effect.gen(function* () {
        const { dropNewest, next } = yield* SendWorld
        const one = yield* begun()
        yield* next
        yield* next
        yield* look
        yield* next
        yield* isSoldOnce(one)
        // The block that had it is gone: it was handed over, and is not there.
        yield* dropNewest
        yield* isUntouched(one)
        yield* look
        yield* look
        yield* next
        yield* isSoldOnce(one)
        const after = yield* ended(one)
        assert.deepInclude(after, { status: "final" })
        assert.strictEqual(Journal.read(after).tries, 1)
        yield* isSoldOnce(one)
      }).pipe(apart)
    )

    it.effect(
      "less than was signed for, were it ever to happen, is an alarm, and is what is told",
      () =>
        Effect.gen(function* () {
          const one = yield* begun()
          const relay = yield* SolanaRelay
          /** As if the program had let it happen. */
          const short: typeof relay = {
            ...relay,
            trace: (payment, attempts) =>
              Effect.map(relay.trace(payment, attempts), (trace) =>
                trace._tag !== "marked" || trace.found.bought === undefined
                  ? trace
                  : {
                      ...trace,
                      found: { ...trace.found, bought: { ...trace.found.bought, units: 7n } }
                    }
              )
          }
          const { after, lines } = yield* heard(
            Effect.provideService(ended(one), SolanaRelay, short)
          )
          assert.deepInclude(after, { status: "final" })
          assert.strictEqual(Journal.read(after).received, 7n)
          assert.lengthOf(lines, 1)
          assert.match(lines[0] ?? "", /bought 7 in .* less than the \d+ that were signed for/u)
        }).pipe(apart)
    )

    it.effect("two records that know nothing of each other sell once together", () =>
      Effect.gen(function* () {
        const { give, late, venues } = yield* SwapWorld
        const { next, settle } = yield* SendWorld
        const [one, other] = [
          yield* Layer.build(freshRecords()),
          yield* Layer.build(freshRecords())
        ]
        const on = <A, E, R>(records: typeof one, effect: Effect.Effect<A, E, R>) =>
          effect.pipe(Effect.provideService(SwapVenues, venues), Effect.provideContext(records))
        const eachLooks = Effect.andThen(on(one, look), on(other, look))
        const swap = yield* meant()
        const first = yield* on(one, queued(swap))
        // The same call; another slippage, so that the two transactions are two.
        const second = yield* on(other, queued({ ...swap, slippageBps: 100 }))
        yield* give(swap.sell, first.wallet, 2n * swap.sellAmount)
        // Both sign before either is in a block.
        yield* late(true)
        yield* eachLooks
        const signed = [yield* on(one, submissionOf(first)), yield* on(other, submissionOf(second))]
        assert.strictEqual(new Set(signed.flatMap(({ txIds }) => txIds)).size, 2)
        yield* late(false)
        for (let passed = 0; passed < 4; passed++) yield* next
        yield* settle
        for (let turn = 0; turn < 3; turn++) yield* Effect.andThen(eachLooks, settle)
        const ends = [yield* on(one, submissionOf(first)), yield* on(other, submissionOf(second))]
        assert.deepStrictEqual(
          ends.map(({ status }) => status),
          ["final", "final"]
        )
        yield* isSoldOnce({ swap, wallet: first.wallet })
      })
    )

    it.effect("records that have forgotten it find it by its identity, with what was bought", () =>
      Effect.gen(function* () {
        const { bought, swap, wallet } = yield* Effect.gen(function* () {
          const one = yield* begun()
          yield* ended(one)
          return { ...one, bought: yield* isSoldOnce(one) }
        }).pipe(apart)
        yield* Effect.gen(function* () {
          const again = yield* ended(yield* queued(swap))
          assert.strictEqual(again.status, "final")
          assert.strictEqual(Journal.read(again).received, bought)
          assert.isTrue(isRecovered(again))
        }).pipe(apart)
        yield* isSoldOnce({ swap, wallet })
      })
    )
  })
