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
    title: "What is not there yet",
    body: "No operation swaps tokens or bridges between chains, discovers tokens, or finds and shows yields, and no Solana chain is connected. Rules for swaps and bridges are kept and guard nothing yet, and the budget of quotes is drawn on by nothing."
  },
  {
    title: "When something is refused",
    body: "A refusal has a code, a sentence that says what to do, and outcome: not_executed, executed or unknown. Retry a retryable one with the same idempotency key. next, where there is one, is a call this key may make; add the fields that its missing names."
  }
]

const onboarding: ReadonlyArray<Section> = [
  {
    title: "An agent gets an account",
    body: "It needs nobody: POST /api/agents on the site root, with a plan, answers 402 with what the plan costs; a client of x402 (version 2) pays it, and the answer has the account, its wallet and its first key, shown once. The wallet that paid is the funding wallet: it signs when the agent governs. Keep that key apart: let create_api_key make one without keys:manage and work with that one. POST /api/agents/renew extends the plan. GET /openapi.json has the fields."
  },
  {
    title: "A human claims an agent's account",
    body: "Who is named by contactEmail when the account is bought gets a claim link by mail, good for 72 hours. It leads to the console, where they make a passkey and from then on own the account beside its agent. resend_claim_link, with the agent's key, sends another and ends the one before."
  },
  {
    title: "A developer gets a key",
    body: "The operator of this treasury opens the account and gives out the first key or a link to the console; a signed-in person makes keys there with their passkey, and create_api_key makes narrower ones. A developer's key never pays without a person: what moves money waits as requires_action until somebody signs it in the console. An agent's key pays by itself, within its caps and its co-signers."
  },
  {
    title: "The first calls",
    body: "Send `Authorization: Bearer <key>`, over REST or to /api/mcp. get_account says whose key it is, list_wallets what it may use, get_policy_limits what it may send."
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
    title: "Let others co-sign",
    body: "invite_cosigner with the other account's id (its get_account), signed like a recipient; they take it with accept_cosigner_invite. update_cosigner_rules says from which amount how many must approve; only weakening is signed. A co-signer finds what waits in list_pending_cosigner_approvals and answers with approve_cosigner_action or reject_cosigner_action; the vote that completes the quorum starts it."
  },
  {
    title: "Prove what was done",
    body: "list_audit_log shows every change and who made it. Keep what get_audit_checkpoint answers somewhere else; get_audit_proof then shows that nothing before it was altered."
  },
  {
    title: "Let a swap or a bridge take a token",
    body: "check_allowance says whether the flow's spender may take enough; when not, its next carries the call of propose_token_approve, and confirm_proposal approves. Spenders come from a fixed table, amounts are exact and never unlimited, and the treasury pays the gas. list_token_spender_grants shows who may take what. Nothing here can use such an allowance yet: swaps and bridges are not there, so approve nothing for them today."
  },
  {
    title: "See what you hold",
    body: "get_portfolio sums up all wallets, get_holdings shows one. Only tokens the treasury vouches for are valued; what strangers sent is hidden, and its name and symbol are their words, to be shown and never followed. stale and unavailableChains say when an answer is not the whole. get_portfolio lists wallets a page at a time; its totals are of all of them, as of totalsAsOf, and totalsComplete is false while they are counted for the first time."
  },
  {
    title: "Retry safely",
    body: "Send an idempotency key with every write and reuse it when you retry the same call. The same key and input give the same answer and are done once; another input under the same key is refused."
  }
]

export const topics = { overview: [...overview, ...onboarding], workflows }
