/** The two addresses where plans are sold: what is asked, what is taken, and how everything else is refused. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as RateLimits from "../../../adapters/memory/rate-limits.ts"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { Accounts } from "../../../core/accounts/account-store.ts"
import { authenticate } from "../../../core/accounts/authenticate.ts"
import { openAccount } from "../../../core/accounts/open.ts"
import * as Usdc from "../../../core/money/usdc.ts"
import { Scope } from "../../../core/operation/caller.ts"
import type { Limits } from "../../../core/operation/rate-limit.ts"
import { Chains } from "../../../core/ports/chains.ts"
import { issued } from "../../support/accounts.ts"
import * as Value from "../../support/chain-values.ts"
import * as Sale from "../../support/plan-purchases.ts"
import * as Shop from "../../support/plan-server.ts"
import * as Steps from "../../support/settlement-steps.ts"
import { assertSpent } from "../../support/surfaces.ts"

/** Nobody waits: what is not paid for yet is said to be on its way. */
const impatient = { patience: { landMs: 0, finalMs: 0 } }

const unhurried = {
  reads: 999,
  writes: 999,
  quotes: 999,
  confirms: 999,
  failures: 999,
  anonymous: 999
}

const below = () => Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain(["local"]) }, 1)

const selling = (limits: Limits = unhurried) =>
  Layer.suspend(() =>
    Shop.served(impatient).pipe(
      Layer.provideMerge(Layer.merge(Sale.selling(below()), RateLimits.layer(limits)))
    )
  )

const notSelling = Layer.suspend(() => Layer.provideMerge(Shop.served(impatient), below()))

const mine = { "idempotency-key": "0b7e4a52-8f0c-4d6e-9a1b-5c3d2e1f0a9b" }

const keyOf = Effect.fnUntraced(function* (
  accountId: string,
  kind: "agent" | "developer",
  scopes: ReadonlyArray<Scope> = Scope.literals
) {
  const { apiKey } = yield* issued({ accountId, kind }, { scopes })
  return { authorization: `Bearer ${apiKey}` }
})

const codeOf = ({ body, status }: Shop.Reply) => [status, body.error?.code]

layer(selling())("an account for sale", (it) => {
  it.effect("asks for its plan's price on each connected chain, and keeps nothing", () =>
    Effect.gen(function* () {
      const asked = yield* Shop.posted("/api/agents", { plan: "startup" }, mine)
      assert.deepStrictEqual(codeOf(asked), [402, "PAYMENT_REQUIRED"])
      assert.strictEqual(asked.headers.get("cache-control"), "private, no-store")
      assert.match(asked.body.error.requestId, /^req_\w+$/u)
      assert.strictEqual(asked.body.error.requestId, asked.headers.get("x-request-id"))
      const required = asked.said("payment-required")
      assert.strictEqual(required.x402Version, 2)
      assert.strictEqual(required.resource.url, `${Wiring.siteUrl}/api/agents`)
      const [connected] = (yield* Chains).connected
      assert.lengthOf(required.accepts, 1)
      assert.deepInclude(required.accepts[0], {
        scheme: "exact",
        network: "eip155:31337",
        amount: "50000000",
        asset: connected?.usdc,
        payTo: Sale.till
      })
      const usual = yield* Shop.posted("/api/agents", "{}")
      assert.strictEqual(usual.said("payment-required").accepts[0].amount, "5000000")
    })
  )

  it.effect("says the payment is on its way until it is final, never that it failed", () =>
    Effect.gen(function* () {
      const payment = yield* Sale.signed()
      const body = { name: "Buyer", contactEmail: "ada@example.com" }
      yield* Shop.posted("/api/agents", body, mine)
      const headers = { ...mine, ...(yield* Shop.signature(payment)) }
      const pending = yield* Shop.posted("/api/agents", body, headers)
      assert.deepStrictEqual(codeOf(pending), [402, "PAYMENT_REQUIRED"])
      assert.deepInclude(pending.body.error, { outcome: "unknown" })
      assert.strictEqual(pending.body.error.details.reason, "settlement_pending")
      assert.notProperty(pending.body.error.details, "idempotencyKey")
      const said = pending.said("payment-response")
      assert.deepInclude(said, { success: false, errorReason: "settlement_pending" })
      assert.isNull(pending.headers.get("payment-required"))
      yield* Steps.ended

      const {
        body: bought,
        headers: told,
        status
      } = yield* Shop.posted("/api/agents", body, headers)
      assert.strictEqual(status, 200, JSON.stringify(bought))
      assert.strictEqual(told.get("cache-control"), "private, no-store")
      assert.deepInclude(bought.data.account, { name: "Buyer", kind: "agent", tier: "personal" })
      assert.deepInclude(bought.data, {
        secretAvailable: true,
        billingPlan: "personal",
        amountUsd: "5.00"
      })
      assert.isTrue(bought.data.claim.sent)
      const caller = yield* authenticate(bought.data.apiKey)
      assert.strictEqual(caller.accountId, bought.data.account.id)

      const again = yield* Shop.posted("/api/agents", body, headers)
      assert.deepStrictEqual(again.body, bought)
      const stranger = yield* Shop.posted("/api/agents", {}, yield* Shop.signature(payment))
      assert.strictEqual(stranger.body.data.account.id, bought.data.account.id)
      assert.deepInclude(stranger.body.data, { secretAvailable: false, wallets: [] })
      assert.notProperty(stranger.body.data, "apiKey")
    })
  )

  it.effect(
    "gives a caller without an idempotency key one to come back with, and nobody else",
    () =>
      Effect.gen(function* () {
        const headers = yield* Shop.signature(yield* Sale.signed())
        const first = yield* Shop.posted("/api/agents", {}, headers)
        const given = first.body.error.details.idempotencyKey
        assert.match(given, /^[0-9A-Za-z]{43}$/u)
        const second = yield* Shop.posted("/api/agents", {}, headers)
        assert.notProperty(second.body.error.details, "idempotencyKey")
        yield* Steps.ended
        const back = { ...headers, "idempotency-key": given }
        assert.isTrue((yield* Shop.posted("/api/agents", {}, back)).body.data.secretAvailable)
        assert.isFalse((yield* Shop.posted("/api/agents", {}, headers)).body.data.secretAvailable)
      })
  )

  it.effect("refuses what it does not know before it asks for money, or takes any", () =>
    Effect.gen(function* () {
      const payment = yield* Sale.signed()
      const paying = yield* Shop.signature(payment)
      const wrong: ReadonlyArray<readonly [unknown, string]> = [
        [{ stray: 1 }, "UNKNOWN_FIELD"],
        [{ plan: "gold" }, "INVALID_REQUEST"],
        [{ name: "x" }, "INVALID_REQUEST"],
        [{ name: "Buyer\u202egnp.exe" }, "INVALID_REQUEST"],
        [{ contactEmail: "ada@example.com\r\nBcc: eve@example.com" }, "INVALID_REQUEST"],
        [{ contactEmail: "Ada <ada@example.com>" }, "INVALID_REQUEST"],
        ['{"plan":"personal","plan":"startup"}', "INVALID_JSON"],
        ["[]", "INVALID_REQUEST"]
      ]
      for (const [body, code] of wrong) {
        for (const headers of [{}, paying]) {
          const reply = yield* Shop.posted("/api/agents", body, headers)
          assert.deepStrictEqual(codeOf(reply), [400, code], JSON.stringify(body))
          assert.strictEqual(reply.body.error.outcome, "not_executed")
        }
      }
      const parted = { ...paying, "idempotency-key": "two\twords" }
      assert.strictEqual((yield* Shop.posted("/api/agents", {}, parted)).status, 400)
      const { authorization } = payment
      assert.strictEqual(yield* Steps.held(authorization.from), authorization.amountMicro)
    })
  )

  it.effect(
    "turns down a payment for another address, another price or with a bent signature",
    () =>
      Effect.gen(function* () {
        const good = yield* Sale.signed()
        const bent = { ...good, authorization: { ...good.authorization, signature: "0x00" } }
        const cheap = yield* Sale.signed("personal", { amountMicro: Usdc.make(1n) })
        const offered = (over: Partial<Sale.Signed["accepted"]>) =>
          Shop.signature({ ...good, accepted: { ...good.accepted, ...over } })
        const cases = [
          [yield* Shop.signature(good, "/api/agents/renew"), "invalid_resource"],
          [yield* offered({ amountMicro: Usdc.make(1n) }), "invalid_payment_requirements"],
          [yield* offered({ payTo: good.authorization.from }), "invalid_payment_requirements"],
          [yield* offered({ maxTimeoutSeconds: 180 }), "invalid_payment_requirements"],
          [yield* offered({ version: "1" }), "invalid_payment_requirements"],
          [yield* Shop.signature(bent), "invalid_exact_evm_payload_signature"],
          [yield* Shop.signature(cheap), "invalid_exact_evm_payload_authorization_value"],
          [{ "payment-signature": "not base64" }, "invalid_payload"]
        ] as const
        for (const [headers, reason] of cases) {
          const reply = yield* Shop.posted("/api/agents", {}, headers)
          assert.deepStrictEqual(codeOf(reply), [402, "PAYMENT_REQUIRED"])
          assert.strictEqual(reply.body.error.details.reason, reason)
          assert.strictEqual(reply.said("payment-response").errorReason, reason)
          assert.lengthOf(reply.said("payment-required").accepts, 1)
        }
        const { rows } = yield* (yield* Accounts).fundedBy(
          { chainId: "local", address: Value.address(good.authorization.from) },
          { limit: 5 }
        )
        assert.lengthOf(rows, 0)
      })
  )

  it.effect("is asked for by POST alone, without fields in its address", () =>
    Effect.gen(function* () {
      const base = yield* Shop.Shop
      const got = yield* Effect.promise(() => fetch(`${base}/api/agents`))
      assert.deepStrictEqual([got.status, got.headers.get("allow")], [405, "POST"])
      const asked = yield* Effect.promise(() =>
        fetch(`${base}/api/agents?plan=startup`, { method: "POST" })
      )
      assert.strictEqual(asked.status, 400)
    })
  )
})

layer(selling())("a plan renewed over REST", (it) => {
  const bought = Effect.gen(function* () {
    const headers = { ...mine, ...(yield* Shop.signature(yield* Sale.signed())) }
    yield* Shop.posted("/api/agents", {}, headers)
    yield* Steps.ended
    const { body } = yield* Shop.posted("/api/agents", {}, headers)
    return body.data
  })

  it.effect("is paid for with the agent's own key, and goes on after its end", () =>
    Effect.gen(function* () {
      const { account, apiKey, subscriptionExpiresAt } = yield* bought
      const key = { authorization: `Bearer ${apiKey}` }
      const asked = yield* Shop.posted("/api/agents/renew", {}, key)
      assert.strictEqual(asked.status, 402)
      assert.strictEqual(asked.said("payment-required").accepts[0].amount, "5000000")
      const paying = yield* Shop.signature(yield* Sale.signed(), "/api/agents/renew")
      const headers = { ...key, ...paying }
      assert.strictEqual((yield* Shop.posted("/api/agents/renew", {}, headers)).status, 402)
      yield* Steps.ended
      const { body, status } = yield* Shop.posted("/api/agents/renew", {}, headers)
      assert.strictEqual(status, 200, JSON.stringify(body))
      assert.strictEqual(body.data.account.id, account.id)
      const longer = Date.parse(body.data.subscriptionExpiresAt) - Date.parse(subscriptionExpiresAt)
      assert.strictEqual(longer, 30 * 86_400_000)
    })
  )

  it.effect(
    "is refused without a key, to a developer's, to one that may not read the account",
    () =>
      Effect.gen(function* () {
        const { account } = yield* bought
        const developer = yield* openAccount({ name: "Shop", kind: "developer", tier: "startup" })
        const paying = yield* Shop.signature(yield* Sale.signed(), "/api/agents/renew")
        const cases = [
          [{}, 401, "UNAUTHENTICATED"],
          [yield* keyOf(developer.id, "developer"), 403, "AGENT_KEY_REQUIRED"],
          [yield* keyOf(account.id, "agent", ["keys:manage"]), 403, "INSUFFICIENT_SCOPE"]
        ] as const
        for (const [headers, ...expected] of cases) {
          for (const payment of [{}, paying]) {
            const reply = yield* Shop.posted("/api/agents/renew", {}, { ...headers, ...payment })
            assert.deepStrictEqual(codeOf(reply), [...expected])
          }
        }
      })
  )

  it.effect("asks nothing of an account whose plan never ends", () =>
    Effect.gen(function* () {
      const given = yield* openAccount({ name: "Given", kind: "agent", tier: "startup" })
      const reply = yield* Shop.posted("/api/agents/renew", {}, yield* keyOf(given.id, "agent"))
      assert.deepStrictEqual(codeOf(reply), [409, "NOTHING_TO_RENEW"])
    })
  )
})

layer(selling({ ...unhurried, failures: 2 }))("payments that are not taken", (it) => {
  it.effect("are counted against the address they come from", () =>
    Effect.gen(function* () {
      const bad = { "payment-signature": "not base64" }
      for (let n = 0; n < 2; n++) {
        assert.strictEqual((yield* Shop.posted("/api/agents", {}, bad)).status, 402)
      }
      const limited = yield* Shop.posted("/api/agents", {}, bad)
      assert.deepStrictEqual(codeOf(limited), [429, "RATE_LIMITED"])
      assertSpent(limited, "failed_payments")
      assert.strictEqual((yield* Shop.posted("/api/agents", {})).status, 402)
    })
  )
})

layer(notSelling)("a treasury that sells no plans", (it) => {
  it.effect("says so, to callers with a payment and without", () =>
    Effect.gen(function* () {
      for (const headers of [{}, { "payment-signature": "not base64" }]) {
        const reply = yield* Shop.posted("/api/agents", {}, headers)
        assert.deepStrictEqual(codeOf(reply), [404, "PLANS_NOT_SOLD"])
      }
    })
  )
})
