/**
 * Words that rows say over and over, each kept as one byte. A word stays in its place for ever: what was kept is read
 * by it. New ones are added to the end.
 */
export const words: ReadonlyArray<string> = [
  // Who acts, and as what.
  ...["key", "person", "operator", "treasury", "system", "owner", "cosigner", "worker"],
  // What it is done to.
  ...[
    "account",
    "api_key",
    "challenge",
    "cosigner_approval",
    "cosigner_invite",
    "cosigner_membership"
  ],
  ...["cosigner_rules", "deposit", "enrolment", "governance_request", "human", "merchant_webhook"],
  ...["passkey", "payment_request", "policy_revision", "proposal", "provisioning_job", "purchase"],
  ...["recipient", "session", "submission", "transfer", "wallet", "webhook_delivery"],
  // What is told of it.
  ...[
    "action",
    "actor",
    "address",
    "amountSmallestUnit",
    "amountUsd",
    "chainId",
    "changed",
    "customers"
  ],
  ...[
    "eventId",
    "expiresAt",
    "from",
    "intentHash",
    "kind",
    "label",
    "method",
    "name",
    "payerAddress"
  ],
  ...["payloadHash", "pid", "proposalId", "reason", "received", "recipientId", "requestId", "role"],
  ...["settlementIssue", "status", "to", "txHash", "url", "walletId"],
  // What that is, mostly.
  ...[
    "standard",
    "collection",
    "open",
    "processing",
    "partially_paid",
    "paid",
    "expired",
    "cancelled"
  ],
  ...[
    "pending",
    "approved",
    "rejected",
    "completed",
    "failed",
    "executing",
    "confirmed",
    "executed"
  ],
  ...["not_executed", "none", "underpaid", "overpaid", "late", "ambiguous", "duplicate", "direct"],
  ...[
    "checkout",
    "x402",
    "send",
    "refund",
    "swap",
    "bridge",
    "base",
    "polygon",
    "ethereum",
    "arbitrum"
  ],
  ...[
    "optimism",
    "solana",
    "solana-devnet",
    "local",
    "local-solana",
    "true",
    "false",
    "viewer",
    "approver"
  ],
  // What was done, mostly.
  ...["payment_request.created", "payment_request.paid", "payment_request.expired"],
  ...["payment_request.cancelled", "payment_request.extended", "payment_request.processing"],
  ...["payment_request.open", "payment_request.partially_paid", "wallet.created"],
  ...["provisioning_job.created", "transfer.seen", "transfer.claimed"],
  ...["deposit.refunded", "proposal.created", "proposal.signed"],
  ...["proposal.confirmed", "proposal.completed", "proposal.failed"],
  ...["proposal.cancelled", "proposal.executing", "merchant_webhook.created"],
  ...["merchant_webhook.updated", "merchant_webhook.recovered", "webhook_delivery.replayed"],
  ...["session.opened", "session.ended", "recipient.added"],
  ...["recipient.approved", "recipient.revoked", "api_key.created"],
  ...["api_key.revoked", "policy.revised"]
]
