/**
 * An account that has one of everything, and a valid call of every operation on what it has. What the
 * catalogue must do for every operation is tested by walking these.
 */
import { DateTime, Effect } from "effect"
import { ChainScript } from "../../adapters/memory/chains.ts"
import { authenticate } from "../../core/accounts/authenticate.ts"
import { issue } from "../../core/accounts/create-key.ts"
import { openAccount } from "../../core/accounts/open.ts"
import { system } from "../../core/audit/record.ts"
import { type Facts as CallerFacts, Scope } from "../../core/caller.ts"
import type { Name } from "../../core/operations.ts"
import { Recipients } from "../../core/ports/recipients.ts"
import { Transfers } from "../../core/ports/transfers.ts"
import { callsOf } from "../../core/treasury.ts"
import { createWallet } from "../../core/wallets/create.ts"
import type { Wallet } from "../../core/wallets/wallet.ts"
import { type Council, councilInputs, councilOf } from "./a-council.ts"
import type { Fields } from "./asking.ts"
import * as Rows from "./rows.ts"
import { aRecipient } from "./sending-rows.ts"

export interface Owner extends Council {
  readonly caller: CallerFacts
  readonly apiKey: string
  readonly externalId: string
  readonly vaultId: string
  /** The account's own wallet. */
  readonly walletId: string
  readonly depositId: string
  readonly requestId: string
  readonly pid: string
  /** Another open request, whose events wait for the endpoint. */
  readonly checkoutPid: string
  readonly jobId: string
  readonly keyId: string
  readonly endpointId: string
  readonly deliveryId: string
  readonly eventId: string
  /** May be paid now. */
  readonly recipientId: string
  /** Is in its cooldown. */
  readonly newcomerId: string
  /** To be confirmed, with this hash. */
  readonly proposalId: string
  readonly intentHash: string
  /** To be cancelled. */
  readonly otherProposalId: string
  /** The first entry of the audit log. */
  readonly auditEntryId: string
}

const vaultFor = (accountId: string, externalId: string) =>
  createWallet(
    {
      accountId,
      chainId: "local",
      name: "Vault",
      isDefault: false,
      metadata: { city: "Oslo" },
      kind: "collection",
      customer: { externalId, namespace: "default" }
    },
    system
  )

const walletFor = (accountId: string) =>
  createWallet(
    {
      accountId,
      chainId: "local",
      name: "Main",
      isDefault: true,
      metadata: {},
      kind: "standard",
      customer: null
    },
    system
  )

/** A recipient that may be paid, and one in its cooldown. */
const recipientsOf = Effect.fnUntraced(function* (accountId: string, tick: Effect.Effect<void>) {
  const recipients = yield* Recipients
  const add = Effect.fnUntraced(function* (status: "approved" | "pending", hours: number) {
    const createdAt = yield* DateTime.now
    const cooldownEndsAt = DateTime.add(createdAt, { hours })
    const over = { chainId: "local", status, cooldownEndsAt, createdAt }
    const recipient = aRecipient(accountId, over)
    yield* recipients.add(recipient)
    yield* tick
    return recipient.id
  })
  return { recipientId: yield* add("approved", 0), newcomerId: yield* add("pending", 24) }
})

/** Opens the account; `tick` passes between two writes, so that lists have one order. */
export const owner = Effect.fnUntraced(function* (
  externalId: string,
  tick: Effect.Effect<void> = Effect.void
) {
  const { id: accountId } = yield* openAccount({
    name: "Corner Shop",
    kind: "developer",
    tier: "startup"
  })
  const wanted = { accountId, kind: "developer", label: null, expiresAt: null } as const
  const { text: apiKey } = yield* issue({ ...wanted, scopes: Scope.literals })
  const caller = yield* authenticate(apiKey)
  const vault = (yield* vaultFor(accountId, externalId)) as Wallet
  const wallet = (yield* walletFor(accountId)) as Wallet
  const { fund } = yield* ChainScript
  for (const { address } of [wallet, vault]) yield* fund(address, 1_000_000_000n)
  const deposit = Rows.aTransfer(vault, { state: "final", finalAt: Rows.at(2) })
  yield* (yield* Transfers).record(deposit)
  const call = callsOf(caller)
  const request = yield* call.create_payment_request({ walletMappingId: vault.id, amountUsd: 5 })
  yield* tick
  const endpoint = yield* call.create_merchant_webhook({
    url: "https://shop.example.com/webhooks",
    events: ["payment_request.created"]
  })
  yield* tick
  const session = yield* call.create_checkout_session({ customer: { externalId }, amountUsd: 7 })
  yield* tick
  const job = yield* call.create_provisioning_job({
    chainId: "local",
    customers: [{ externalId: `${externalId}-next` }]
  })
  yield* tick
  const key = yield* call.create_api_key({ scopes: ["account:read"] })
  yield* tick
  const recipients = yield* recipientsOf(accountId, tick)
  const rename = (nickname: string) =>
    Effect.tap(call.propose_rename_account({ accountId: wallet.id, nickname }), () => tick)
  const { proposalId, intentHash } = yield* rename("Till")
  const other = yield* rename("Till 2")
  const council = yield* councilOf(caller, call, tick)
  yield* call.get_audit_checkpoint({})
  const entry = (yield* call.list_audit_log({})).entries.at(-1)
  const [delivery] = (yield* call.list_webhook_deliveries({})).webhook_deliveries
  return {
    caller,
    apiKey,
    externalId,
    vaultId: vault.id,
    walletId: wallet.id,
    requestId: request.id,
    pid: request.pid,
    checkoutPid: session.pid,
    jobId: job.jobId,
    keyId: key.id,
    endpointId: endpoint.id,
    deliveryId: delivery?.id as string,
    eventId: delivery?.eventId as string,
    ...recipients,
    ...council,
    depositId: deposit.id,
    proposalId,
    intentHash,
    otherProposalId: other.proposalId,
    auditEntryId: entry?.id as string
  } satisfies Owner
})

/** The token that is USDC on the scripted chain. */
const usdc = `0x${"05".repeat(20)}`

const merchantFields = {
  description: "Two coffees\nand a cake",
  externalReference: "order-1",
  metadata: { table: 4, tags: ["terrace"], nested: { note: null } }
}

/** A valid input of every operation with every field it knows, in an order in which all succeed. */
export const inputs: Readonly<Record<Name, (owner: Owner) => Fields>> = {
  get_account: () => ({}),
  list_wallets: () => ({ metadataKey: "city", metadataValue: "Oslo", limit: 5 }),
  get_portfolio: () => ({}),
  get_holdings: ({ vaultId }) => ({
    walletId: vaultId,
    includeSpam: true,
    limit: 5,
    cursor: "0_coin"
  }),
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
  get_payment_request: ({ requestId }) => ({ idOrPid: requestId }),
  list_payment_requests: ({ vaultId }) => ({ walletMappingId: vaultId, status: "open", limit: 5 }),
  extend_payment_request: ({ pid }) => ({ idOrPid: pid, expiryDays: 7 }),
  cancel_payment_request: ({ pid }) => ({ idOrPid: pid }),
  resolve_deposit: ({ depositId, pid }) => ({ depositId, action: "attach", pid }),
  list_deposits: ({ vaultId }) => ({ vaultId, status: "open", limit: 5 }),
  create_merchant_webhook: () => ({
    url: "https://till.example.com/webhooks",
    events: ["payment_request.paid", "payment_request.expired"],
    description: "The till",
    maxAttempts: 4
  }),
  list_merchant_webhooks: () => ({ limit: 5 }),
  get_merchant_webhook: ({ endpointId }) => ({ id: endpointId }),
  update_merchant_webhook: ({ endpointId }) => ({
    id: endpointId,
    url: "https://shop.example.com/other",
    events: ["payment_request.paid"],
    description: "Moved",
    maxAttempts: 3
  }),
  send_merchant_webhook_test: ({ endpointId }) => ({ id: endpointId }),
  list_webhook_deliveries: ({ endpointId, eventId }) => ({
    status: "pending",
    endpointId,
    eventId,
    eventType: "payment_request.created",
    limit: 5
  }),
  get_webhook_delivery: ({ deliveryId }) => ({ id: deliveryId }),
  replay_webhook_delivery: ({ deliveryId }) => ({ id: deliveryId }),
  delete_merchant_webhook: ({ endpointId }) => ({ id: endpointId }),
  list_events: ({ checkoutPid }) => ({
    type: "payment_request.created",
    paymentRequestPid: checkoutPid,
    limit: 5
  }),
  list_recipients: () => ({ limit: 5 }),
  add_recipient: () => ({
    address: "0x8ba1f109551bD432803012645Ac136ddd64DBA72",
    chainId: "local",
    nickname: "Supplier"
  }),
  approve_recipient: ({ newcomerId }) => ({ recipientId: newcomerId }),
  get_policy_limits: () => ({}),
  simulate_transfer: ({ recipientId }) => ({ recipientId, amountUsdc: "12.50" }),
  propose_create_account: () => ({
    chainId: "local",
    walletName: "Payroll",
    metadata: { team: "ops" }
  }),
  propose_rename_account: ({ walletId }) => ({ accountId: walletId, nickname: "Payroll" }),
  set_wallet_metadata: ({ walletId }) => ({ accountId: walletId, metadata: { team: "ops" } }),
  propose_transfer: ({ recipientId, walletId }) => ({
    recipientId,
    amountUsdc: "12.50",
    fromWalletId: walletId,
    memo: "Invoice 7"
  }),
  list_token_spender_grants: () => ({ limit: 5 }),
  check_allowance: ({ walletId }) => ({
    fromWalletId: walletId,
    tokenAddress: usdc,
    requiredAmountSmallest: "12500000",
    flow: "intent_swap"
  }),
  propose_token_approve: ({ walletId }) => ({
    fromWalletId: walletId,
    tokenAddress: usdc,
    flow: "limit_order_bridge",
    amountSmallestUnit: "12500000"
  }),
  confirm_proposal: ({ proposalId, intentHash }) => ({
    proposalId,
    expectedIntentHash: intentHash,
    waitMs: 1000
  }),
  get_proposal: ({ proposalId }) => ({ proposalId }),
  list_proposals: () => ({ status: "pending_confirm", kind: "rename_account", limit: 5 }),
  cancel_proposal: ({ otherProposalId }) => ({ proposalId: otherProposalId }),
  revoke_recipient: ({ newcomerId }) => ({ recipientId: newcomerId }),
  create_api_key: () => ({
    scopes: ["account:read", "balances:read"],
    label: "Reporting",
    expiresAt: "1971-01-01T00:00:00.000Z"
  }),
  list_api_keys: () => ({ limit: 5 }),
  revoke_api_key: ({ keyId }) => ({ keyId }),
  get_audit_checkpoint: () => ({}),
  get_audit_proof: ({ auditEntryId }) => ({ entryId: auditEntryId, treeSize: 9 }),
  ...councilInputs,
  list_audit_log: () => ({ limit: 50 }),
  get_guide: () => ({ topic: "tools" })
}
