/**
 * Pays a payment link with the stock x402 client, as an agent does when it meets a 402. It takes the link as
 * its argument, and the payer and token from the file that the sandbox writes, or from BURSAR_PAYER_KEY,
 * BURSAR_NETWORK and BURSAR_TOKEN.
 */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { ExactEvmScheme } from "@x402/evm/exact/client"
import { decodePaymentResponseHeader, wrapFetchWithPaymentFromConfig } from "@x402/fetch"
import { privateKeyToAccount } from "viem/accounts"

interface Sandbox {
  readonly chain: { readonly usdc: string }
  readonly payer: { readonly privateKey: `0x${string}` }
}

const { BURSAR_PAYER_KEY, BURSAR_NETWORK, BURSAR_TOKEN, BURSAR_DATA_DIR = ".bursar" } = process.env

const sandbox = async (): Promise<Sandbox> =>
  JSON.parse(await readFile(join(BURSAR_DATA_DIR, "sandbox.json"), "utf8"))

const payer =
  BURSAR_PAYER_KEY && BURSAR_NETWORK && BURSAR_TOKEN
    ? { key: BURSAR_PAYER_KEY as `0x${string}`, network: BURSAR_NETWORK, token: BURSAR_TOKEN }
    : await sandbox().then(({ chain, payer: { privateKey } }) => ({
        key: privateKey,
        // The sandbox's chain, as anvil numbers it.
        network: "eip155:31337",
        token: chain.usdc
      }))

const [link] = process.argv.slice(2)
if (link === undefined) throw new Error("Say which link to pay: the paymentUrl of a request.")

const fetchAndPay = wrapFetchWithPaymentFromConfig(fetch, {
  schemes: [{ network: "eip155:*", client: new ExactEvmScheme(privateKeyToAccount(payer.key)) }],
  // Left to itself the client pays a dollar at most, and only in tokens it knows by heart.
  spendControls: {
    allowedAssets: [
      {
        network: payer.network as `${string}:${string}`,
        asset: payer.token,
        maxAmountPerPayment: "100000000"
      }
    ]
  }
})

const response = await fetchAndPay(link)
const told = response.headers.get("payment-response")
const settled = told === null ? undefined : decodePaymentResponseHeader(told)
const answer = (await response.json()) as
  | { readonly ok: true; readonly data: { readonly pid: string; readonly status: string } }
  | { readonly ok: false; readonly error: { readonly code: string; readonly message: string } }
if (!answer.ok) {
  throw new Error(`${settled?.errorReason ?? answer.error.code}: ${answer.error.message}`)
}
console.log(`${answer.data.pid} is ${answer.data.status}, by ${settled?.transaction}.`)
