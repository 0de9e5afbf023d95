/**
 * Asks a customer for 49 USDC over REST. It finds the service, a key and a vault in the file that the
 * sandbox writes, or in BURSAR_URL, BURSAR_KEY and BURSAR_VAULT.
 */
import { readFile } from "node:fs/promises"
import { join } from "node:path"

interface Sandbox {
  readonly baseUrl: string
  readonly developerKey: string
  readonly wallets: ReadonlyArray<{ readonly id: string; readonly kind: string }>
}

interface PaymentRequest {
  readonly pid: string
  readonly status: string
  readonly amountUsd: string
  readonly paymentUrl: string
  readonly expiresAt: string
}

type Answer<Payload> =
  | { readonly ok: true; readonly data: Payload }
  | { readonly ok: false; readonly error: { readonly code: string; readonly message: string } }

const { BURSAR_URL, BURSAR_KEY, BURSAR_VAULT, BURSAR_DATA_DIR = ".bursar" } = process.env

const sandbox = async (): Promise<Sandbox> =>
  JSON.parse(await readFile(join(BURSAR_DATA_DIR, "sandbox.json"), "utf8"))

const target =
  BURSAR_URL && BURSAR_KEY && BURSAR_VAULT
    ? { baseUrl: BURSAR_URL, key: BURSAR_KEY, vault: BURSAR_VAULT }
    : await sandbox().then(({ baseUrl, developerKey, wallets }) => ({
        baseUrl,
        key: developerKey,
        vault: wallets.find(({ kind }) => kind === "collection")?.id
      }))

const order = process.argv[2] ?? "order-1001"

const response = await fetch(`${target.baseUrl}/payment-requests`, {
  method: "POST",
  headers: {
    authorization: `Bearer ${target.key}`,
    "content-type": "application/json",
    // Run it again for the same order: the answer is the same, and the customer owes 49 once.
    "idempotency-key": order
  },
  body: JSON.stringify({
    walletMappingId: target.vault,
    amountUsd: 49,
    description: "Pro plan, November",
    externalReference: order
  })
})
const answer = (await response.json()) as Answer<PaymentRequest>
if (!answer.ok) throw new Error(`${answer.error.code}: ${answer.error.message}`)

const { amountUsd, expiresAt, paymentUrl, pid, status } = answer.data
console.log(`${pid} asks for ${amountUsd} USD and is ${status} until ${expiresAt}.`)
console.log(`Send your customer to ${paymentUrl}`)
