/**
 * What is wrong with a swap that is asked for, each with its own code, a sentence and `not_executed`, alike as a
 * function, over REST and as a tool; and what is offered as the next call succeeds when it is made as printed.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { SwapScript } from "../../adapters/memory/swap-venue.ts"
import { gold, jup } from "../../apps/testing/wiring.ts"
import { keyOf } from "../../core/chains/address.ts"
import { callsOf } from "../../core/treasury/treasury.ts"
import * as Value from "../support/chain-values.ts"
import { type Owner, owner } from "../support/full-account.ts"
import { refusedAt } from "../support/offered-calls.ts"
import { type Fields, overRest, overTools } from "../support/surface-calls.ts"
import * as Surfaces from "../support/surfaces.ts"
import { inputs } from "../support/valid-inputs.ts"

type Name = "quote_swap" | "propose_swap" | "propose_solana_swap"

const nobody = `0x${"0e".repeat(20)}`

/** Refused alike everywhere, by this code and field, offering this; the rest of the input is as it should be. */
const refused = Effect.fnUntraced(function* (
  own: Owner,
  name: Name,
  over: Fields,
  [code, param, next]: readonly [code: string, param: string, next?: string]
) {
  const input: Fields = { ...inputs[name](own), ...over }
  const offered = yield* refusedAt(name, input, own)
  assert.deepStrictEqual(
    offered.map((place) => place.split(" ").at(-1)),
    next === undefined ? [] : [next]
  )
  for (const said of [
    yield* overRest(name, input, own.apiKey),
    yield* overTools(name, input, own.apiKey)
  ]) {
    if (said.ok) return assert.fail(`${name} was not refused`)
    const { error } = said
    assert.deepInclude(error, { code, param, outcome: "not_executed" })
    assert.match(error.message, /^\w+ .* .*[.]$/u)
  }
})

layer(Surfaces.layer({ callsAllowed: 100_000 }))("a swap that cannot be", (it) => {
  it.effect("of tokens that are unknown, do not match, or are one and the same", () =>
    Effect.gen(function* () {
      const own = yield* owner("user_60")
      for (const name of ["quote_swap", "propose_swap"] as const) {
        const by = (over: Fields, wanted: readonly [string, string, string?]) =>
          refused(own, name, over, wanted)
        const unlisted = ["TOKEN_NOT_VERIFIED", "buyTokenAddress", "discover_tokens"] as const
        yield* by({ buySymbol: "NONE", buyTokenAddress: nobody }, unlisted)
        const mismatch = ["TOKEN_MISMATCH", "buyTokenAddress", "discover_tokens"] as const
        yield* by({ buySymbol: "GOLD" }, mismatch)
        const same = ["INVALID_REQUEST", "buySymbol", "discover_tokens"] as const
        yield* by({ buySymbol: "GOLD", buyTokenAddress: gold.address }, same)
        yield* by({ buyTokenAddress: "0x12" }, ["INVALID_ADDRESS", "buyTokenAddress"])
      }
      const solana = "propose_solana_swap"
      const unlisted = ["TOKEN_NOT_VERIFIED", "sellMint", "discover_tokens"] as const
      yield* refused(
        own,
        solana,
        { sellSymbol: "NONE", sellMint: "So11111111111111111111111111111111111111112" },
        unlisted
      )
      const mismatch = ["TOKEN_MISMATCH", "sellMint", "discover_tokens"] as const
      yield* refused(own, solana, { sellSymbol: "USDC" }, mismatch)
      const same = ["INVALID_REQUEST", "buySymbol", "discover_tokens"] as const
      yield* refused(own, solana, { buySymbol: "JUP", buyMint: jup.address }, same)
    })
  )

  it.effect("from a wallet of the other family, or of nobody here", () =>
    Effect.gen(function* () {
      const own = yield* owner("user_61")
      const evm = { fromWalletId: own.solanaWalletId }
      const elsewhere = ["INVALID_REQUEST", "sellTokenAddress", "list_wallets"] as const
      yield* refused(own, "propose_swap", evm, elsewhere)
      yield* refused(own, "quote_swap", { ...evm, toWalletId: own.solanaWalletId }, elsewhere)
      const solana = { fromWalletId: own.walletId, toWalletId: own.walletId }
      const other = ["INVALID_REQUEST", "sellMint", "list_wallets"] as const
      yield* refused(own, "propose_solana_swap", solana, other)
      const foreign = yield* owner("user_62")
      for (const name of ["quote_swap", "propose_swap", "propose_solana_swap"] as const) {
        const missing = ["NOT_FOUND", "fromWalletId", "list_wallets"] as const
        yield* refused(own, name, { fromWalletId: foreign.walletId }, missing)
      }
    })
  )

  it.effect(
    "with slippage outside 0 to 50, or an amount that is none, too small or too large",
    () =>
      Effect.gen(function* () {
        const own = yield* owner("user_63")
        const { minimum } = yield* SwapScript
        const sold = {
          quote_swap: Value.key(gold.address.toLowerCase()),
          propose_swap: Value.key(gold.address.toLowerCase()),
          propose_solana_swap: keyOf(jup.chainId, jup.address)
        }
        for (const name of ["quote_swap", "propose_swap", "propose_solana_swap"] as const) {
          for (const slippagePercent of [-0.01, 50.01, 0.125, "1"]) {
            yield* refused(own, name, { slippagePercent }, ["INVALID_REQUEST", "slippagePercent"])
          }
          for (const amountUsd of ["0", "-1", "1e3", "1.0000001"]) {
            yield* refused(own, name, { amountUsd }, ["INVALID_AMOUNT", "amountUsd"])
          }
          yield* minimum(sold[name], 10n ** 30n)
          yield* refused(own, name, {}, ["INVALID_AMOUNT", "amountUsd", "get_routing_guide"])
          yield* minimum(sold[name], 1n)
        }
        const tooMuch = ["INSUFFICIENT_BALANCE", "amountUsd", "list_wallets"] as const
        yield* refused(own, "propose_swap", { amountUsd: "99999.00" }, tooMuch)
        yield* refused(own, "propose_solana_swap", { amountUsd: "99999.00" }, tooMuch)
      })
  )

  it.effect("by a quote that is over, used, for something else, or somebody else's", () =>
    Effect.gen(function* () {
      const [own, foreign] = [yield* owner("user_64"), yield* owner("user_65")]
      for (const name of ["propose_swap", "propose_solana_swap"] as const) {
        const quoteFor = (asker: Owner) =>
          Effect.map(
            callsOf(asker.caller).quote_swap(inputs[name](asker) as never),
            ({ quoteId }) => quoteId
          )
        const by = (
          previewQuoteId: string,
          over: Fields,
          wanted: readonly [string, string, string]
        ) => refused(own, name, { ...over, previewQuoteId }, wanted)
        const expired = ["QUOTE_EXPIRED", "previewQuoteId", "quote_swap"] as const
        const mismatch = ["QUOTE_MISMATCH", "previewQuoteId", "quote_swap"] as const
        const used = yield* quoteFor(own)
        const input = { ...inputs[name](own), previewQuoteId: used }
        yield* callsOf(own.caller)[name](input as never)
        yield* by(used, {}, expired)
        const other = yield* quoteFor(own)
        yield* by(other, { amountUsd: "25.01" }, mismatch)
        yield* by(other, { slippagePercent: 1 }, mismatch)
        yield* TestClock.adjust("61 seconds")
        yield* by(other, {}, expired)
        const theirs = yield* quoteFor(foreign)
        yield* by(theirs, {}, ["NOT_FOUND", "previewQuoteId", "quote_swap"])
      }
    })
  )
})
