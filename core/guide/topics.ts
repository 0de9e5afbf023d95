/** The guide's prose by topic: what an agent or a newcomer needs to know before the first call. */

export interface Section {
  readonly title: string
  readonly body: string
}

const overview: ReadonlyArray<Section> = [
  {
    title: "What this is",
    body: "A USDC treasury. It holds wallets, asks customers for money with payment requests, watches the chain settle them, tells merchants by signed webhooks, and sends USDC to recipients it was allowed to pay. 1 USD is 1 USDC; smallest units have 6 decimals."
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
    body: "create_payment_request on a vault, then share paymentUrl: people get a page there, and clients of x402 a 402 that they can pay by a signature. The request is open, processing once money is seen, partially_paid or paid at finality, and expired when its time is over with nothing on its way."
  },
  {
    title: "Receive webhooks",
    body: "create_merchant_webhook returns a secret once. Verify svc-webhook-signature over `<timestamp>.<raw body>` with HMAC-SHA256, refuse timestamps more than 300 seconds away, and tell duplicates by svc-webhook-id. send_merchant_webhook_test tries it."
  },
  {
    title: "Find money nobody asked for",
    body: "list_deposits shows transfers that were ambiguous, late, too small or unasked for. Nothing is ever marked paid by a guess. resolve_deposit says what one stands for."
  },
  {
    title: "Send USDC",
    body: "1. list_recipients: only an approved one can be paid. 2. propose_transfer checks caps and balance; nothing moves yet. simulate_transfer explains a refusal and says who must approve. 3. confirm_proposal with expectedIntentHash and waitMs starts it, once however often it is called. 4. get_proposal until it is completed; nextAction says whom a requires_action waits for."
  },
  {
    title: "Send money back",
    body: "propose_refund with a depositId or a paymentRequestId and an approved recipient, normally the payer's own address: the summary says when it is another. All that has not gone back yet goes, from the vault it came to, unless amountUsdc or fromWalletId say otherwise. Refunds are confirmed, capped and co-signed like sends, and together they never send back more than came in."
  },
  {
    title: "Add a recipient",
    body: "With an agent's key: add_recipient answers with a challenge; have the funding wallet sign challenge.message byte for byte (EIP-191, as personal_sign does) within ten minutes, and call again with the same input, challengeId and walletSignature. It is approved at once; list_recipients shows its id. With a human's key: confirm_proposal starts a cooldown of 24 hours, which approve_recipient or a co-signer may end."
  },
  {
    title: "Open an account of your own",
    body: "An agent needs nobody: POST /api/agents on the site root answers 402 with what a plan costs, an x402 client pays it, and the answer has the account and its first key. The wallet that paid signs when the agent governs. POST /api/agents/renew extends the plan. A human named by contactEmail is mailed a link to claim the account; resend_claim_link sends another."
  },
  {
    title: "Let others co-sign",
    body: "invite_cosigner with the other account's id (its get_account), signed like a recipient; they take it with accept_cosigner_invite. update_cosigner_rules says from which amount how many must approve; only weakening is signed. A co-signer finds what waits in list_pending_cosigner_approvals and answers with approve_cosigner_action or reject_cosigner_action; the vote that completes the quorum starts it."
  },
  {
    title: "Prove what was done",
    body: "list_audit_log shows every change and who made it. Keep what get_audit_checkpoint answers somewhere else; get_audit_proof then shows that nothing before it was altered."
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
    title: "Spending",
    body: "get_policy_limits has the caps per transfer, UTC day and UTC month, and what is left of each. They count over all wallets, from the moment a transfer starts; what fails gives its part back. Transfers between the account's own wallets are free of them. A key may have bounds of its own beside them; simulate_transfer judges by both."
  },
  {
    title: "Times",
    body: "A proposal waits 24 hours for its confirmation and 7 days for approvals. A new recipient's cooldown is 24 hours, a challenge is good for 10 minutes. Payment requests expire after 30 days unless you say otherwise, at most 365. Webhooks are tried 10 times over about 72 hours. Signatures are good for 300 seconds. A claim link is good for 72 hours and is sent again 3 times an hour at most."
  }
]

const pricing: ReadonlyArray<Section> = [
  {
    title: "Pricing",
    body: "This treasury is self-hosted and takes no fee. It pays the chain's fees of what it sends, and of what is paid by x402; any other payer pays those of a payment."
  },
  {
    title: "Plans",
    body: "An agent's account may have a plan that ends: get_policy_limits tells which, until when, and how many wallets it has room for. What a plan costs its operator says: POST /api/agents/renew answers 402 with the price. A plan that has run out locks nothing; from then on the caps and the wallets are personal's."
  }
]

export const topics = { overview, workflows, limits, pricing }
