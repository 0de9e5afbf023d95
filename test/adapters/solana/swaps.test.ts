/**
 * Swaps on the local Solana, on the real virtual machine: what is sold is sold once and never below what was signed
 * for, whatever the venue answers, the network loses or the price does.
 */
import { assert, layer } from "@effect/vitest"
import { generateKeyPairSigner } from "@solana/kit"
import { Effect, Logger, References } from "effect"
import type { Build } from "../../../apps/sandbox/solana/aggregator.ts"
import { LocalSolana } from "../../../apps/sandbox/solana/local-solana.ts"
import * as Journal from "../../../core/solana/journal.ts"
import { maxTries } from "../../../core/solana/prepare-swap.ts"
import { SolanaRelay } from "../../../core/solana/relay.ts"
import { isRecovered } from "../../../core/submissions/submission.ts"
import { solana } from "../../support/real-send-worlds.ts"
import { look } from "../../support/send-steps.ts"
import { freshRecords, SendWorld } from "../../support/send-world.ts"
import * as Swaps from "../../support/solana-swaps.ts"

const hashLife = 151
const finality = 33

const apart = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Swaps.atTheVenue(effect).pipe(
    Effect.ensuring(
      Effect.gen(function* () {
        const { market, setFault, setWeather } = yield* LocalSolana
        yield* market.twist()
        yield* setWeather("clear")
        yield* setFault()
      })
    ),
    Effect.provide(freshRecords())
  )

/** Nothing was sold, and nothing lies in the account of what was to be bought. */
const isUntouched = Effect.fnUntraced(function* ({
  swap,
  wallet
}: {
  readonly swap: Swaps.Meant
  readonly wallet: string
}) {
  assert.strictEqual(yield* Swaps.unitsOf(wallet, swap.sell), 2n * swap.sellAmount)
  assert.strictEqual(yield* Swaps.unitsOf(wallet, swap.buy), 0n)
})

/** Sold once, for at least the floor. */
const isSoldOnce = Effect.fnUntraced(function* ({
  swap,
  wallet
}: {
  readonly swap: Swaps.Meant
  readonly wallet: string
}) {
  assert.strictEqual(yield* Swaps.unitsOf(wallet, swap.sell), swap.sellAmount)
  const bought = yield* Swaps.unitsOf(wallet, swap.buy)
  assert.isTrue(bought >= swap.minBuyAmount)
  return bought
})

layer(solana)("swaps on Solana", (it) => {
  it.effect(
    "a token is bought for at least a fresh quote less slippage, and what came is kept",
    () =>
      Effect.gen(function* () {
        const begun = yield* Swaps.begun()
        const after = yield* Swaps.ended(begun)
        assert.deepInclude(after, { status: "final", reason: null })
        const bought = yield* isSoldOnce(begun)
        const { minimum, networkFee = 0n, received } = Journal.read(after)
        assert.strictEqual(received, bought)
        // Two signatures, and what was bid beside them.
        assert.isTrue(networkFee >= 10_000n && networkFee < 100_000n)
        // The floor was 150; a fresh quote less half a percent is more.
        assert.isTrue(minimum !== undefined && minimum > 195_000_000n && bought >= minimum)
      }).pipe(apart)
  )

  it.effect("a token is sold for another through USDC, by one transaction", () =>
    Effect.gen(function* () {
      const [sell, buy] = [yield* Swaps.mintOf("JUP"), yield* Swaps.mintOf("JitoSOL")]
      const begun = yield* Swaps.begun({ sell, buy, minBuyAmount: 200_000_000n })
      const after = yield* Swaps.ended(begun)
      assert.deepInclude(after, { status: "final" })
      assert.lengthOf(after.txIds, 1)
      yield* isSoldOnce(begun)
    }).pipe(apart)
  )

  it.effect("a large sale is split over two pools by the other router, and sold once", () =>
    Effect.gen(function* () {
      const { market } = yield* LocalSolana
      const sold = 100_000_000_000n
      const begun = yield* Swaps.begun({ sellAmount: sold, minBuyAmount: (sold * 3n) / 2n })
      yield* market.twist((build) => {
        assert.strictEqual(build.router, "okx")
        return build
      })
      const after = yield* Swaps.ended(begun)
      assert.deepInclude(after, { status: "final", reason: null })
      assert.lengthOf(after.txIds, 1)
      const bought = yield* isSoldOnce(begun)
      const { minimum, received } = Journal.read(after)
      assert.strictEqual(received, bought)
      assert.isTrue(minimum !== undefined && bought >= minimum && minimum > begun.swap.minBuyAmount)
    }).pipe(apart)
  )

  it.effect("what is bought for another wallet lies in an account that was opened for it", () =>
    Effect.gen(function* () {
      const receiver = yield* Effect.promise(async () => (await generateKeyPairSigner()).address)
      const begun = yield* Swaps.begun({}, receiver)
      const after = yield* Swaps.ended(begun)
      assert.deepInclude(after, { status: "final" })
      const { received } = Journal.read(after)
      assert.strictEqual(yield* Swaps.unitsOf(receiver, begun.swap.buy), received)
      assert.strictEqual(yield* Swaps.unitsOf(begun.wallet, begun.swap.buy), 0n)
    }).pipe(apart)
  )

  it.effect("a quote below the floor ends it, and nothing is signed", () =>
    Effect.gen(function* () {
      const begun = yield* Swaps.begun({ minBuyAmount: 250_000_000n })
      const after = yield* Swaps.ended(begun)
      assert.deepInclude(after, { status: "failed", txIds: [] })
      assert.match(after.reason ?? "", /less than the minimum that was approved/u)
      yield* isUntouched(begun)
    }).pipe(apart)
  )

  it.effect("a venue that is away is waited for; one without a route, or a build, ends it", () =>
    Effect.gen(function* () {
      const { market } = yield* LocalSolana
      const begun = yield* Swaps.begun()
      for (const status of [500, 429]) {
        yield* market.twist(() => ({ status }))
        yield* look
        const waiting = yield* Swaps.submissionOf(begun)
        assert.deepInclude(waiting, { status: "prepared", journal: {} })
        assert.match(waiting.reason ?? "", /does not answer/u)
      }
      yield* market.twist(() => "hang up")
      yield* look
      assert.deepInclude(yield* Swaps.submissionOf(begun), { status: "prepared" })
      yield* market.twist((build) => ({ ...build, swapInstruction: null }))
      const after = yield* Swaps.ended(begun)
      assert.deepInclude(after, { status: "failed", txIds: [] })
      yield* isUntouched(begun)
    }).pipe(apart)
  )

  it.effect("an answer to another question is none", () =>
    Effect.gen(function* () {
      const { market } = yield* LocalSolana
      const begun = yield* Swaps.begun()
      const others: ReadonlyArray<(build: Build) => Build> = [
        (build) => ({ ...build, inAmount: "1" }),
        (build) => ({ ...build, outputMint: build.inputMint }),
        (build) => ({ ...build, inputMint: build.outputMint })
      ]
      for (const other of others) {
        yield* market.twist(other)
        yield* look
        assert.deepInclude(yield* Swaps.submissionOf(begun), { status: "prepared", journal: {} })
      }
      yield* isUntouched(begun)
    }).pipe(apart)
  )

  it.effect("past the time it was approved until, nothing is signed", () =>
    Effect.gen(function* () {
      const begun = yield* Swaps.begun({ notAfter: -1 })
      const after = yield* Swaps.ended(begun)
      assert.deepInclude(after, { status: "failed", txIds: [] })
      yield* isUntouched(begun)
    }).pipe(apart)
  )

  it.effect("too little of what is sold ends it before anything is signed", () =>
    Effect.gen(function* () {
      const begun = yield* Swaps.begun()
      const more = { ...begun.swap, sellAmount: 3n * begun.swap.sellAmount }
      const standing = yield* Swaps.queued({
        ...more,
        call: { ...more.call, idempotencyKey: "more" },
        accountId: (yield* Swaps.meant()).accountId
      })
      const after = yield* Swaps.ended(standing)
      assert.deepInclude(after, { status: "failed", txIds: [] })
      assert.match(after.reason ?? "", /too little of what is sold/u)
    }).pipe(apart)
  )

  it.effect(
    "a price that moves before the transaction lands sells nothing; it is tried again",
    () =>
      Effect.gen(function* () {
        const { advance, market, setWeather } = yield* LocalSolana
        const begun = yield* Swaps.begun()
        yield* setWeather({ lateSlots: 3n })
        yield* look
        const first = yield* Swaps.journalOf(begun)
        assert.strictEqual(first.tries, 1)
        yield* setWeather("clear")
        // USDC is worth 5 % less in the pool, so the hundred buy less than was signed for.
        const { usdc } = yield* LocalSolana
        yield* market.dilute(usdc, [100n, 100n])
        yield* market.dilute(begun.swap.sell, [105n, 100n])
        yield* advance(4)
        yield* look
        const { txIds } = yield* Swaps.submissionOf(begun)
        assert.deepStrictEqual(
          txIds,
          first.attempts.map(({ txId }) => txId)
        )
        yield* isUntouched(begun)
        const after = yield* Swaps.ended(begun)
        assert.deepInclude(after, { status: "final" })
        assert.strictEqual(Journal.read(after).tries, 2)
        yield* isSoldOnce(begun)
      }).pipe(apart)
  )

  it.effect("it is tried three times at most, each when the one before is dead at finality", () =>
    Effect.gen(function* () {
      const { advance } = yield* LocalSolana
      const { lose } = yield* SendWorld
      const begun = yield* Swaps.begun()
      yield* lose(true)
      const wires = new Set<string>()
      for (let attempt = 1; attempt <= maxTries; attempt++) {
        yield* look
        const { attempts, tries } = yield* Swaps.journalOf(begun)
        assert.strictEqual(tries, attempt)
        assert.lengthOf(attempts, 1)
        wires.add(attempts[0]?.wire ?? "")
        yield* advance(hashLife)
        yield* look
        // No block takes it any more, but none that does so is final: nothing else is signed.
        assert.deepStrictEqual((yield* Swaps.journalOf(begun)).attempts, attempts)
        yield* advance(finality)
        yield* look
      }
      assert.strictEqual(wires.size, maxTries)
      yield* lose(false)
      const after = yield* Swaps.ended(begun)
      assert.deepInclude(after, { status: "failed" })
      assert.match(after.reason ?? "", /tried 3 times and nothing was sold/u)
      // Whoever hands the old ones over again finds them dead.
      yield* isUntouched(begun)
    }).pipe(apart)
  )

  it.effect("an answer that is lost is looked for on the chain, and the swap is found there", () =>
    Effect.gen(function* () {
      const { loseNextReply } = yield* SendWorld
      const begun = yield* Swaps.begun()
      yield* loseNextReply
      const after = yield* Swaps.ended(begun)
      assert.deepInclude(after, { status: "final" })
      assert.strictEqual(Journal.read(after).tries, 1)
      yield* isSoldOnce(begun)
    }).pipe(apart)
  )

  it.effect(
    "the same bytes handed over again sell nothing again, and what a node took may be absent",
    () =>
      Effect.gen(function* () {
        const { advance, fork } = yield* LocalSolana
        const begun = yield* Swaps.begun()
        yield* advance(10)
        yield* look
        yield* advance(1)
        yield* isSoldOnce(begun)
        // The block that had it is gone: it was "sent", and is not there.
        yield* fork(2, "all")
        yield* isUntouched(begun)
        yield* look
        yield* look
        yield* isSoldOnce(begun)
        const after = yield* Swaps.ended(begun)
        assert.deepInclude(after, { status: "final" })
        assert.strictEqual(Journal.read(after).tries, 1)
        yield* isSoldOnce(begun)
      }).pipe(apart)
  )

  it.effect(
    "less than was signed for, were it ever to happen, is an alarm, and is what is told",
    () =>
      Effect.gen(function* () {
        const begun = yield* Swaps.begun()
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
        const lines: Array<string> = []
        const hearing = Logger.make(({ message }) => void lines.push(String(message)))
        const after = yield* Swaps.ended(begun).pipe(
          Effect.provideService(SolanaRelay, short),
          Effect.provideService(References.MinimumLogLevel, "Error"),
          Effect.provide(Logger.layer([hearing]))
        )
        assert.deepInclude(after, { status: "final" })
        assert.strictEqual(Journal.read(after).received, 7n)
        assert.lengthOf(lines, 1)
        assert.match(lines[0] ?? "", /bought 7 in .* less than the \d+ that were signed for/u)
      }).pipe(apart)
  )

  it.effect("records that have forgotten it find it by its mark, with what was bought", () =>
    Effect.gen(function* () {
      const begun = yield* Swaps.begun()
      yield* Swaps.ended(begun)
      const bought = yield* isSoldOnce(begun)
      const again = yield* Swaps.queued(begun.swap).pipe(
        Effect.flatMap((standing) => Swaps.ended(standing)),
        Swaps.atTheVenue,
        Effect.provide(freshRecords())
      )
      assert.strictEqual(again.status, "final")
      assert.strictEqual(Journal.read(again).received, bought)
      assert.isTrue(isRecovered(again))
      yield* isSoldOnce(begun)
    }).pipe(apart)
  )
})
