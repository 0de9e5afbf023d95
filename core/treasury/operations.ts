/** The catalogue: every operation, in the order of the manual. Nothing is served that is not in it. */

import { Layer } from "effect"
import { getAccount, listApiKeys, listFundingWalletAgents } from "../accounts/find.ts"
import { resendClaimLink } from "../agents/resend-claim-link.ts"
import { approveRecipient } from "../approvals/approve-recipient.ts"
import { listPendingCosignerApprovals } from "../approvals/pending.ts"
import { removeCosigner } from "../approvals/remove-cosigner.ts"
import { updateCosignerRules } from "../approvals/update-rules.ts"
import { approveCosignerAction, rejectCosignerAction } from "../approvals/vote.ts"
import { getAuditCheckpoint } from "../audit/checkpoint.ts"
import { listAuditLog } from "../audit/log.ts"
import { getAuditProof } from "../audit/proof.ts"
import { proposeBridge } from "../bridges/propose-bridge.ts"
import { quoteBridge } from "../bridges/quote-bridge.ts"
import {
  acceptCosignerInvite,
  declineCosignerInvite,
  revokeCosignerInvite
} from "../cosigners/answer-invite.ts"
import {
  getCosignerRules,
  listCosignerMemberships,
  listIncomingCosignerInvites,
  listOutgoingCosignerInvites
} from "../cosigners/find.ts"
import { inviteCosigner } from "../cosigners/invite-cosigner.ts"
import { discoverTokens } from "../discovery/discover.ts"
import {
  cancelGovernanceRequest,
  getGovernanceRequest,
  listGovernanceRequests
} from "../governance/waiting.ts"
import { guideOver } from "../guide/guide.ts"
import { getRoutingGuide } from "../guide/routing-guide.ts"
import { createApiKey } from "../keys/create-key.ts"
import { revokeApiKey } from "../keys/revoke-key.ts"
import { Catalogue } from "../operation/catalogue.ts"
import type * as Operation from "../operation/operation.ts"
import { cancelPaymentRequest, extendPaymentRequest } from "../payments/cancel.ts"
import { createCheckoutSession } from "../payments/checkout.ts"
import { getDeposit, listDeposits } from "../payments/deposit.ts"
import { getEvent, listEvents } from "../payments/events.ts"
import { getPaymentRequest, getProvisioningJob, listPaymentRequests } from "../payments/find.ts"
import { createPaymentRequest } from "../payments/open.ts"
import { createProvisioningJob } from "../payments/provision.ts"
import { resolveDeposit } from "../payments/resolve.ts"
import { changeRole, removePerson } from "../people/change-person.ts"
import { listPeople } from "../people/find.ts"
import { invitePerson } from "../people/invite.ts"
import { updateAccountSettings } from "../people/update-settings.ts"
import { getPolicyLimits, getSpending } from "../policy/read.ts"
import { getHoldings } from "../portfolio/holdings.ts"
import { getPortfolio } from "../portfolio/portfolio.ts"
import { cancelProposal } from "../proposals/cancel.ts"
import { confirmOver } from "../proposals/confirm.ts"
import { getProposal, listProposals } from "../proposals/find.ts"
import { getProposalHistory } from "../proposals/history.ts"
import { addRecipient } from "../recipients/add.ts"
import { getRecipient, listRecipients } from "../recipients/find.ts"
import { revokeRecipient } from "../recipients/revoke.ts"
import { proposeSolanaSwap } from "../swaps/propose-solana-swap.ts"
import { proposeSwap } from "../swaps/propose-swap.ts"
import { quoteSwap } from "../swaps/quote-swap.ts"
import { checkAllowance } from "../trade/check-allowance.ts"
import { proposeTokenApprove } from "../trade/propose-token-approve.ts"
import { listTokenSpenderGrants } from "../trade/spender-grants.ts"
import { proposeTransfer } from "../transfers/propose-transfer.ts"
import { proposeRefund } from "../transfers/refund.ts"
import { simulateTransfer } from "../transfers/simulate.ts"
import { getWallet, listWallets } from "../wallets/find.ts"
import { proposeCreateAccount } from "../wallets/open.ts"
import { proposeRenameAccount, setWalletMetadata } from "../wallets/rename.ts"
import { sendMerchantWebhookTest } from "../webhooks/emit.ts"
import {
  getMerchantWebhook,
  getWebhookDelivery,
  listMerchantWebhooks,
  listWebhookDeliveries
} from "../webhooks/find.ts"
import { recoverMerchantWebhook, replayWebhookDelivery } from "../webhooks/recover.ts"
import { createMerchantWebhook, updateMerchantWebhook } from "../webhooks/register.ts"
import { rotateMerchantWebhookSecret } from "../webhooks/secret.ts"
import {
  deleteMerchantWebhook,
  disableMerchantWebhook,
  enableMerchantWebhook
} from "../webhooks/switch.ts"
import { listYieldMarkets } from "../yields/list-markets.ts"
import { listYieldPositions } from "../yields/list-positions.ts"
import { kinds } from "./kinds.ts"

/** Confirms any kind there is, and refuses with whatever one of them refuses with. */
const confirmProposal = confirmOver([
  ...new Set(Object.values(kinds).flatMap((kind) => [...kind.refusals]))
])

const described = [
  getAccount,
  listWallets,
  getWallet,
  getPortfolio,
  getHoldings,
  discoverTokens,
  getRoutingGuide,
  listYieldMarkets,
  listYieldPositions,
  createProvisioningJob,
  getProvisioningJob,
  createCheckoutSession,
  createPaymentRequest,
  getPaymentRequest,
  listPaymentRequests,
  cancelPaymentRequest,
  extendPaymentRequest,
  listDeposits,
  getDeposit,
  resolveDeposit,
  createMerchantWebhook,
  listMerchantWebhooks,
  getMerchantWebhook,
  updateMerchantWebhook,
  deleteMerchantWebhook,
  sendMerchantWebhookTest,
  rotateMerchantWebhookSecret,
  disableMerchantWebhook,
  enableMerchantWebhook,
  recoverMerchantWebhook,
  listWebhookDeliveries,
  getWebhookDelivery,
  replayWebhookDelivery,
  listEvents,
  getEvent,
  listRecipients,
  getRecipient,
  addRecipient,
  approveRecipient,
  revokeRecipient,
  getPolicyLimits,
  getSpending,
  listTokenSpenderGrants,
  simulateTransfer,
  proposeCreateAccount,
  proposeRenameAccount,
  setWalletMetadata,
  proposeTransfer,
  proposeRefund,
  quoteSwap,
  quoteBridge,
  proposeSwap,
  proposeBridge,
  proposeSolanaSwap,
  checkAllowance,
  proposeTokenApprove,
  confirmProposal,
  getProposal,
  getProposalHistory,
  listProposals,
  cancelProposal,
  getAuditCheckpoint,
  getAuditProof,
  listCosignerMemberships,
  getCosignerRules,
  updateCosignerRules,
  inviteCosigner,
  listOutgoingCosignerInvites,
  listIncomingCosignerInvites,
  acceptCosignerInvite,
  declineCosignerInvite,
  revokeCosignerInvite,
  removeCosigner,
  listPendingCosignerApprovals,
  approveCosignerAction,
  rejectCosignerAction,
  listFundingWalletAgents,
  resendClaimLink,
  listGovernanceRequests,
  getGovernanceRequest,
  cancelGovernanceRequest,
  listAuditLog,
  createApiKey,
  listApiKeys,
  revokeApiKey,
  listPeople
] as const

export const operations = [...described, guideOver(described)] as const

export type Operations = typeof operations
export type Name = Operations[number]["name"]

/**
 * What only people do: an owner under their passkey in the console, and the operator on the command line. No
 * surface that takes an API key serves them.
 */
export const peopleOperations = [
  invitePerson,
  changeRole,
  removePerson,
  updateAccountSettings
] as const

export type PeopleOperations = typeof peopleOperations
export type PeopleName = PeopleOperations[number]["name"]

/** What the whole catalogue asks of its surroundings. */
export type Needs = Operation.Needs<Operations[number] | PeopleOperations[number]>

const byName: ReadonlyMap<string, Operation.Any> = new Map(
  operations.map((operation) => [operation.name, operation])
)

/** Hands the catalogue to the rooms below, which look operations up by name and know none. */
export const layer = Layer.succeed(Catalogue, { find: (name) => byName.get(name) })
