/** What is wrong with a swap, as whoever types it is told: the code, the flag's field, and a command that helps. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { SwapScript } from "../../../adapters/memory/swap-venue.ts"
import { argumentsOf } from "../../../apps/cli/command-line.ts"
import { gold, jup } from "../../../apps/testing/wiring.ts"
import * as Address from "../../../core/chains/address.ts"
import { operations } from "../../../core/treasury/operations.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"
import { ran } from "../../support/command-line.ts"
import { type Owner, owner } from "../../support/full-account.ts"
import type { Fields } from "../../support/surface-calls.ts"
import * as Surfaces from "../../support/surfaces.ts"
import { inputs } from "../../support/valid-inputs.ts"

const names = ["quote_swap", "propose_swap", "propose_solana_swap"] as const
type Name = (typeof names)[number]

type Told = readonly [code: string, param: string, next?: string]

/** Types the command with one thing wrong, and is told so and what to do, with the exit code of a refusal. */
const typed = Effect.fnUntraced(function* (
  own: Owner,
  name: Name,
  over: Fields,
  [code, param, next]: Told
) {
  const operation = operations.find((each) => each.name === name) ?? assert.fail(name)
  const words = argumentsOf(operation, { ...inputs[name](own), ...over })
  const environment = { BURSAR_URL: yield* Surfaces.Origin, BURSAR_API_KEY: own.apiKey }
  const { exitCode, stderr, stdout } = yield* ran(words, environment)
  // A write is given a key of its own, which it tells before it is sent.
  const lines = stderr.split("\n").filter((line) => !line.startsWith("To retry exactly"))
  const [first = "", field = "", help = ""] = lines
  assert.deepStrictEqual([exitCode, stdout], [1, ""], `${name}: ${stderr}`)
  assert.match(first, new RegExp(`^${code}: \\w+ .* .*[.]$`, "u"))
  assert.strictEqual(field, `  field: ${param}`)
  if (next !== undefined) assert.match(help, new RegExp(`^ {2}next: bursar ${next}`, "u"))
})

const nobody = `0x${"0e".repeat(20)}`

/** Another contract of the list that is called GOLD too. */
const twin = { ...gold, address: Address.shown("local", `0x${"92".repeat(20)}`) }

layer(Surfaces.layer({ tokens: [gold, twin, jup] }))(
  "a swap by a symbol that two tokens have",
  (it) => {
    it.effect("is told both, and goes on once the address says which", () =>
      Effect.gen(function* () {
        const own = yield* owner("user_75")
        const operation = operations.find(({ name }) => name === "quote_swap") ?? assert.fail()
        const { sellTokenAddress, ...input } = inputs.quote_swap(own) as Record<string, string>
        const environment = { BURSAR_URL: yield* Surfaces.Origin, BURSAR_API_KEY: own.apiKey }
        const refused = yield* ran(argumentsOf(operation, input), environment)
        assert.strictEqual(refused.exitCode, 1)
        assert.match(refused.stderr, /^TOKEN_MISMATCH: 2 tokens are called GOLD: /mu)
        for (const each of [gold, twin]) assert.include(refused.stderr, each.address)
        assert.include(refused.stderr, "send sellTokenAddress too")
        const named = yield* ran(
          argumentsOf(operation, { ...input, sellTokenAddress }),
          environment
        )
        assert.strictEqual(named.exitCode, 0, named.stderr)
      })
    )
  }
)

layer(Surfaces.layer({ callsAllowed: 100_000 }))("a swap that is typed wrong", (it) => {
  it.effect("names tokens that are unknown, do not match, or are one and the same", () =>
    Effect.gen(function* () {
      const own = yield* owner("user_70")
      const unlisted = (param: string): Told => ["TOKEN_NOT_VERIFIED", param, "discover-tokens"]
      const mismatch = (param: string): Told => ["TOKEN_MISMATCH", param, "discover-tokens"]
      const same: Told = ["INVALID_REQUEST", "buySymbol", "discover-tokens"]
      for (const name of ["quote_swap", "propose_swap"] as const) {
        const unknown = { buySymbol: "NONE", buyTokenAddress: nobody }
        yield* typed(own, name, unknown, unlisted("buyTokenAddress"))
        yield* typed(own, name, { buySymbol: "GOLD" }, mismatch("buyTokenAddress"))
        yield* typed(own, name, { buySymbol: "GOLD", buyTokenAddress: gold.address }, same)
      }
      const solana = "propose_solana_swap"
      yield* typed(own, solana, { sellSymbol: "USDC" }, mismatch("sellMint"))
      yield* typed(own, solana, { buySymbol: "JUP", buyMint: jup.address }, same)
    })
  )

  it.effect("is from a wallet of the other family, or of nobody here", () =>
    Effect.gen(function* () {
      const own = yield* owner("user_71")
      const evm = { fromWalletId: own.solanaWalletId }
      yield* typed(own, "propose_swap", evm, [
        "INVALID_REQUEST",
        "sellTokenAddress",
        "list-wallets"
      ])
      const solana = { fromWalletId: own.walletId, toWalletId: own.walletId }
      const other: Told = ["INVALID_REQUEST", "sellMint", "list-wallets"]
      yield* typed(own, "propose_solana_swap", solana, other)
      for (const name of names) {
        const missing: Told = ["NOT_FOUND", "fromWalletId", "list-wallets"]
        yield* typed(own, name, { fromWalletId: "w_none" }, missing)
      }
    })
  )

  it.effect("has slippage of 51, or an amount that is too small or too large", () =>
    Effect.gen(function* () {
      const own = yield* owner("user_72")
      const { minimum } = yield* SwapScript
      for (const name of names) {
        yield* typed(own, name, { slippagePercent: 51 }, ["INVALID_REQUEST", "slippagePercent"])
        yield* typed(own, name, { amountUsd: "0" }, ["INVALID_AMOUNT", "amountUsd"])
        const sold = name === "propose_solana_swap" ? jup : gold
        const token = Address.keyOf(sold.chainId, sold.address)
        yield* minimum(token, 10n ** 30n)
        yield* typed(own, name, {}, ["INVALID_AMOUNT", "amountUsd", "get-routing-guide"])
        yield* minimum(token, 1n)
      }
      for (const name of ["propose_swap", "propose_solana_swap"] as const) {
        const tooMuch: Told = ["INSUFFICIENT_BALANCE", "amountUsd", "list-wallets"]
        yield* typed(own, name, { amountUsd: "99999.00" }, tooMuch)
      }
    })
  )

  it.effect("stands on a quote that is used, over, or somebody else's", () =>
    Effect.gen(function* () {
      const [own, foreign] = [yield* owner("user_73"), yield* owner("user_74")]
      for (const name of ["propose_swap", "propose_solana_swap"] as const) {
        const quoteFor = (asker: Owner) =>
          Effect.map(
            callsOf(asker.caller).quote_swap(inputs[name](asker) as never),
            ({ quoteId }) => quoteId
          )
        const by = (previewQuoteId: string, code: string) =>
          typed(own, name, { previewQuoteId }, [code, "previewQuoteId", "quote-swap"])
        const used = yield* quoteFor(own)
        yield* callsOf(own.caller)[name]({ ...inputs[name](own), previewQuoteId: used } as never)
        yield* by(used, "QUOTE_EXPIRED")
        const old = yield* quoteFor(own)
        yield* TestClock.adjust("61 seconds")
        yield* by(old, "QUOTE_EXPIRED")
        yield* by(yield* quoteFor(foreign), "NOT_FOUND")
      }
    })
  )
})
