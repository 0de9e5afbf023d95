/**
 * The demo's story against a running sandbox, over REST alone and with what any merchant has: an HTTP
 * client, a receiver, and the published verifier. It ends with an error unless every step held.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { sendUsdc } from "../../adapters/evm/usdc.ts"
import { verifyWebhook, type WebhookEvent } from "../../adapters/receiver/verify.ts"
import { payOut } from "./agent-story.ts"
import { carryOver } from "./bridge-story.ts"
import type { SandboxFacts } from "./facts.ts"
import { takeBack } from "./order-story.ts"
import { collectAndSend } from "./solana-story.ts"
import { swapOnSolana } from "./solana-swap-story.ts"
import { swapTokens } from "./swap-story.ts"
import { callerOf, type Fields, must, type Say, until } from "./telling.ts"

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

export const tell = async (facts: SandboxFacts, say: Say): Promise<void> => {
  const call = callerOf(facts, facts.developerKey)
  const receiver = await openReceiver()
  try {
    const endpoint = await call("POST", "/api/merchant-webhooks", {
      url: receiver.url,
      events: ["payment_request.created", "payment_request.paid"]
    })
    receiver.trust(endpoint.secret as string)
    say(`1. A merchant receives webhooks at ${receiver.url} with its own secret.`)

    const vault = await provision(call, "ada")
    say(`2. Customer "ada" has a vault: ${vault.address}`)

    const session = await call("POST", "/checkout/sessions", {
      customer: { externalId: "ada" },
      amountUsd: 49,
      product: { slug: "pro", name: "Pro plan", externalSkuId: "SKU-PRO" }
    })
    must(session.status === "open", "a new session is open")
    say(`3. A checkout session over 49.00 USDC is ${session.status}: ${session.checkoutUrl}`)

    const page = await fetch(session.checkoutUrl as string, { headers: { accept: "text/html" } })
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
      `7. The records agree: delivery ${delivery.status}, last change ${(entries as ReadonlyArray<Fields>)[0]?.action}.`
    )
    await payOut(facts, say)
    await collectAndSend(facts, say)
    await carryOver(facts, say)
    await takeBack(facts, say)
    await swapTokens(facts, say, 22)
    await swapOnSolana(facts, say)
  } finally {
    receiver.close()
  }
}
