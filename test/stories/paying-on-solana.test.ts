/** Payers who hold USDC and no SOL pay links and buy plans on the local Solana, and govern what they bought. */
import { assert, layer } from "@effect/vitest"
import { type KeyPairSigner, signBytes } from "@solana/kit"
import { Effect } from "effect"
import { LocalSolana } from "../../apps/sandbox/solana/local-solana.ts"
import * as Base58 from "../../core/encoding/base58.ts"
import { SolanaRelay } from "../../core/solana/relay.ts"
import * as Payers from "../support/payer-transactions.ts"
import * as Solana from "../support/solana.ts"
import * as Market from "../support/solana-market.ts"

const chainId = "local-solana"
const usdc = 1_000_000n

// biome-ignore lint/suspicious/noExplicitAny: a test asserts on the answer's form itself.
type Json = any

interface Reply {
  readonly status: number
  readonly body: Json
  readonly said: (header: "payment-required" | "payment-response") => Json
}

const asked = (url: string, init: RequestInit = {}) =>
  Effect.promise(async (): Promise<Reply> => {
    const response = await fetch(url, init)
    return {
      status: response.status,
      body: await response.json(),
      said: (header) =>
        JSON.parse(Buffer.from(response.headers.get(header) ?? "", "base64").toString("utf8"))
    }
  })

const json = { "content-type": "application/json" }

/** PAYMENT-SIGNATURE for the offer that an answer made. */
const signature = Effect.fnUntraced(function* (payer: KeyPairSigner, { said }: Reply) {
  const required = said("payment-required")
  const accepted = required.accepts.find(({ network }: Json) => network === "solana:local")
  const { amount, extra, payTo } = accepted
  const transaction = yield* Payers.plain({
    payer,
    payTo,
    amountMicro: BigInt(amount),
    feePayer: extra.feePayer,
    memo: extra.memo ?? Base58.encode(crypto.getRandomValues(new Uint8Array(16)))
  })
  const payload = {
    x402Version: 2,
    resource: required.resource,
    accepted,
    payload: { transaction }
  }
  return { "payment-signature": Buffer.from(JSON.stringify(payload)).toString("base64") }
})

layer(Market.layer(), { excludeTestServices: true, timeout: "60 seconds" })(
  "a payer on Solana",
  (it) => {
    it.effect("pays a link with no SOL, once, though 64 copies of the payment come", () =>
      Effect.gen(function* () {
        const { request, url, vault } = yield* Market.aRequest(chainId, 7n * usdc)
        const payer = yield* Payers.payerWith(20n * usdc)
        yield* Effect.sleep("200 millis")
        const offer = yield* asked(url)
        assert.strictEqual(offer.status, 402)
        const { relayerAddress } = yield* SolanaRelay
        const feePayer = yield* relayerAddress(chainId)
        const [accepted] = offer.said("payment-required").accepts
        assert.deepInclude(accepted, {
          scheme: "exact",
          network: "solana:local",
          amount: "7000000",
          payTo: vault.address,
          extra: { feePayer, memo: request.pid }
        })
        const headers = yield* signature(payer, offer)
        const copies = Array.from({ length: 64 }, () => asked(url, { headers }))
        const replies = yield* Effect.all(copies, { concurrency: "unbounded" })
        for (const { body, said, status } of replies) {
          assert.strictEqual(status, 200, JSON.stringify(body))
          assert.deepInclude(body.data, { status: "paid", method: "x402", settlementIssue: "none" })
          const told = { success: true, network: "solana:local", payer: payer.address }
          assert.deepInclude(said("payment-response"), told)
        }
        assert.strictEqual(yield* Solana.held(vault.address), 7n * usdc)
        assert.strictEqual(yield* Solana.held(payer.address), 13n * usdc)
      })
    )

    it.effect("is told why a payment is not taken, and pays the next one", () =>
      Effect.gen(function* () {
        const { url, vault } = yield* Market.aRequest(chainId, 3n * usdc)
        const poor = yield* Payers.payerWith(2n * usdc)
        yield* Effect.sleep("200 millis")
        const offer = yield* asked(url)
        const refused = yield* asked(url, { headers: yield* signature(poor, offer) })
        assert.strictEqual(refused.status, 402)
        assert.strictEqual(refused.body.error.details.reason, "insufficient_funds")
        const { mint } = yield* LocalSolana
        yield* mint(poor.address, usdc)
        yield* Effect.sleep("200 millis")
        const taken = yield* asked(url, { headers: yield* signature(poor, refused) })
        assert.strictEqual(taken.status, 200, JSON.stringify(taken.body))
        assert.strictEqual(yield* Solana.held(vault.address), 3n * usdc)
      })
    )

    it.effect("buys an agent's account, which the same key governs", () =>
      Effect.gen(function* () {
        const base = yield* Market.Market
        const payer = yield* Payers.payerWith(5n * usdc)
        yield* Effect.sleep("200 millis")
        const url = `${base}/api/agents`
        const buying = { method: "POST", body: JSON.stringify({ name: "Buyer" }) }
        const mine = { ...json, "idempotency-key": crypto.randomUUID() }
        const offer = yield* asked(url, { ...buying, headers: mine })
        const headers = { ...mine, ...(yield* signature(payer, offer)) }
        const bought = yield* asked(url, { ...buying, headers })
        assert.strictEqual(bought.status, 200, JSON.stringify(bought.body))
        const { apiKey, fundingWallet } = bought.body.data
        assert.deepStrictEqual(fundingWallet, { chainId, address: payer.address })
        const again = yield* asked(url, { ...buying, headers })
        assert.deepStrictEqual(again.body, bought.body)

        const authorized = { ...json, authorization: `Bearer ${apiKey}` }
        const stranger = { address: Base58.encode(new Uint8Array(32).fill(5)), chainId }
        const add = (body: object) =>
          asked(`${base}/api/v1/proposals/recipients/add`, {
            method: "POST",
            headers: authorized,
            body: JSON.stringify(body)
          })
        const { challenge } = (yield* add(stranger)).body.data
        assert.include(challenge.message, "sign in with your Solana account")
        const text = new TextEncoder().encode(challenge.message)
        const signed = yield* Effect.promise(() => signBytes(payer.keyPair.privateKey, text))
        const added = yield* add({
          ...stranger,
          challengeId: challenge.challengeId,
          walletSignature: Base58.encode(Uint8Array.from(signed))
        })
        assert.strictEqual(added.status, 200, JSON.stringify(added.body))
        assert.strictEqual(added.body.data.status, "completed")
      })
    )
  }
)
