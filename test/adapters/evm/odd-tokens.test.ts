/**
 * Approvals of tokens that surprise who approves them, as real contracts: what has not set exactly the allowance that
 * was meant has failed, whatever the token answers or logs.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as EvmHoldings from "../../../adapters/evm/holdings.ts"
import * as Address from "../../../core/chains/address.ts"
import { Holdings } from "../../../core/ports/holdings.ts"
import { AnvilChain, connectionTo } from "../../support/anvil.ts"
import { seedKeys, walletKeys, world } from "../../support/anvil-sending-chain.ts"
import {
  allowed,
  anApproval,
  called,
  calledAfter,
  callOf,
  ended,
  kept
} from "../../support/call-steps.ts"
import * as Rows from "../../support/rows.ts"
import { freshRecords } from "../../support/send-world.ts"
import * as Code from "../../support/token-code.ts"

/** A token of this code, at an address of its own. */
const token = Effect.fnUntraced(function* (code: string) {
  const address = Rows.anAddressKey()
  yield* (yield* AnvilChain).call("anvil_setCode", address, code)
  return address
})

/** What comes of approving it, and what the spender may take then. */
const approving = Effect.fnUntraced(function* (code: string) {
  const address = yield* token(code)
  const approval = { ...anApproval(), token: address }
  const proposal = yield* called({ ...kept(), approval })
  const { reason, status } = yield* ended(proposal)
  return { proposal, address, status, reason: reason ?? "", units: yield* allowed(proposal) }
})

const meant = 5_000_000n

const holdings = Layer.unwrap(
  Effect.map(AnvilChain, (chain) => EvmHoldings.layer([connectionTo(chain)]))
)

layer(
  Layer.mergeAll(
    holdings.pipe(Layer.provideMerge(world)),
    walletKeys(seedKeys().backend),
    freshRecords()
  )
)("approvals of odd tokens", (it) => {
  it.effect(
    "one that is plain, that keeps a fee, that rebases or takes permits idly allows what was meant",
    () =>
      Effect.gen(function* () {
        for (const code of [
          Code.plainToken,
          Code.permitToken,
          Code.feeToken,
          Code.rebasingToken,
          Code.idlePermitToken
        ]) {
          const { status, units } = yield* approving(code)
          assert.deepStrictEqual([status, units], ["completed", meant])
        }
      })
  )

  it.effect("one that answers nothing does it, and by way of zero alone changes it", () =>
    Effect.gen(function* () {
      const { address, proposal, status, units } = yield* approving(Code.byZeroToken)
      assert.deepStrictEqual([status, units], ["completed", meant])
      const { to: spender } = (yield* callOf(proposal)).terms
      const again = (amount: bigint) =>
        Effect.flatMap(
          calledAfter(proposal, {
            ...kept(),
            approval: { spender, token: address, units: amount }
          }),
          Effect.fnUntraced(function* (next) {
            return { next, ...(yield* ended(next)) }
          })
        )
      const refused = yield* again(7n)
      assert.strictEqual(refused.status, "failed")
      assert.match(refused.reason ?? "", /by way of zero/u)
      const { relayer } = yield* callOf(refused.next)
      assert.isNull(relayer)
      assert.strictEqual((yield* again(0n)).status, "completed")
      assert.strictEqual(yield* allowed(proposal), 0n)
      assert.strictEqual((yield* again(7n)).status, "completed")
      assert.strictEqual(yield* allowed(proposal), 7n)
    })
  )

  it.effect(
    "one that answers false, does nothing or allows more has failed, and is told as such",
    () =>
      Effect.gen(function* () {
        for (const code of [Code.falseToken, Code.idleToken, Code.generousToken]) {
          const { reason, status } = yield* approving(code)
          assert.strictEqual(status, "failed")
          assert.match(reason, /did not do what it was for/u)
        }
      })
  )

  it.effect("what these did is told as failed by records that find it again, too", () =>
    Effect.gen(function* () {
      for (const code of [Code.falseToken, Code.idleToken, Code.generousToken]) {
        const meant = { ...kept(), approval: { ...anApproval(), token: yield* token(code) } }
        const found = Effect.gen(function* () {
          const proposal = yield* called(meant)
          return { ...(yield* ended(proposal)), call: yield* callOf(proposal) }
        }).pipe(Effect.provide(freshRecords()))
        const first = yield* found
        const again = yield* found
        assert.strictEqual(again.status, "failed")
        assert.strictEqual(again.reason, first.reason)
        assert.deepStrictEqual(again.call.txIds, first.call.txIds)
        assert.deepStrictEqual(again.call.journal, {})
      }
    })
  )

  it.effect("an address without a contract allows nothing", () =>
    Effect.gen(function* () {
      const { reason, status } = yield* approving("0x")
      assert.strictEqual(status, "failed")
      assert.match(reason, /did not do what it was for/u)
    })
  )

  it.effect(
    "one of other decimals than are known of it has no balance that anybody is sure of",
    () =>
      Effect.gen(function* () {
        const { balances } = yield* Holdings
        const address = yield* token(Code.twoDecimalsToken)
        const holder = Address.shown("local", Rows.anAddressKey())
        const asked = (decimals: number) => balances("local", [holder], [{ address, decimals }])
        assert.deepStrictEqual(yield* asked(18), [[undefined]])
        assert.deepStrictEqual(yield* asked(2), [[0n]])
      })
  )
})
