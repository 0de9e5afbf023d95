/**
 * Which columns of each list a terminal shows, the most telling first: what does not fit goes from the end. Ids stand
 * whole, because they are copied; only what people wrote may be cut.
 */

/** By the key of the list in its answer. */
export const columns: Readonly<Record<string, ReadonlyArray<string>>> = {
  wallets: ["id", "name", "balanceUsd", "kind", "chainId", "address"],
  payment_requests: ["pid", "status", "amountUsd", "externalReference", "description", "createdAt"],
  deposits: ["depositId", "status", "settlementIssue", "amountSmallestUnit", "chainId", "seenAt"],
  results: ["externalId", "status", "walletMappingId", "namespace", "error"],
  proposals: ["proposalId", "status", "kind", "summary", "createdAt"],
  recipients: ["id", "label", "status", "chainId", "address", "cooldownEndsAt"],
  holdings: ["symbol", "balanceFormatted", "valueUsd", "priceUsd", "chainId", "tokenAddress"],
  tokens: [
    ...["symbol", "balanceFormatted", "valueUsd", "priceUsd", "change24hPct", "marketCapUsd"],
    ...["chainId", "tokenAddress"]
  ],
  yield_markets: ["protocol", "chainId", "apyPct", "tvlUsd", "verified", "marketId"],
  yield_positions: ["protocol", "chainId", "valueUsd", "apyPct", "walletId"],
  token_spender_grants: ["symbol", "spenderLabel", "allowance", "walletName", "chainId", "spender"],
  merchant_webhooks: ["id", "status", "url", "events"],
  webhook_deliveries: [
    ...["id", "status", "eventType", "lastResponseStatus", "attemptCount", "nextAttemptAt"],
    "createdAt"
  ],
  events: ["id", "type", "paymentRequestPid", "createdAt"],
  people: ["personId", "name", "role", "status", "email", "joinedAt"],
  api_keys: ["id", "label", "kind", "lastFour", "lastUsedAt", "expiresAt", "revokedAt"],
  entries: ["createdAt", "action", "subjectType", "subjectId", "actor"],
  archives: ["file", "first", "end", "before"],
  cosigner_memberships: ["id", "status", "nickname", "cosignerUserId", "createdAt"],
  outgoing_cosigner_invites: ["inviteId", "status", "cosignerUserId", "nickname", "expiresAt"],
  incoming_cosigner_invites: ["inviteId", "status", "userId", "expiresAt"],
  pending_cosigner_approvals: [
    ...["pendingApprovalId", "status", "amountUsd", "kind", "summary", "expiresAt"]
  ],
  funding_wallet_agents: ["userId", "agentLabel", "fundingWallet", "createdAt"],
  governance_requests: ["requestId", "status", "action", "summary", "expiresAt"]
}

/** The same of the lists that only the operator has. */
export const operatorColumns: Readonly<Record<string, ReadonlyArray<string>>> = {
  accounts: ["id", "name", "pausedAt", "kind", "tier", "createdAt"],
  humans: ["id", "name", "role", "joinedAt", "email"],
  passkeys: ["id", "name", "label", "suspendedAt", "lastUsedAt"],
  emails: ["to", "status", "purpose", "lastError", "createdAt", "attempts"]
}

export const columnsOf = (list: string): ReadonlyArray<string> | undefined =>
  columns[list] ?? operatorColumns[list]

/** What people wrote, or what is told in a sentence: it is cut before a column is left out. */
export const flexible: ReadonlySet<string> = new Set([
  ...[
    "name",
    "label",
    "nickname",
    "agentLabel",
    "summary",
    "description",
    "lastError",
    "externalReference",
    "url",
    "events"
  ]
])
