/**
 * Swaps on the local Solana, on the real virtual machine, keep the contract of swaps by transactions. What only the real
 * routers and the real aggregator have stands here: two pools in one route, and answers that are another question's.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { Build } from "../../../apps/sandbox/solana/aggregator.ts"
import { LocalSolana } from "../../../apps/sandbox/solana/local-solana.ts"
import * as Journal from "../../../core/solana/journal.ts"
import * as Contract from "../../contracts/swaps.contract.ts"
import { solana } from "../../support/real-send-worlds.ts"
import { look } from "../../support/send-steps.ts"
import { freshRecords } from "../../support/send-world.ts"
import * as Swaps from "../../support/solana-swaps.ts"
import { real } from "../../support/swap-world.ts"

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
})

Contract.suite("the local Solana", real)
