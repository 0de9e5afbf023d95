/** Books of a merchant who was paid by signature, on both families of chains, closed in memory and computed by hledger itself. */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import * as Books from "../../support/bookkeeping.ts"
import * as Steps from "../../support/settlement-steps.ts"
import * as Signed from "../../support/signed-on-solana.ts"

const passes = Effect.gen(function* () {
  const { mine } = yield* ChainScript
  for (let turn = 0; turn < 2; turn++) {
    yield* mine(6)
    yield* Steps.watch
    yield* TestClock.adjust("1 hour")
  }
})

/** A request that was paid by what its payer signed, and nobody else's money on the same vault. */
const settled = Effect.fnUntraced(function* (family: typeof Signed | typeof Steps) {
  const { request, vault } = yield* family.aRequest()
  yield* passes
  const from = yield* DateTime.now
  // A day of fees is in the books of the period in which it begins.
  yield* TestClock.adjust("1 day")
  yield* passes
  const answer = yield* Steps.paid(request, yield* family.funded(request))
  assert.strictEqual(answer.outcome, "paid")
  yield* Steps.ended
  yield* passes
  assert.deepInclude(yield* Steps.now(request), { status: "paid", method: "x402" })
  const to = yield* DateTime.now
  yield* passes
  const [transfer] = yield* Steps.transfersOf(request)
  return { vault, period: { from, to }, txHash: transfer?.txHash ?? "no transaction" }
})

const families = [
  ["local", Steps],
  [Signed.chainId, Signed]
] as const

for (const [chainId, family] of families) {
  it.effect(`a payment by signature on ${chainId} is in the books as any other`, () =>
    Effect.gen(function* () {
      const { period, txHash, vault } = yield* settled(family)
      const { movements, text } = yield* Books.booksOf(vault.accountId, period, "hledger")
      const verdict = Books.checked(text)
      assert.deepStrictEqual([verdict.status, verdict.stderr], [0, ""], text)
      assert.strictEqual(movements, 1)
      assert.match(text, /kind:\s*payment/u)
      assert.include(text, `tx: ${txHash}`, text)
      const held = yield* Steps.held(vault.address)
      assert.strictEqual(held, Steps.amountMicro)
      const inDollars = `${(Number(held) / 1e6).toFixed(6)} USDC`
      assert.include(Books.hledgerBalance(text, vault.id.slice(-12)), inDollars)
      // What the relayer paid for it stands apart: it is no money of the vault.
      assert.match(Books.hledgerBalance(text, "Expenses:Network"), /0\.0*[1-9]\d* "?\w+/u, text)
    }).pipe(
      Effect.provide(
        Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain([chainId]) }, 1)
      )
    )
  )
}
