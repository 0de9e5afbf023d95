/**
 * Where each operation stands over REST: one line each, in the order of the catalogue. A path without
 * a mark is below `/api/v1`; `@` marks one on the site root, where `?action=` tells operations apart.
 */
import type { Name } from "../../core/treasury/operations.ts"

export const routes = {
  get_account: "GET /account",
  list_wallets: "GET /wallets",
  get_portfolio: "GET /portfolio",
  get_holdings: "GET /portfolio/holdings",
  discover_tokens: "GET /tokens/discover",
  list_yield_markets: "GET /yield/markets",
  list_yield_positions: "GET /yield/positions",
  create_provisioning_job: "POST /provisioning/jobs",
  get_provisioning_job: "GET /provisioning/jobs/:jobId",
  create_checkout_session: "POST /checkout/sessions",
  create_payment_request: "POST /payment-requests",
  get_payment_request: "GET /payment-requests/:idOrPid",
  list_payment_requests: "GET /payment-requests",
  cancel_payment_request: "POST /payment-requests/:idOrPid/cancel",
  extend_payment_request: "POST /payment-requests/:idOrPid/extend",
  list_deposits: "GET /deposits",
  resolve_deposit: "POST /deposits/:depositId/resolve",
  create_merchant_webhook: "POST @/api/merchant-webhooks",
  list_merchant_webhooks: "GET @/api/merchant-webhooks",
  get_merchant_webhook: "GET @/api/merchant-webhooks/:id",
  update_merchant_webhook: "PATCH @/api/merchant-webhooks/:id",
  delete_merchant_webhook: "DELETE @/api/merchant-webhooks/:id",
  send_merchant_webhook_test: "POST @/api/merchant-webhooks/:id?action=test",
  rotate_merchant_webhook_secret: "POST @/api/merchant-webhooks/:id?action=rotate",
  disable_merchant_webhook: "POST @/api/merchant-webhooks/:id?action=disable",
  enable_merchant_webhook: "POST @/api/merchant-webhooks/:id?action=enable",
  recover_merchant_webhook: "POST @/api/merchant-webhooks/:id?action=recover",
  list_webhook_deliveries: "GET @/api/merchant-webhooks/deliveries",
  get_webhook_delivery: "GET @/api/merchant-webhooks/deliveries/:id",
  replay_webhook_delivery: "POST @/api/merchant-webhooks/deliveries/:id?action=replay",
  list_events: "GET /events",
  list_recipients: "GET /recipients",
  add_recipient: "POST /proposals/recipients/add",
  approve_recipient: "POST /proposals/recipients/approve",
  revoke_recipient: "POST /proposals/recipients/revoke",
  get_policy_limits: "GET /policy/limits",
  get_spending: "GET /policy/spending",
  list_token_spender_grants: "GET /policy/token-spender-grants",
  simulate_transfer: "POST /policy/simulate",
  propose_create_account: "POST /proposals/create-account",
  propose_rename_account: "POST /proposals/rename-account",
  set_wallet_metadata: "POST /proposals/wallet-metadata",
  propose_transfer: "POST /proposals/transfers",
  check_allowance: "GET /trade/allowance",
  propose_refund: "POST /proposals/refunds",
  propose_token_approve: "POST /proposals/token-approve",
  confirm_proposal: "POST /proposals/:proposalId/confirm",
  get_proposal: "GET /proposals/:proposalId",
  list_proposals: "GET /proposals",
  cancel_proposal: "POST /proposals/:proposalId/cancel",
  get_audit_checkpoint: "GET /audit-log/checkpoint",
  get_audit_proof: "GET /audit-log/proof",
  list_cosigner_memberships: "GET /cosigners/memberships",
  get_cosigner_rules: "GET /cosigners/rules",
  update_cosigner_rules: "PUT /cosigners/rules",
  invite_cosigner: "POST /cosigners/invites",
  list_incoming_cosigner_invites: "GET /cosigners/incoming-invites",
  accept_cosigner_invite: "POST /cosigners/invites/accept",
  decline_cosigner_invite: "POST /cosigners/invites/decline",
  revoke_cosigner_invite: "POST /cosigners/invites/revoke",
  remove_cosigner: "POST /cosigners/memberships/remove",
  list_pending_cosigner_approvals: "GET /cosigners/pending-approvals",
  approve_cosigner_action: "POST /cosigners/actions/approve",
  reject_cosigner_action: "POST /cosigners/actions/reject",
  list_funding_wallet_agents: "GET /agents/funding-wallets",
  resend_claim_link: "POST /agents/resend-claim-link",
  list_governance_requests: "GET /governance/requests",
  cancel_governance_request: "POST /governance/requests/cancel",
  list_audit_log: "GET /audit-log",
  create_api_key: "POST /keys",
  list_api_keys: "GET /keys",
  revoke_api_key: "POST /keys/:keyId/revoke",
  get_guide: "GET /guide"
} as const satisfies Record<Name, Line>

export const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const
export type Method = (typeof methods)[number]

/** One line of the table: `GET /wallets`, `POST @/api/merchant-webhooks/:id?action=test`. */
export type Line = `${Method} ${"" | "@"}/${string}`

export type Path = `/${string}`
