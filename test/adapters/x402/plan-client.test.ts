/**
 * The official x402 client buys an agent's account and renews it, on anvil with Circle's own contract and
 * over stores on PostgreSQL: one payment, one account, whatever the client repeats (threats 29 and 34).
 */
import { assert, layer } from "@effect/vitest"
import { ExactEvmScheme } from "@x402/evm/exact/client"
import { decodePaymentResponseHeader, wrapFetchWithPaymentFromConfig } from "@x402/fetch"
import { Effect } from "effect"
import type { PrivateKeyAccount } from "viem/accounts"
import { Accounts } from "../../../core/accounts/account-store.ts"
import { Chains } from "../../../core/ports/chains.ts"
import * as Anvil from "../../support/anvil.ts"
import * as PlanSale from "../../support/anvil-plan-sale.ts"
import * as Value from "../../support/chain-values.ts"
import * as Sale from "../../support/plan-purchases.ts"
import * as Shop from "../../support/plan-server.ts"

const usdc = 1_000_000n

/** Above a dollar, and for a token it does not know by heart, the client wants to be allowed. */
const clientOf = Effect.fnUntraced(function* (
  account: PrivateKeyAccount,
  asking: typeof fetch = fetch
) {
  const { usdc: asset } = yield* Anvil.AnvilChain
  return wrapFetchWithPaymentFromConfig(asking, {
    schemes: [{ network: "eip155:*", client: new ExactEvmScheme(account) }],
    spendControls: {
      maxAmountPerPayment: false,
      allowedAssets: [{ network: "eip155:31337", asset }]
    }
  })
})

const held = Effect.fnUntraced(function* (address: string) {
  const [amountMicro] = yield* (yield* Chains).balances("local", [Value.address(address)])
  return amountMicro
})

const get = Effect.fnUntraced(function* (path: string, key: string) {
  const base = yield* Shop.Shop
  return yield* Effect.promise(async () => {
    const headers = { authorization: `Bearer ${key}` }
    // biome-ignore lint/suspicious/noExplicitAny: a test asserts on the answer's form itself.
    return (await (await fetch(`${base}/api/v1${path}`, { headers })).json()) as any
  })
})

const mine = () => ({ "idempotency-key": crypto.randomUUID() })

layer(PlanSale.market, { excludeTestServices: true, timeout: "60 seconds" })(
  "the official client",
  (it) => {
    it.effect("opens an account in one call, works with its key, and renews it in another", () =>
      Effect.gen(function* () {
        const { account: payer } = yield* PlanSale.payerWith(100n * usdc)
        const client = yield* clientOf(payer)
        const body = { plan: "startup", name: "Buyer" }
        const bought = yield* Shop.posted("/api/agents", body, mine(), client)
        assert.strictEqual(bought.status, 200, JSON.stringify(bought.body))
        const { account, apiKey, fundingWallet, txHash, wallets } = bought.body.data
        const settled = decodePaymentResponseHeader(bought.headers.get("payment-response") ?? "")
        assert.deepInclude(settled, { success: true, transaction: txHash, network: "eip155:31337" })
        assert.deepStrictEqual(fundingWallet, {
          chainId: "local",
          address: Value.address(payer.address)
        })
        assert.lengthOf(wallets, 1)
        const limits = yield* get("/policy/limits", apiKey)
        assert.deepInclude(limits.data, { billingPlan: "startup", maxWallets: 100 })

        const key = { authorization: `Bearer ${apiKey}` }
        const renewed = yield* Shop.posted("/api/agents/renew", { plan: "startup" }, key, client)
        assert.strictEqual(renewed.status, 200, JSON.stringify(renewed.body))
        assert.strictEqual(renewed.body.data.account.id, account.id)
        const { data } = yield* get("/policy/limits", apiKey)
        assert.strictEqual(data.subscriptionExpiresAt, renewed.body.data.subscriptionExpiresAt)
        const longer =
          Date.parse(data.subscriptionExpiresAt) - Date.parse(limits.data.subscriptionExpiresAt)
        assert.strictEqual(longer, 30 * 86_400_000)
        assert.strictEqual(yield* held(payer.address), 0n)

        // Threat 34: who has the key, and not the wallet that paid, adds nobody to be paid.
        const stranger = { address: `0x${"5a".repeat(20)}`, chainId: "local" }
        const base = yield* Shop.Shop
        const added = yield* Effect.promise(async () =>
          (
            await fetch(`${base}/api/v1/proposals/recipients/add`, {
              method: "POST",
              headers: { ...key, "content-type": "application/json" },
              body: JSON.stringify(stranger)
            })
          ).json()
        )
        // biome-ignore lint/suspicious/noExplicitAny: as above.
        const { data: asked } = added as any
        assert.include(asked.challenge.message, payer.address)
        assert.deepStrictEqual((yield* get("/recipients", apiKey)).data.recipients, [])
      })
    )

    it.effect("that sends one payment fifty times pays once and has one account", () =>
      Effect.gen(function* () {
        const { account: payer } = yield* PlanSale.payerWith(100n * usdc)
        const before = yield* held(Sale.till)
        // biome-ignore lint/suspicious/noExplicitAny: as above.
        const answers: Array<any> = []
        const often: typeof fetch = async (input, init) => {
          const asked = new Request(input, init)
          if (!asked.headers.has("payment-signature")) return fetch(asked)
          const body = await asked.text()
          const { headers, url } = asked
          const copies = Array.from({ length: 50 }, () =>
            fetch(url, { method: "POST", headers, body })
          )
          const all = await Promise.all(copies)
          for (const each of all)
            answers.push({ status: each.status, body: await each.clone().json() })
          return all[0] as Response
        }
        const client = yield* clientOf(payer, often)
        const bought = yield* Shop.posted("/api/agents", {}, mine(), client)
        assert.strictEqual(bought.status, 200, JSON.stringify(bought.body))
        assert.lengthOf(answers, 50)
        for (const answer of answers)
          assert.deepStrictEqual(answer, { status: 200, body: bought.body })
        assert.strictEqual(((yield* held(Sale.till)) as bigint) - (before as bigint), 5n * usdc)
        const { rows } = yield* (yield* Accounts).fundedBy(
          { chainId: "local", address: Value.address(payer.address) },
          { limit: 10 }
        )
        assert.lengthOf(rows, 1)
      })
    )
  }
)
