/**
 * An agent adds somebody to pay: it asks for a challenge, has its funding wallet sign it, and asks again. It takes
 * an address as its argument, then a chain and a name if wanted; site, key and wallet are the sandbox's, or
 * BURSAR_SITE, BURSAR_API_KEY and BURSAR_FUNDING_KEY.
 */
import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { privateKeyToAccount } from "viem/accounts"

interface Sandbox {
  readonly siteUrl: string
  readonly workerKey: string
  readonly payer: { readonly privateKey: string }
}

type Answer =
  | {
      readonly ok: true
      readonly data: {
        readonly status?: string
        readonly summary?: string
        readonly challenge?: { readonly challengeId: string; readonly message: string }
      }
    }
  | { readonly ok: false; readonly error: { readonly code: string; readonly message: string } }

const { BURSAR_SITE, BURSAR_API_KEY, BURSAR_FUNDING_KEY, BURSAR_DATA_DIR = ".bursar" } = process.env

const sandbox = async (): Promise<Sandbox> =>
  JSON.parse(await readFile(join(BURSAR_DATA_DIR, "sandbox.json"), "utf8"))

const agent =
  BURSAR_SITE && BURSAR_API_KEY && BURSAR_FUNDING_KEY
    ? { site: BURSAR_SITE, key: BURSAR_API_KEY, fundingKey: BURSAR_FUNDING_KEY }
    : // The sandbox's payer paid for its agent's account.
      await sandbox().then(({ payer, siteUrl, workerKey }) => ({
        site: siteUrl,
        key: workerKey,
        fundingKey: payer.privateKey
      }))

const [address, chainId = "local", nickname] = process.argv.slice(2)
if (address === undefined) throw new Error("Say which address the agent may pay from now on.")
const wanted = { address, chainId, ...(nickname === undefined ? {} : { nickname }) }

const add = async (body: object) => {
  const response = await fetch(`${agent.site}/api/v1/proposals/recipients/add`, {
    method: "POST",
    headers: { authorization: `Bearer ${agent.key}`, "content-type": "application/json" },
    body: JSON.stringify(body)
  })
  const answer = (await response.json()) as Answer
  if (!answer.ok) throw new Error(`${answer.error.code}: ${answer.error.message}`)
  return answer.data
}

const { challenge } = await add(wanted)
if (challenge === undefined) throw new Error("This is not an agent's key; confirm the proposal.")
// What is signed says what it allows, so a wallet that shows messages shows that to its holder.
console.log(challenge.message)
const fundingWallet = privateKeyToAccount(agent.fundingKey as `0x${string}`)
const walletSignature = await fundingWallet.signMessage({ message: challenge.message })
const { status, summary } = await add({
  ...wanted,
  challengeId: challenge.challengeId,
  walletSignature
})
console.log(`\n${summary}: ${status}.`)
