/** A payer's signature settles once, whoever hands it in, how often, and whatever happens on the way. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import * as Usdc from "../../../core/money/usdc.ts"
import { pay } from "../../../core/payments/pay.ts"
import { find } from "../../../core/x402/settlement.ts"
import * as Value from "../../support/chain-values.ts"
import { memoryTreasury } from "../../support/memory-treasury.ts"
import * as Steps from "../../support/settlement-steps.ts"

layer(memoryTreasury)("a payment by signature", (it) => {
  it.effect("is paid once and answered alike, however many copies come at once (threat 29)", () =>
    Effect.gen(function* () {
      const { request, vault } = yield* Steps.aRequest()
      const payment = yield* Steps.funded(request)
      const copies = Array.from({ length: 64 }, () => pay(request, payment))
      const answers = yield* Steps.pushed(Effect.all(copies, { concurrency: "unbounded" }))
      const [first] = answers
      assert.strictEqual(first?.outcome, "paid")
      assert.isTrue(answers.every((each) => each.txHash === first?.txHash && each.id === first?.id))
      assert.lengthOf(first?.txIds ?? [], 1)
      assert.strictEqual(yield* Steps.held(vault.address), Steps.amountMicro)
      const paid = yield* Steps.now(request)
      const txHash = Value.transaction(first?.txHash ?? "")
      assert.deepInclude(paid, { status: "paid", method: "x402", txHash })
      assert.strictEqual(paid.payerAddress, payment.authorization.from)
      const again = yield* pay(request, payment)
      assert.deepStrictEqual(again.txHash, first?.txHash)
      assert.lengthOf(yield* Steps.transfersOf(request), 1)
    })
  )

  it.effect("makes its request processing before anything is handed to the chain", () =>
    Effect.gen(function* () {
      const { request } = yield* Steps.aRequest()
      const payment = yield* Steps.funded(request)
      const waiting = yield* Steps.pushed(pay(request, payment), 0)
      assert.isNull(waiting.outcome)
      assert.strictEqual((yield* Steps.now(request)).status, "processing")
      const other = yield* Steps.funded(request)
      const refused = yield* Effect.flip(pay(request, other))
      assert.strictEqual(refused._tag, "ALREADY_SETTLED")
      yield* Steps.ended
      assert.strictEqual((yield* Steps.now(request)).status, "paid")
      assert.strictEqual((yield* pay(request, payment)).outcome, "paid")
    })
  )

  it.effect("pays the request it was signed for, though a twin waits on the same vault", () =>
    Effect.gen(function* () {
      const { request: twin, vault } = yield* Steps.aRequest()
      const { request } = yield* Steps.aRequest({}, vault)
      const payment = yield* Steps.funded(request)
      const [mine, other] = yield* Steps.pushed(
        Effect.all([pay(request, payment), Steps.reasonOf(pay(twin, payment))], {
          concurrency: "unbounded"
        })
      )
      assert.strictEqual(mine.outcome, "paid")
      assert.strictEqual(other, "authorization_bound_elsewhere")
      assert.strictEqual((yield* Steps.now(request)).status, "paid")
      assert.strictEqual((yield* Steps.now(twin)).status, "open")
    })
  )

  it.effect("is not written down when the token would not take it", () =>
    Effect.gen(function* () {
      const { request } = yield* Steps.aRequest()
      const good = yield* Steps.signed(request)
      const spoilt = (change: object) => ({
        ...good,
        authorization: { ...good.authorization, ...change }
      })
      const cases = [
        [good, "insufficient_funds"],
        [spoilt({ signature: "0x00" }), "invalid_exact_evm_payload_signature"],
        [spoilt({ amountMicro: 1n }), "invalid_exact_evm_payload_authorization_value"],
        [spoilt({ to: good.authorization.from }), "invalid_exact_evm_payload_recipient_mismatch"],
        [spoilt({ token: good.authorization.from }), "invalid_exact_evm_payload_asset_mismatch"],
        [
          spoilt({ validBefore: good.authorization.validBefore - 178 }),
          "invalid_exact_evm_payload_authorization_valid_before"
        ],
        [
          spoilt({ validBefore: 90_000_000 }),
          "invalid_exact_evm_payload_authorization_valid_before"
        ],
        [
          spoilt({ validAfter: good.authorization.validBefore - 5 }),
          "invalid_exact_evm_payload_authorization_valid_after"
        ]
      ] as const
      for (const [payment, reason] of cases) {
        assert.strictEqual(yield* Steps.reasonOf(pay(request, payment)), reason)
      }
      assert.isUndefined(yield* find(good.authorization))
      assert.strictEqual((yield* Steps.now(request)).status, "open")
    })
  )

  it.effect("whose payer moves the money away fails, and can be handed in again later", () =>
    Effect.gen(function* () {
      const { request, vault } = yield* Steps.aRequest()
      const payment = yield* Steps.funded(request)
      const { from } = payment.authorization
      const waiting = yield* Steps.pushed(pay(request, payment), 0)
      assert.isNull(waiting.outcome)
      const { pay: send, fund } = yield* ChainScript
      yield* send({ from, to: `0x${"aa".repeat(20)}`, amountMicro: Steps.amountMicro })
      yield* Steps.ended
      const failed = yield* find(payment.authorization)
      assert.deepInclude(failed, { outcome: "failed", reason: "insufficient_funds" })
      assert.strictEqual((yield* Steps.now(request)).status, "open")
      yield* fund(from, Steps.amountMicro)
      assert.strictEqual((yield* Steps.paid(request, payment)).outcome, "paid")
      assert.strictEqual((yield* Steps.now(request)).status, "paid")
      assert.strictEqual(yield* Steps.held(vault.address), Steps.amountMicro)
    })
  )

  it.effect("that another relayer brought to the token first is paid by that transaction", () =>
    Effect.gen(function* () {
      const { request, vault } = yield* Steps.aRequest()
      yield* Steps.aRequest({}, vault)
      const payment = yield* Steps.funded(request)
      yield* Steps.watch
      yield* Steps.pushed(pay(request, payment), 0)
      const txHash = yield* Steps.settledElsewhere(payment.authorization)
      yield* Steps.ended
      const answer = yield* pay(request, payment)
      assert.deepInclude(answer, { outcome: "paid", txHash })
      const expected = {
        status: "paid",
        method: "x402",
        txHash: Value.transaction(txHash)
      } as const
      assert.deepInclude(yield* Steps.now(request), expected)
    })
  )

  it.effect("that was settled and taken by the watcher before it was handed in is refused", () =>
    Effect.gen(function* () {
      const { request } = yield* Steps.aRequest()
      const payment = yield* Steps.funded(request)
      yield* Steps.settledElsewhere(payment.authorization)
      assert.strictEqual(
        yield* Steps.reasonOf(pay(request, payment)),
        "invalid_exact_evm_nonce_already_used"
      )
      yield* Steps.ended
      assert.deepInclude(yield* Steps.now(request), { status: "paid", method: "direct" })
    })
  )

  it.effect("that a reorganisation drops stays on its way, and mined again pays once", () =>
    Effect.gen(function* () {
      const { request, vault } = yield* Steps.aRequest()
      const payment = yield* Steps.funded(request)
      yield* Steps.pushed(pay(request, payment), 0)
      const { mine, reorg } = yield* ChainScript
      yield* Steps.watch
      yield* Steps.look
      yield* mine(1)
      yield* Steps.watch
      assert.lengthOf(yield* Steps.transfersOf(request), 1)
      yield* reorg(1)
      yield* Steps.watch
      assert.strictEqual((yield* Steps.now(request)).status, "processing")
      yield* Steps.ended
      assert.strictEqual((yield* pay(request, payment)).outcome, "paid")
      assert.strictEqual((yield* Steps.now(request)).status, "paid")
      assert.strictEqual(yield* Steps.held(vault.address), Steps.amountMicro)
    })
  )

  it.effect("beside a direct payment in the same moment overpays its request, and says so", () =>
    Effect.gen(function* () {
      const { request, vault } = yield* Steps.aRequest()
      const payment = yield* Steps.funded(request)
      yield* Steps.watch
      yield* Steps.pushed(pay(request, payment), 0)
      yield* (yield* ChainScript).pay({ to: vault.address, amountMicro: Steps.amountMicro })
      yield* Steps.ended
      assert.deepInclude(yield* Steps.now(request), {
        status: "paid",
        settlementIssue: "overpaid",
        receivedMicro: Usdc.make(2n * Steps.amountMicro)
      })
    })
  )
})
