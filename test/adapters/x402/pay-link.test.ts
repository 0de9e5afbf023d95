/** A payment link as clients of x402 meet it: who gets the page, who the challenge, and how a payment is turned down. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Wiring from "../../../apps/testing/wiring.ts"
import type { PaymentRequest } from "../../../core/payments/request.ts"
import { Events } from "../../../core/webhooks/delivery-store.ts"
import * as LinkServer from "../../support/payment-link-server.ts"
import * as Rows from "../../support/rows.ts"
import * as Steps from "../../support/settlement-steps.ts"
import * as SignedPayments from "../../support/signed-payments.ts"

const world = Layer.suspend(() => SignedPayments.world())

/** What the merchant was told of payments that were turned down. */
const told = Effect.fnUntraced(function* ({ accountId, pid }: PaymentRequest) {
  const filter = { type: "payment_request.payment_failed", pid } as const
  const { rows } = yield* (yield* Events).list(accountId, filter, { limit: 100 })
  return rows.map(({ body }) => JSON.parse(body).data.object.failure)
})

const wayward = (changed: PaymentRequest["status"]) =>
  Steps.aRequest({
    status: changed,
    ...(changed === "paid" ? { receivedMicro: 10n ** 7n } : {})
  })

layer(world, { excludeTestServices: true })("a payment link", (it) => {
  it.effect("shows its page to a browser and asks every other client to pay", () =>
    Effect.gen(function* () {
      const { request, vault } = yield* Steps.aRequest({ description: "Zwölf Kaffee ☕" })
      const accept = "text/html,application/xhtml+xml,*/*;q=0.8"
      const page = yield* LinkServer.fetched(request.pid, { headers: { accept } })
      assert.strictEqual(page.status, 200)
      assert.match(page.headers.get("content-type") ?? "", /^text\/html/u)
      for (const init of [{}, { headers: { accept: "application/json" } }, { method: "POST" }]) {
        const asked = yield* LinkServer.fetched(request.pid, init)
        assert.strictEqual(asked.status, 402)
        assert.strictEqual(asked.headers.get("cache-control"), "private, no-store")
        assert.deepInclude(asked.body.error, {
          code: "PAYMENT_REQUIRED",
          type: "payment_required",
          outcome: "not_executed"
        })
        const { accepts, resource } = asked.said("payment-required")
        assert.deepStrictEqual(resource, {
          url: `${Wiring.siteUrl}/pay/${request.pid}`,
          description: "Zwölf Kaffee ☕",
          mimeType: "application/json"
        })
        assert.lengthOf(accepts, 1)
        assert.deepInclude(accepts[0], {
          scheme: "exact",
          network: "eip155:31337",
          amount: "10000000",
          payTo: vault.address.toLowerCase()
        })
        assert.deepInclude(accepts[0].extra, { name: "USD Coin", version: "2" })
      }
      const missing = yield* LinkServer.fetched(Rows.aPid())
      assert.deepInclude(missing.body.error, { code: "NOT_FOUND" })
    })
  )

  it.effect("that is closed takes no payment, and says why in both languages", () =>
    Effect.gen(function* () {
      const cases = [
        [yield* wayward("paid"), "ALREADY_SETTLED", "payment_request_paid"],
        [yield* wayward("expired"), "PAYMENT_REQUEST_NOT_OPEN", "payment_request_expired"],
        [yield* wayward("cancelled"), "PAYMENT_REQUEST_NOT_OPEN", "payment_request_cancelled"],
        [
          yield* Steps.aRequest({ expiresAt: Rows.at(-1_000_000_000) }),
          "PAYMENT_REQUEST_NOT_OPEN",
          "payment_request_expired"
        ]
      ] as const
      for (const [{ request, vault }, code, reason] of cases) {
        const bare = yield* LinkServer.fetched(request.pid)
        assert.strictEqual(bare.status, 409)
        assert.strictEqual(bare.body.error.code, code)
        const { authorization } = yield* Steps.funded(request)
        const refused = yield* SignedPayments.sent(request, authorization)
        assert.strictEqual(refused.status, 409)
        assert.deepInclude(refused.said("payment-response"), {
          success: false,
          errorReason: reason
        })
        assert.strictEqual(yield* Steps.held(vault.address), 0n)
      }
      assert.deepStrictEqual(yield* told(cases[1][0].request), [
        { reason: "expired", method: "x402" }
      ])
      assert.deepStrictEqual(yield* told(cases[2][0].request), [
        { reason: "cancelled", method: "x402" }
      ])
    })
  )

  it.effect("turns down what is not the payment it asked for, and asks again", () =>
    Effect.gen(function* () {
      const { request } = yield* Steps.aRequest()
      const { authorization: good } = yield* Steps.funded(request)
      const wrong = yield* Steps.funded(request, { amountMicro: 9_000_000n })
      const other =
        (url: unknown): SignedPayments.Change =>
        (payload) => {
          payload.resource = { url }
        }
      const network: SignedPayments.Change = ({ accepted }) => {
        accepted.network = "eip155:1"
      }
      const replies = [
        [
          yield* SignedPayments.sent(request, wrong.authorization),
          "invalid_exact_evm_payload_authorization_value"
        ],
        [
          yield* SignedPayments.sent(request, { ...good, signature: `0x${"11".repeat(65)}` }),
          "invalid_exact_evm_payload_signature"
        ],
        [
          yield* SignedPayments.sent(request, good, other("https://elsewhere.example/x")),
          "invalid_resource"
        ],
        [yield* SignedPayments.sent(request, good, network), "invalid_network"],
        // What no database could keep beside the payment.
        [
          yield* SignedPayments.sent(request, good, other("https://x.example/\u0000")),
          "invalid_payload"
        ],
        [
          yield* SignedPayments.sent(request, good, other("https://x.example/\ud800")),
          "invalid_payload"
        ],
        [
          yield* LinkServer.fetched(request.pid, { headers: { "payment-signature": "garbage!!" } }),
          "invalid_payload"
        ]
      ] as const
      for (const [reply, reason] of replies) {
        assert.strictEqual(reply.status, 402)
        assert.strictEqual(reply.body.error.details.reason, reason)
        assert.strictEqual(reply.said("payment-required").error, reason)
        assert.strictEqual(reply.said("payment-required").accepts[0].amount, "10000000")
        assert.deepInclude(reply.said("payment-response"), {
          success: false,
          errorReason: reason,
          transaction: ""
        })
      }
      assert.strictEqual((yield* Steps.now(request)).status, "open")
      assert.sameDeepMembers(yield* told(request), [
        { reason: "wrong_amount", method: "x402" },
        { reason: "bad_signature", method: "x402" }
      ])
    })
  )

  it.effect(
    "turns down a right signature for an offer that was never made, and takes it for its own",
    () =>
      Effect.gen(function* () {
        const { request, vault } = yield* Steps.aRequest()
        const { authorization } = yield* Steps.funded(request)
        const elsewhere = Rows.anAddress()
        const named = { name: "USD Coin", version: "2" }
        const altered: ReadonlyArray<readonly [field: string, value: unknown]> = [
          ["amount", "1"],
          ["amount", "10000001"],
          ["asset", elsewhere],
          ["payTo", elsewhere],
          ["maxTimeoutSeconds", 181],
          ["maxTimeoutSeconds", undefined],
          ["extra", undefined],
          ["extra", null],
          ["extra", { ...named, name: "USDC" }],
          ["extra", { ...named, version: "1" }],
          ["extra", { name: "USD Coin" }],
          ["extra", { version: "2" }]
        ]
        for (const [field, value] of altered) {
          const reply = yield* SignedPayments.sent(request, authorization, ({ accepted }) => {
            accepted[field] = value
          })
          assert.strictEqual(reply.status, 402)
          const { details, message } = reply.body.error
          assert.deepStrictEqual(
            [field, details.reason],
            [field, "invalid_payment_requirements"],
            message
          )
          assert.strictEqual(reply.said("payment-required").accepts[0].amount, "10000000")
          assert.strictEqual(
            reply.said("payment-response").errorReason,
            "invalid_payment_requirements"
          )
        }
        assert.strictEqual((yield* Steps.now(request)).status, "open")
        assert.deepStrictEqual(yield* told(request), [])
        const scheme = yield* SignedPayments.sent(request, authorization, ({ accepted }) => {
          accepted.scheme = "upto"
        })
        assert.strictEqual(scheme.body.error.details.reason, "invalid_payload")
        const own = yield* SignedPayments.sent(request, authorization, ({ accepted }) => {
          // As wallets write addresses, and with what another version of the protocol may add.
          accepted.payTo = vault.address
          accepted.stray = "stray"
        })
        assert.strictEqual(own.body.error.details.reason, "settlement_pending")
      })
  )

  it.effect("tells its merchant of a payload once, and of five at most, whoever floods it", () =>
    Effect.gen(function* () {
      const { request } = yield* Steps.aRequest()
      const { authorization } = yield* Steps.signed(request)
      const spoilt = (at: number) => ({
        ...authorization,
        signature: `0x${String(10 + at).repeat(65)}`
      })
      const first = Array.from({ length: 8 }, () => SignedPayments.sent(request, spoilt(0)))
      yield* Effect.all(first, { concurrency: "unbounded" })
      assert.lengthOf(yield* told(request), 1)
      const flood = Array.from({ length: 24 }, (_, at) => SignedPayments.sent(request, spoilt(at)))
      const replies = yield* Effect.all(flood, { concurrency: "unbounded" })
      assert.isTrue(replies.every(({ status }) => status === 402))
      assert.lengthOf(yield* told(request), 5)
    })
  )

  it.effect("says that a payment is on its way, and the same header hears of its end", () =>
    Effect.gen(function* () {
      const { request } = yield* Steps.aRequest()
      const { authorization } = yield* Steps.funded(request)
      const early = yield* SignedPayments.sent(request, authorization)
      assert.strictEqual(early.status, 402)
      assert.deepInclude(early.said("payment-response"), {
        success: false,
        errorReason: "settlement_pending",
        transaction: ""
      })
      assert.strictEqual(early.body.error.outcome, "unknown")
      assert.isNull(early.headers.get("payment-required"))
      yield* Steps.look
      const handedOver = (yield* SignedPayments.sent(request, authorization)).said(
        "payment-response"
      )
      assert.strictEqual(handedOver.errorReason, "settlement_pending")
      assert.match(handedOver.transaction, /^0x[0-9a-f]{64}$/u)
      yield* Steps.ended
      const late = yield* SignedPayments.sent(request, authorization)
      assert.strictEqual(late.status, 200)
      assert.deepInclude(late.said("payment-response"), {
        success: true,
        transaction: handedOver.transaction,
        payer: authorization.from
      })
      assert.deepInclude(late.body.data, { status: "paid", method: "x402" })
      assert.deepStrictEqual(yield* told(request), [])
    })
  )
})
