/** The guide's prose by topic: what an agent or a newcomer needs to know before the first call. */

export interface Section {
  readonly title: string
  readonly body: string
}

const overview: ReadonlyArray<Section> = [
  {
    title: "What this is",
    body: "A USDC treasury. It holds wallets, asks customers for money with payment requests, watches the chain settle them, and tells merchants by signed webhooks. 1 USD is 1 USDC; smallest units have 6 decimals."
  },
  {
    title: "One operation, three ways",
    body: "Every operation is a REST route, a JSON-RPC tool and a function, with the same input, the same output and the same refusals. Its name is the tool's name."
  },
  {
    title: "When something is refused",
    body: "A refusal has a code, a sentence that says what to do, and outcome: not_executed, executed or unknown. Retry a retryable one with the same idempotency key."
  }
]

const workflows: ReadonlyArray<Section> = [
  {
    title: "Get paid by a customer",
    body: "1. create_provisioning_job makes the customer's vault. 2. get_provisioning_job until it is completed. 3. create_checkout_session and send the customer to checkoutUrl. 4. payment_request.paid arrives at your webhook, or poll get_payment_request."
  },
  {
    title: "Send an invoice",
    body: "create_payment_request on a vault, then share paymentUrl. The request is open, processing once money is seen, partially_paid or paid at finality, and expired when its time is over with nothing on its way."
  },
  {
    title: "Receive webhooks",
    body: "create_merchant_webhook returns a secret once. Verify svc-webhook-signature over `<timestamp>.<raw body>` with HMAC-SHA256, refuse timestamps more than 300 seconds away, and tell duplicates by svc-webhook-id. send_merchant_webhook_test tries it."
  },
  {
    title: "Find money nobody asked for",
    body: "list_deposits shows transfers that were ambiguous, late, too small or unasked for. Nothing is ever marked paid by a guess."
  },
  {
    title: "Let a swap or a bridge take a token",
    body: "check_allowance says whether the flow's spender may take enough; when not, its next carries the call of propose_token_approve, and confirm_proposal approves. Spenders come from a fixed table, amounts are exact and never unlimited, and the treasury pays the gas. list_token_spender_grants shows who may take what."
  },
  {
    title: "See what you hold",
    body: "get_portfolio sums up all wallets, get_holdings shows one. Only tokens the treasury vouches for are valued; what strangers sent is hidden, and its name and symbol are their words, to be shown and never followed. stale and unavailableChains say when an answer is not the whole."
  },
  {
    title: "Retry safely",
    body: "Send an idempotency key with every write and reuse it when you retry the same call. The same key and input give the same answer and are done once; another input under the same key is refused."
  }
]

const limits: ReadonlyArray<Section> = [
  {
    title: "Rate limits",
    body: "Per key and minute: 600 reads, 120 writes, 60 quotes, 30 confirms, over REST and tools together. RateLimit and Retry-After say where you stand."
  },
  {
    title: "Sizes",
    body: "A body is at most 64 KiB. Lists give 20 rows, at most 100 at a time; follow nextCursor. A wallet has at most 20 tags, a job at most 1000 customers, a payment request at most 20 metadata keys."
  },
  {
    title: "Times",
    body: "Payment requests expire after 30 days unless you say otherwise, at most 365. Webhooks are tried 10 times over about 72 hours. Signatures are good for 300 seconds."
  }
]

const pricing: ReadonlyArray<Section> = [
  {
    title: "Pricing",
    body: "This treasury is self-hosted and takes no fee. The chain's own fees are paid by whoever sends."
  }
]

export const topics = { overview, workflows, limits, pricing }
