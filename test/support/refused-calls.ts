/** For every operation, calls that it refuses: fields that are missing, malformed, or name what is not there. */
import type { Name } from "../../core/treasury/operations.ts"
import {
  type Bad,
  emptyId,
  missing,
  refusedInputs,
  unknownId,
  wrongId,
  wrongPage
} from "./derived-calls.ts"
import { inputs } from "./valid-inputs.ts"

const withField =
  (name: Name, field: string, value: unknown): Bad =>
  (own) => ({
    ...inputs[name](own),
    [field]: value
  })
const sendRule = { action: "send", minAmountMicro: "5", maxAmountMicro: null, requiredApprovals: 1 }

/** A mint, which names no token on other chains. */
const usdcOnSolana = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"

/** None is a read of another state than the valid one; what follows from an operation is left out. */
const table: Partial<Readonly<Record<Name, ReadonlyArray<Bad>>>> = {
  list_wallets: [
    ...wrongPage,
    () => ({ metadataValue: "Oslo" }),
    () => ({ metadataKey: "" }),
    () => ({ customerNamespace: "shop" })
  ],
  get_portfolio: [() => ({ stray: "x" }), () => ({ limit: 0 })],
  get_holdings: [
    () => ({}),
    unknownId("walletId"),
    emptyId("walletId"),
    withField("get_holdings", "includeSpam", "yes"),
    withField("get_holdings", "limit", 0),
    withField("get_holdings", "limit", 101),
    withField("get_holdings", "cursor", "next"),
    withField("get_holdings", "stray", "x")
  ],
  discover_tokens: [
    () => ({}),
    withField("discover_tokens", "chainId", "atlantis"),
    withField("discover_tokens", "chainId", "base"),
    withField("discover_tokens", "limit", 0),
    withField("discover_tokens", "limit", 26),
    withField("discover_tokens", "sort", "market_cap"),
    withField("discover_tokens", "sort", "luck"),
    withField("discover_tokens", "verifiedOnly", "yes"),
    withField("discover_tokens", "query", ""),
    withField("discover_tokens", "cursor", "next"),
    withField("discover_tokens", "stray", "x")
  ],
  get_routing_guide: [
    () => ({}),
    withField("get_routing_guide", "fromChainId", "atlantis"),
    withField("get_routing_guide", "toChainId", "atlantis"),
    withField("get_routing_guide", "toChainId", ""),
    withField("get_routing_guide", "stray", "x")
  ],
  list_yield_markets: [
    withField("list_yield_markets", "chainId", "atlantis"),
    withField("list_yield_markets", "chainId", "base"),
    withField("list_yield_markets", "asset", ""),
    withField("list_yield_markets", "limit", 26),
    withField("list_yield_markets", "cursor", "next"),
    withField("list_yield_markets", "stray", "x")
  ],
  create_provisioning_job: [
    () => ({}),
    withField("create_provisioning_job", "chainId", "atlantis"),
    withField("create_provisioning_job", "customers", [{ externalId: 5, stray: true }])
  ],
  get_provisioning_job: [unknownId("jobId"), ({ jobId }) => ({ jobId, cursor: "9999" })],
  create_checkout_session: [
    () => ({ customer: { externalId: "nobody" }, amountUsd: 1 }),
    withField("create_checkout_session", "amountUsd", "49.01"),
    withField("create_checkout_session", "metadata", { checkoutSessionId: "cs_mine" })
  ],
  create_payment_request: [
    () => ({ walletMappingId: missing, amountUsd: 1 }),
    withField("create_payment_request", "amountUsd", -1),
    withField("create_payment_request", "expiryDays", 366),
    () => ({})
  ],
  list_payment_requests: [
    ...wrongPage,
    () => ({ status: "lost" }),
    () => ({ customerNamespace: "shop" })
  ],
  extend_payment_request: [
    () => ({ idOrPid: missing, expiryDays: 3 }),
    ({ pid }) => ({ idOrPid: pid, expiryDays: "3" })
  ],
  resolve_deposit: [
    unknownId("depositId"),
    ({ depositId }) => ({ depositId, action: "give" }),
    ({ depositId }) => ({ depositId, action: "attach" }),
    ({ depositId, pid }) => ({ depositId, action: "ignore", pid }),
    ({ depositId }) => ({ depositId, action: "attach", pid: missing })
  ],
  list_deposits: [
    ...wrongPage,
    () => ({ status: "lost" }),
    () => ({ customerNamespace: "shop" }),
    () => ({ txHash: "0x123" })
  ],
  create_merchant_webhook: [
    () => ({ url: "ftp://shop.example.com" }),
    withField("create_merchant_webhook", "events", ["webhook.test"]),
    () => ({})
  ],
  update_merchant_webhook: [
    () => ({ id: missing, maxAttempts: 3 }),
    withField("update_merchant_webhook", "maxAttempts", 11)
  ],
  rotate_merchant_webhook_secret: [
    ...wrongId("id"),
    withField("rotate_merchant_webhook_secret", "gracePeriodSeconds", 604_801),
    withField("rotate_merchant_webhook_secret", "gracePeriodSeconds", -1)
  ],
  recover_merchant_webhook: [
    withField("recover_merchant_webhook", "id", missing),
    withField("recover_merchant_webhook", "since", "2100-01-01T00:00:00Z"),
    withField("recover_merchant_webhook", "until", "yesterday"),
    withField("recover_merchant_webhook", "status", "delivered"),
    ({ endpointId }) => ({ id: endpointId })
  ],
  list_webhook_deliveries: [
    ...wrongPage,
    () => ({ eventType: "lost" }),
    () => ({ sequence: 0 }),
    () => ({ since: "2030-02-30T00:00:00Z" })
  ],
  get_webhook_delivery: [unknownId("id"), emptyId("id")],
  list_events: [...wrongPage, () => ({ type: "lost" })],
  add_recipient: [
    withField("add_recipient", "address", "0x8Ba1f109551bD432803012645Ac136ddd64DBA72"),
    withField("add_recipient", "address", `0x${"0".repeat(40)}`),
    withField("add_recipient", "chainId", "atlantis"),
    withField("add_recipient", "nickname", " "),
    () => ({})
  ],
  approve_recipient: [
    unknownId("recipientId"),
    emptyId("recipientId"),
    ({ recipientId }) => ({ recipientId }),
    ({ newcomerId }) => ({ recipientId: newcomerId, challengeId: missing, walletSignature: "0x00" })
  ],
  update_cosigner_rules: [
    () => ({}),
    () => ({ rules: [{ ...sendRule, maxAmountMicro: "6" }] }),
    () => ({ rules: [{ ...sendRule, requiredApprovals: 9 }] })
  ],
  resend_claim_link: [() => ({ stray: "x" }), () => ({ accountId: missing })],
  simulate_transfer: [
    withField("simulate_transfer", "recipientId", missing),
    withField("simulate_transfer", "amountUsdc", "0"),
    withField("simulate_transfer", "fromWalletId", missing),
    withField("simulate_transfer", "depositId", missing),
    withField("simulate_transfer", "paymentRequestId", missing),
    () => ({})
  ],
  propose_create_account: [
    withField("propose_create_account", "chainId", "atlantis"),
    withField("propose_create_account", "walletName", "x"),
    withField("propose_create_account", "metadata", { team: 1 })
  ],
  propose_rename_account: [
    withField("propose_rename_account", "accountId", missing),
    withField("propose_rename_account", "nickname", "x".repeat(65))
  ],
  set_wallet_metadata: [
    withField("set_wallet_metadata", "accountId", missing),
    withField("set_wallet_metadata", "metadata", { "": "x" })
  ],
  propose_transfer: [
    withField("propose_transfer", "recipientId", missing),
    withField("propose_transfer", "fromWalletId", missing),
    withField("propose_transfer", "amountUsdc", "1e3"),
    withField("propose_transfer", "amountUsdc", "1000000"),
    withField("propose_transfer", "memo", "x".repeat(257)),
    (own) => ({ ...inputs.propose_transfer(own), recipientId: own.newcomerId })
  ],
  check_allowance: [
    withField("check_allowance", "fromWalletId", missing),
    withField("check_allowance", "tokenAddress", "0x8Ba1f109551bD432803012645Ac136ddd64DBA72"),
    withField("check_allowance", "tokenAddress", `0x${"0e".repeat(20)}`),
    withField("check_allowance", "requiredAmountSmallest", "0"),
    withField("check_allowance", "requiredAmountSmallest", "1.5"),
    withField("check_allowance", "flow", "swap"),
    () => ({})
  ],
  quote_swap: [
    () => ({}),
    withField("quote_swap", "fromWalletId", missing),
    withField("quote_swap", "buyTokenAddress", `0x${"0e".repeat(20)}`),
    withField("quote_swap", "buySymbol", "GOLD"),
    (own) => ({
      fromWalletId: own.walletId,
      sellSymbol: "USDC",
      buySymbol: "GOLD",
      amountUsd: "25.00"
    }),
    // There is one token on its chain.
    ({ secondWalletId: fromWalletId }) => ({
      ...{ fromWalletId, sellSymbol: "USDC", buySymbol: "GOLD", amountUsd: "25.00" }
    }),
    withField("quote_swap", "sellMint", usdcOnSolana),
    // One token twice.
    ({ walletId: fromWalletId }) => ({
      ...{ fromWalletId, sellSymbol: "USDC", buySymbol: "USDC", amountUsd: "25.00" }
    }),
    withField("quote_swap", "amountUsd", "0"),
    withField("quote_swap", "slippagePercent", 50.01),
    withField("quote_swap", "slippagePercent", "1")
  ],
  quote_bridge: [
    () => ({}),
    withField("quote_bridge", "fromWalletId", missing),
    withField("quote_bridge", "toWalletId", missing),
    withField("quote_bridge", "buySymbol", "GOLD"),
    // No bridge carries it.
    withField("quote_bridge", "sellSymbol", "GOLD"),
    // No bridge goes there.
    ({ solanaWalletId: toWalletId, walletId: fromWalletId }) => ({
      ...{ fromWalletId, toWalletId, sellSymbol: "USDC", buySymbol: "USDC", amountUsd: "25.00" }
    }),
    withField("quote_bridge", "amountUsd", "0.0001")
  ],
  propose_bridge: [
    () => ({}),
    withField("propose_bridge", "toWalletId", missing),
    withField("propose_bridge", "sellTokenAddress", `0x${"0e".repeat(20)}`),
    withField("propose_bridge", "previewQuoteId", missing),
    withField("propose_bridge", "amountUsd", "99999.00")
  ],
  propose_swap: [
    () => ({}),
    withField("propose_swap", "fromWalletId", missing),
    withField("propose_swap", "sellTokenAddress", `0x${"0e".repeat(20)}`),
    withField("propose_swap", "previewQuoteId", missing),
    withField("propose_swap", "amountUsd", "99999.00"),
    withField("propose_swap", "slippagePercent", 0.125),
    // Its venue may take half of its GOLD.
    withField("propose_swap", "amountUsd", "1200.00")
  ],
  propose_solana_swap: [
    () => ({}),
    withField("propose_solana_swap", "fromWalletId", missing),
    withField("propose_solana_swap", "toWalletId", missing),
    withField("propose_solana_swap", "sellMint", usdcOnSolana),
    withField("propose_solana_swap", "previewQuoteId", missing),
    withField("propose_solana_swap", "amountUsd", "99999.00"),
    withField("propose_solana_swap", "slippagePercent", 0.125)
  ],
  propose_refund: [
    withField("propose_refund", "depositId", missing),
    withField("propose_refund", "paymentRequestId", missing),
    withField("propose_refund", "recipientId", missing),
    withField("propose_refund", "fromWalletId", missing),
    withField("propose_refund", "amountUsdc", "10.000001"),
    ({ pid, recipientId }) => ({ paymentRequestId: pid, recipientId }),
    ({ recipientId }) => ({ recipientId }),
    (own) => ({ ...inputs.propose_refund(own), recipientId: own.newcomerId })
  ],
  propose_token_approve: [
    withField("propose_token_approve", "fromWalletId", missing),
    withField("propose_token_approve", "tokenAddress", `0x${"0e".repeat(20)}`),
    withField("propose_token_approve", "flow", "swap"),
    withField("propose_token_approve", "flow", "limit_order_bridge"),
    withField("propose_token_approve", "spender", `0x${"0e".repeat(20)}`),
    withField("propose_token_approve", "amountSmallestUnit", "-1"),
    withField("propose_token_approve", "amountSmallestUnit", "100000000001")
  ],
  confirm_proposal: [
    unknownId("proposalId"),
    withField("confirm_proposal", "expectedIntentHash", "0".repeat(64)),
    withField("confirm_proposal", "waitMs", 30_001)
  ],
  list_proposals: [...wrongPage, () => ({ status: "lost" }), () => ({ kind: "lost" })],
  create_api_key: [
    () => ({ scopes: [] }),
    () => ({ scopes: ["everything"] }),
    withField("create_api_key", "expiresAt", "1969-01-01T00:00:00.000Z"),
    withField("create_api_key", "ipRanges", ["203.0.113.0/33"]),
    withField("create_api_key", "walletIds", [missing]),
    withField("create_api_key", "recipientIds", [missing]),
    withField("create_api_key", "dailyCapUsd", "0")
  ],
  revoke_api_key: [unknownId("keyId"), withField("revoke_api_key", "keepDescendants", true)],
  get_audit_proof: [
    unknownId("entryId"),
    emptyId("entryId"),
    () => ({}),
    withField("get_audit_proof", "fromTreeSize", 1),
    withField("get_audit_proof", "treeSize", 0),
    withField("get_audit_proof", "treeSize", 999),
    () => ({ fromTreeSize: 999 }),
    () => ({ fromTreeSize: 0 }),
    () => ({ fromTreeSize: 3, treeSize: 2 })
  ],
  get_guide: [() => ({ topic: "everything" })]
}

export const bad: Readonly<Record<Name, ReadonlyArray<Bad>>> = {
  ...refusedInputs(Object.keys(table)),
  ...table
}
