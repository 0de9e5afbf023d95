/**
 * The official x402 client for Solana, unmodified, pays a link and buys an account. It knows Solana's public networks
 * alone, so the local chain is connected under Devnet's name, by a node that says Devnet's genesis.
 */
import { createServer } from "node:http"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import type { LocalSolana } from "../../apps/sandbox/solana/local-solana.ts"
import * as Chain from "../../core/chains/chain.ts"
import * as Payers from "../support/payer-transactions.ts"
import { connectionTo } from "../support/real-send-worlds.ts"
import * as Solana from "../support/solana.ts"
import { SolanaChain } from "../support/solana.ts"
import * as Market from "../support/solana-market.ts"
import { toolFolder } from "../support/tool-folder.ts"

const folder = toolFolder("x402-solana")
if (folder.absence !== undefined) console.warn(`Left out: ${folder.absence}`)

const chainId = "solana-devnet"
const devnet = Chain.find(chainId) as Chain.Chain
const usdc = 1_000_000n

let target = ""
const devnetNode = createServer(async (request, response) => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks).toString("utf8")
  const asked = JSON.parse(body)
  response.setHeader("content-type", "application/json")
  if (asked.method === "getGenesisHash") {
    const result = `${devnet.caip2.slice("solana:".length)}111111111111`
    return response.end(JSON.stringify({ jsonrpc: "2.0", id: asked.id, result }))
  }
  try {
    const headers = { "content-type": "application/json" }
    const answer = await fetch(target, { method: "POST", headers, body })
    response.end(await answer.text())
  } catch {
    // The chain is closed.
    response.destroy()
  }
})
const port = await new Promise<number>((resolve) =>
  devnetNode.listen(0, "127.0.0.1", () => resolve((devnetNode.address() as { port: number }).port))
)
const rpcUrl = `http://127.0.0.1:${port}`

const asDevnet = (chain: LocalSolana["Service"]) => {
  target = chain.rpcUrl
  return { ...connectionTo(chain), chain: devnet, rpcUrls: [rpcUrl] as const }
}

layer(Market.layer(asDevnet), { excludeTestServices: true, timeout: "60 seconds" })(
  "the official client for Solana",
  (it) => {
    it.effect.skipIf(folder.absence !== undefined)("pays a link and buys an agent's account", () =>
      Effect.gen(function* () {
        const chain = yield* SolanaChain
        const { wrapFetchWithPaymentFromConfig } = yield* Effect.promise(() =>
          folder.load("@x402/fetch")
        )
        const { ExactSvmScheme } = yield* Effect.promise(() =>
          folder.load("@x402/svm", "./exact/client")
        )
        const { request, url, vault } = yield* Market.aRequest(chainId, 7n * usdc)
        const payer = yield* Payers.payerWith(20n * usdc)
        yield* Effect.sleep("200 millis")
        const client: typeof fetch = wrapFetchWithPaymentFromConfig(fetch, {
          schemes: [{ network: "solana:*", client: new ExactSvmScheme(payer, { rpcUrl }) }],
          spendControls: {
            maxAmountPerPayment: false,
            allowedAssets: [{ network: devnet.caip2, asset: chain.usdc }]
          }
        })
        const call = (at: string, init?: RequestInit) =>
          Effect.promise(async () => {
            const response = await client(at, init)
            // biome-ignore lint/suspicious/noExplicitAny: a test asserts on the answer's form itself.
            return { status: response.status, body: (await response.json()) as any }
          })
        const paid = yield* call(url)
        assert.strictEqual(paid.status, 200, JSON.stringify(paid.body))
        assert.deepInclude(paid.body.data, { pid: request.pid, status: "paid", method: "x402" })
        assert.strictEqual(yield* Solana.held(vault.address), 7n * usdc)

        const bought = yield* call(`${yield* Market.Market}/api/agents`, {
          method: "POST",
          headers: { "content-type": "application/json", "idempotency-key": crypto.randomUUID() },
          body: JSON.stringify({ plan: "personal" })
        })
        assert.strictEqual(bought.status, 200, JSON.stringify(bought.body))
        assert.deepStrictEqual(bought.body.data.fundingWallet, {
          chainId,
          address: payer.address
        })
        assert.strictEqual(yield* Solana.held(payer.address), 8n * usdc)
      })
    )
  }
)
