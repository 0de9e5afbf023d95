/**
 * The demo's story against a running sandbox, over REST alone and with what any merchant has: an HTTP
 * client, a receiver, and the published verifier. It ends with an error unless every step held.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { sendUsdc } from "../../adapters/evm/usdc.ts"
import { verifyWebhook, type WebhookEvent } from "../../adapters/receiver/verify.ts"
import type { SandboxFacts } from "./facts.ts"

type Fields = Readonly<Record<string, unknown>>

export type Say = (line: string) => void

class DemoRefused extends Error {
  readonly code: unknown
  readonly sentence: unknown

  constructor(place: string, error: Fields) {
    super(`${place}: ${error.code}, ${error.message}`)
    this.code = error.code
    this.sentence = error.message
  }
}

const callerOf =
  (facts: SandboxFacts, key: string) =>
  async (method: string, path: string, body?: unknown): Promise<Fields> => {
    const url = path.startsWith("/api") ? `${facts.siteUrl}${path}` : `${facts.baseUrl}${path}`
    const response = await fetch(url, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const answer = (await response.json()) as { ok: boolean; data: Fields; error: Fields }
    if (!answer.ok) throw new DemoRefused(`${method} ${path}`, answer.error)
    return answer.data
  }

const must = (holds: boolean, sentence: string) => {
  if (!holds) throw new Error(`This did not hold: ${sentence}`)
}

const patienceMs = 20_000

/** Asks again until there is an answer. */
const until = async <A>(sentence: string, ask: () => Promise<A | undefined>): Promise<A> => {
  const endsAt = Date.now() + patienceMs
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    if (Date.now() > endsAt) throw new Error(`Waited ${patienceMs / 1000} s in vain: ${sentence}`)
    await new Promise((resume) => setTimeout(resume, 100))
  }
}

/** A merchant's server: raw body, verifier, 200 or 400. */
const openReceiver = async () => {
  const events: Array<WebhookEvent> = []
  let secret = ""
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      try {
        const body = Buffer.concat(chunks)
        events.push(verifyWebhook({ body, headers: request.headers, secret }))
        response.writeHead(200).end()
      } catch {
        response.writeHead(400).end()
      }
    })
  })
  await new Promise<void>((resume) => server.listen(0, "127.0.0.1", resume))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/webhooks`,
    trust: (next: string) => {
      secret = next
    },
    heard: (type: string) => events.find((event) => event.type === type),
    close: () => server.close()
  }
}

const provision = async (call: ReturnType<typeof callerOf>, externalId: string) => {
  const job = await call("POST", "/provisioning/jobs", {
    chainId: "local",
    customers: [{ externalId }]
  })
  const done = await until("the vault is provisioned", async () => {
    const now = await call("GET", `/provisioning/jobs/${job.jobId}`)
    return now.status === "completed" ? now : undefined
  })
  return (done.results as ReadonlyArray<Fields>)[0] as Fields
}

/** An agent pays somebody on its allowlist, and is refused when it asks for more than it may. */
const send = async (facts: SandboxFacts, say: Say): Promise<void> => {
  const call = callerOf(facts, facts.agentKey)
  const { wallets } = (await call("GET", "/wallets")) as { wallets: ReadonlyArray<Fields> }
  const { recipients } = (await call("GET", "/recipients")) as { recipients: ReadonlyArray<Fields> }
  const from = wallets.find((wallet) => wallet.kind === "standard")
  const to = recipients.find((recipient) => recipient.status === "approved")
  const transfer = { fromWalletId: from?.id, recipientId: to?.id }

  const proposal = await call("POST", "/proposals/transfers", { ...transfer, amountUsdc: "25.00" })
  say(`8. An agent proposes: ${proposal.summary}.`)
  const path = `/proposals/${proposal.proposalId}`
  await call("POST", `${path}/confirm`, { expectedIntentHash: proposal.intentHash })
  const done = await until("the transfer is final", async () => {
    const now = await call("GET", path)
    must(now.status !== "failed", `the transfer does not fail: ${now.statusReason}`)
    return now.status === "completed" ? now : undefined
  })
  const again = await call("POST", `${path}/confirm`, {})
  must(again.status === "completed", "confirming again does nothing again")
  say(
    `9. Confirmed once and once more, it is paid once: ${(done.txHashes as ReadonlyArray<string>)[0]}`
  )

  const refused = await call("POST", "/proposals/transfers", { ...transfer, amountUsdc: "5000.00" })
    .then(() => undefined)
    .catch((error: unknown) => error)
  must(
    refused instanceof DemoRefused && refused.code === "POLICY_LIMIT_EXCEEDED",
    "a transfer above the caps is refused"
  )
  say(`10. It asks for 5000.00 and is refused. ${(refused as DemoRefused).sentence}`)
}

export const tell = async (facts: SandboxFacts, say: Say): Promise<void> => {
  const call = callerOf(facts, facts.developerKey)
  const receiver = await openReceiver()
  try {
    const endpoint = await call("POST", "/api/merchant-webhooks", {
      url: receiver.url,
      events: ["payment_request.created", "payment_request.paid"]
    })
    receiver.trust(endpoint.secret as string)
    say(`1. A merchant listens at ${receiver.url} with its own secret.`)

    const vault = await provision(call, "ada")
    say(`2. Customer "ada" has a vault of her own: ${vault.address}`)

    const session = await call("POST", "/checkout/sessions", {
      customer: { externalId: "ada" },
      amountUsd: 49,
      product: { slug: "pro", name: "Pro plan", externalSkuId: "SKU-PRO" }
    })
    must(session.status === "open", "a new session is open")
    say(`3. A checkout session over 49.00 USDC is ${session.status}: ${session.checkoutUrl}`)

    const page = await fetch(session.checkoutUrl as string)
    must(page.status === 200, "the payment page is served")

    const txHash = await sendUsdc({
      rpcUrl: facts.chain.rpcUrl,
      privateKey: facts.payer.privateKey,
      token: facts.chain.usdc,
      to: session.payToAddress as string,
      amountMicro: 49_000_000n
    })
    say(`4. The payer sends 49 USDC on chain: ${txHash}`)

    const seen = new Set<unknown>()
    const paid = await until("the request is paid", async () => {
      const now = await call("GET", `/payment-requests/${session.pid}`)
      if (!seen.has(now.status)) say(`5. The request is ${now.status}.`)
      seen.add(now.status)
      return now.status === "paid" ? now : undefined
    })
    must(seen.has("processing"), "the request was processing before it was paid")
    must(paid.txHash === txHash, "it was this transaction that paid it")

    const event = await until("the webhook arrives", async () =>
      receiver.heard("payment_request.paid")
    )
    const object = event.data.object as unknown as Fields
    must(object.paymentRequestPid === session.pid, "the event tells of this request")
    must(object.amountUsd === "49.00", "the event names the amount")
    say(`6. The merchant verified the signed webhook ${event.id}: ${object.amountUsd} USD is paid.`)

    const { webhook_deliveries } = await call(
      "GET",
      `/api/merchant-webhooks/deliveries?eventId=${event.id}`
    )
    const delivery = await until(
      "the delivery is recorded",
      async () => (webhook_deliveries as ReadonlyArray<Fields>)[0]
    )
    const { entries } = await call("GET", "/audit-log?limit=5")
    say(
      `7. The books agree: delivery ${delivery.status}, last change ${(entries as ReadonlyArray<Fields>)[0]?.action}.`
    )
    await send(facts, say)
  } finally {
    receiver.close()
  }
}
