/**
 * A valid call of every operation, on what an account has that has one of everything. What the catalogue
 * must do for every operation is tested by walking these.
 */
import { gold, jup } from "../../apps/testing/wiring.ts"
import type { Name } from "../../core/treasury/operations.ts"
import { validInputs } from "./derived-calls.ts"
import type { Owner } from "./full-account.ts"
import type { Fields } from "./surface-calls.ts"

type Inputs = Readonly<Record<Name, (owner: Owner) => Fields>>

/** The token that is USDC on the scripted chain. */
const usdc = `0x${"05".repeat(20)}`
/** Of the scripted Solana. */
const usdcOnSolana = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"

const merchantFields = {
  description: "Two coffees\nand a cake",
  externalReference: "order-1",
  metadata: { table: 4, tags: ["terrace"], nested: { note: null } }
}

const aMonth = { since: "2026-11-01T00:00:00Z", until: "2026-12-01T00:00:00+01:00" }
const upToFifty = { minAmountUsd: "0.01", maxAmountUsd: "50" }

/** With every field the operation knows, in an order in which all succeed; what follows from an operation is left out. */
const table: Partial<Inputs> = {
  list_wallets: ({ externalId }) => ({
    metadataKey: "city",
    metadataValue: "Oslo",
    customerExternalId: externalId,
    customerNamespace: "default",
    ...aMonth,
    limit: 5
  }),
  get_holdings: ({ vaultId }) => ({
    walletId: vaultId,
    includeSpam: true,
    limit: 5,
    cursor: "0_coin"
  }),
  discover_tokens: () => ({ chainId: "local", query: "usd", verifiedOnly: true, limit: 5 }),
  list_yield_markets: () => ({ chainId: "local", asset: "usdc", verifiedOnly: true, limit: 5 }),
  create_provisioning_job: () => ({
    chainId: "local",
    customers: [{ externalId: "ada", namespace: "shop", metadata: { plan: "pro" } }]
  }),
  get_provisioning_job: ({ jobId }) => ({ jobId, limit: 5, cursor: "0" }),
  create_checkout_session: ({ externalId }) => ({
    customer: { externalId, namespace: "default" },
    amountUsd: 49,
    amountSmallestUnit: "49000000",
    product: { slug: "pro", name: "Pro plan", externalSkuId: "SKU-1" },
    ...merchantFields,
    expiresInMinutes: 30,
    successUrl: "https://shop.example.com/thanks",
    cancelUrl: "http://localhost:3000/basket"
  }),
  create_payment_request: ({ vaultId }) => ({
    walletMappingId: vaultId,
    amountUsd: "49.90",
    amountSmallestUnit: "49900000",
    ...merchantFields,
    expiryDays: 14
  }),
  list_payment_requests: ({ externalId, vaultId }) => ({
    walletMappingId: vaultId,
    status: "open",
    externalReference: "order-1",
    customerExternalId: externalId,
    customerNamespace: "default",
    ...aMonth,
    ...upToFifty,
    limit: 5
  }),
  extend_payment_request: ({ pid }) => ({ idOrPid: pid, expiryDays: 7 }),
  cancel_payment_request: ({ pid }) => ({ idOrPid: pid }),
  resolve_deposit: ({ depositId, pid }) => ({ depositId, action: "attach", pid }),
  list_deposits: ({ externalId, vaultId }) => ({
    vaultId,
    customerExternalId: externalId,
    customerNamespace: "default",
    txHash: `0x${"ab".repeat(32)}`,
    status: "open",
    ...aMonth,
    ...upToFifty,
    limit: 5
  }),
  create_merchant_webhook: () => ({
    url: "https://till.example.com/webhooks",
    events: ["payment_request.paid", "payment_request.expired"],
    notices: ["send_failed", "token_changed"],
    description: "The till",
    maxAttempts: 4,
    standardHeaders: true
  }),
  update_merchant_webhook: ({ endpointId }) => ({
    id: endpointId,
    url: "https://shop.example.com/other",
    events: ["payment_request.paid"],
    notices: ["relayer_low"],
    description: "Moved",
    maxAttempts: 3,
    standardHeaders: true
  }),
  rotate_merchant_webhook_secret: ({ endpointId }) => ({
    id: endpointId,
    gracePeriodSeconds: 3600
  }),
  disable_merchant_webhook: ({ endpointId }) => ({ id: endpointId }),
  enable_merchant_webhook: ({ endpointId }) => ({ id: endpointId }),
  recover_merchant_webhook: ({ endpointId }) => ({
    id: endpointId,
    since: "1970-01-01T00:00:00Z",
    until: "2100-01-01T00:00:00Z",
    status: "skipped",
    cursor: "0_x"
  }),
  list_webhook_deliveries: ({ endpointId, eventId }) => ({
    status: "pending",
    endpointId,
    eventId,
    eventType: "payment_request.created",
    sequence: 1,
    since: "1970-01-01T00:00:00Z",
    until: "2100-01-01T00:00:00+02:00",
    limit: 5
  }),
  get_webhook_delivery: ({ deliveryId }) => ({ id: deliveryId }),
  replay_webhook_delivery: ({ deliveryId }) => ({ id: deliveryId }),
  delete_merchant_webhook: ({ endpointId }) => ({ id: endpointId }),
  list_events: ({ checkoutPid }) => ({
    ...aMonth,
    type: "payment_request.created",
    paymentRequestPid: checkoutPid,
    limit: 5
  }),
  add_recipient: () => ({
    address: "0x8ba1f109551bD432803012645Ac136ddd64DBA72",
    chainId: "local",
    nickname: "Supplier"
  }),
  approve_recipient: ({ newcomerId }) => ({ recipientId: newcomerId }),
  simulate_transfer: ({ recipientId, refundableId, walletId }) => ({
    recipientId,
    amountUsdc: "12.50",
    fromWalletId: walletId,
    depositId: refundableId
  }),
  propose_create_account: () => ({
    chainId: "local",
    walletName: "Payroll",
    metadata: { team: "ops" }
  }),
  propose_transfer: ({ recipientId, walletId }) => ({
    recipientId,
    amountUsdc: "12.50",
    fromWalletId: walletId,
    memo: "Invoice 7"
  }),
  propose_refund: ({ refundableId, recipientId, walletId }) => ({
    depositId: refundableId,
    recipientId,
    amountUsdc: "2.50",
    fromWalletId: walletId
  }),
  quote_swap: ({ walletId }) => ({
    fromWalletId: walletId,
    toWalletId: walletId,
    sellSymbol: "GOLD",
    sellTokenAddress: gold.address,
    buySymbol: "USDC",
    buyTokenAddress: usdc,
    amountUsd: "25.00",
    slippagePercent: 0.5
  }),
  quote_bridge: ({ secondWalletId, walletId }) => ({
    fromWalletId: walletId,
    toWalletId: secondWalletId,
    sellSymbol: "USDC",
    buySymbol: "USDC",
    amountUsd: "25.00"
  }),
  propose_bridge: ({ secondWalletId, walletId }) => ({
    fromWalletId: walletId,
    toWalletId: secondWalletId,
    sellTokenAddress: usdc,
    buyTokenAddress: `0x${"06".repeat(20)}`,
    sellSymbol: "USDC",
    buySymbol: "USDC",
    amountUsd: "25.00"
  }),
  propose_swap: ({ walletId }) => ({
    fromWalletId: walletId,
    sellSymbol: "GOLD",
    sellTokenAddress: gold.address,
    buySymbol: "USDC",
    buyTokenAddress: usdc,
    amountUsd: "25.00",
    slippagePercent: 0.5
  }),
  propose_solana_swap: ({ solanaWalletId }) => ({
    fromWalletId: solanaWalletId,
    toWalletId: solanaWalletId,
    sellSymbol: "JUP",
    sellMint: jup.address,
    buySymbol: "USDC",
    buyMint: usdcOnSolana,
    amountUsd: "25.00",
    slippagePercent: 0.5
  }),
  check_allowance: ({ walletId }) => ({
    fromWalletId: walletId,
    tokenAddress: usdc,
    requiredAmountSmallest: "12500000",
    flow: "intent_swap"
  }),
  propose_token_approve: ({ walletId }) => ({
    fromWalletId: walletId,
    tokenAddress: usdc,
    flow: "intent_swap",
    amountSmallestUnit: "12500000"
  }),
  confirm_proposal: ({ proposalId, intentHash }) => ({
    proposalId,
    expectedIntentHash: intentHash,
    waitMs: 1000
  }),
  list_proposals: () => ({
    status: "pending_confirm",
    kind: "rename_account",
    ...aMonth,
    limit: 5
  }),
  cancel_proposal: ({ otherProposalId }) => ({ proposalId: otherProposalId }),
  revoke_recipient: ({ newcomerId }) => ({ recipientId: newcomerId }),
  create_api_key: ({ recipientId, walletId }) => ({
    scopes: ["account:read", "balances:read"],
    label: "Reporting",
    expiresAt: "1971-01-01T00:00:00.000Z",
    ipRanges: ["203.0.113.0/24", "2001:db8::/32"],
    walletIds: [walletId],
    recipientIds: [recipientId],
    dailyCapUsd: "250.00"
  }),
  revoke_api_key: ({ keyId }) => ({
    keyId,
    includeDescendants: true,
    keepDescendants: false
  }),
  get_audit_proof: ({ auditEntryId }) => ({ entryId: auditEntryId, treeSize: 9 }),
  remove_cosigner: ({ membershipId }) => ({ membershipId }),
  update_cosigner_rules: () => ({
    rules: [{ action: "send", minAmountMicro: "5", maxAmountMicro: null, requiredApprovals: 1 }]
  }),
  invite_cosigner: ({ neighbourId }) => ({
    cosignerUserId: neighbourId,
    nickname: "Neighbour"
  }),
  decline_cosigner_invite: ({ otherIncomingInviteId }) => ({
    inviteId: otherIncomingInviteId
  }),
  revoke_cosigner_invite: ({ outgoingInviteId }) => ({ inviteId: outgoingInviteId }),
  reject_cosigner_action: ({ otherApprovalId }) => ({
    pendingApprovalId: otherApprovalId
  }),
  cancel_governance_request: ({ governanceRequestId }) => ({
    requestId: governanceRequestId
  }),
  list_audit_log: () => ({ ...aMonth, limit: 50 }),
  get_guide: () => ({ topic: "tools" })
}

/** A valid input of every operation, in an order in which all succeed: those that follow from it change nothing of others. */
export const inputs: Inputs = { ...validInputs(Object.keys(table)), ...table }
