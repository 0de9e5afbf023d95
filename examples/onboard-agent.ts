/**
 * An agent opens an account of its own by paying for it, with the official x402 client. It pays with the
 * wallet of the sandbox's payer, or with BURSAR_SITE, BURSAR_PAYER_KEY and BURSAR_USDC.
 */
import { randomUUID } from "node:crypto"
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { ExactEvmScheme } from "@x402/evm/exact/client"
import { wrapFetchWithPaymentFromConfig } from "@x402/fetch"
import { privateKeyToAccount } from "viem/accounts"

interface Sandbox {
  readonly siteUrl: string
  readonly chain: { readonly usdc: string }
  readonly payer: { readonly privateKey: string }
}

interface Opened {
  readonly account: { readonly id: string; readonly name: string }
  readonly apiKey?: string
  readonly billingPlan: string
  readonly amountUsd: string
  readonly subscriptionExpiresAt: string
  readonly fundingWallet: { readonly chainId: string; readonly address: string }
  readonly claim: { readonly sent: boolean }
}

type Answer<Payload> =
  | { readonly ok: true; readonly data: Payload }
  | { readonly ok: false; readonly error: { readonly code: string; readonly message: string } }

/** Every scope but `keys:manage`. */
const workerScopes = [
  "account:read",
  "balances:read",
  "recipients:read",
  "recipients:write",
  "payment_requests:read",
  "payment_requests:write",
  "cosigners:read",
  "cosigners:write",
  "proposals:write"
]

const { BURSAR_SITE, BURSAR_PAYER_KEY, BURSAR_USDC, BURSAR_DATA_DIR = ".bursar" } = process.env

const sandbox = async (): Promise<Sandbox> =>
  JSON.parse(await readFile(join(BURSAR_DATA_DIR, "sandbox.json"), "utf8"))

const target =
  BURSAR_SITE && BURSAR_PAYER_KEY && BURSAR_USDC
    ? { site: BURSAR_SITE, key: BURSAR_PAYER_KEY, usdc: BURSAR_USDC }
    : await sandbox().then(({ chain, payer, siteUrl }) => ({
        site: siteUrl,
        key: payer.privateKey,
        usdc: chain.usdc
      }))

const payer = privateKeyToAccount(target.key as `0x${string}`)

// The client pays a dollar at most, and only in tokens it knows by heart, unless it is told otherwise.
const paying = wrapFetchWithPaymentFromConfig(fetch, {
  schemes: [{ network: "eip155:*", client: new ExactEvmScheme(payer) }],
  spendControls: {
    maxAmountPerPayment: "$5",
    allowedAssets: [{ network: "eip155:31337", asset: target.usdc }]
  }
})

const response = await paying(`${target.site}/api/agents`, {
  method: "POST",
  headers: {
    "content-type": "application/json",
    // A secret of this agent's: whoever repeats the payment with it is shown the key again, nobody else.
    "idempotency-key": randomUUID()
  },
  body: JSON.stringify({
    plan: "personal",
    name: process.argv[2] ?? "Purchasing agent",
    contactEmail: "owner@example.com"
  })
})
const answer = (await response.json()) as Answer<Opened>
if (!answer.ok) throw new Error(`${answer.error.code}: ${answer.error.message}`)

const { account, amountUsd, apiKey, billingPlan, claim, fundingWallet } = answer.data
console.log(
  `${account.name} paid ${amountUsd} USD for the plan ${billingPlan}: account ${account.id}`
)
console.log(`${fundingWallet.address} governs it; its human was mailed a link: ${claim.sent}`)

// The first key makes keys and is kept apart; the agent works with one that makes none.
const made = await fetch(`${target.site}/api/v1/keys`, {
  method: "POST",
  headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
  body: JSON.stringify({ label: "Worker", scopes: workerScopes })
})
const worker = (await made.json()) as Answer<{ readonly apiKey: string }>
if (!worker.ok) throw new Error(`${worker.error.code}: ${worker.error.message}`)

const limits = await fetch(`${target.site}/api/v1/policy/limits`, {
  headers: { authorization: `Bearer ${worker.data.apiKey}` }
})
const { data } = (await limits.json()) as {
  readonly data: { readonly perTransferCapUsd: string; readonly subscriptionExpiresAt: string }
}
console.log(
  `It may send ${data.perTransferCapUsd} USD at once, until ${data.subscriptionExpiresAt}.`
)
// Both are shown this once. A program of yours keeps them where its secrets are.
console.log(`It works with ${worker.data.apiKey}`)
console.log(`Keep this one apart, it makes and revokes keys: ${apiKey}`)
