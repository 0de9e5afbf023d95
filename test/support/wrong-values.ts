/**
 * Values that a field must refuse, by what the field holds. Each list is written out from the contract,
 * never derived from the schemas it tests.
 */
import { amountSmallestUnit, amountUsd, amountUsdc } from "./wrong-amounts.ts"
import { ids, ranges } from "./wrong-lists.ts"
import {
  address,
  broken,
  chainId,
  cursor,
  hidden,
  instant,
  line,
  malformedInstant,
  name,
  nickname,
  prose,
  returnUrl,
  sha256,
  usdc,
  type Values,
  webhookUrl
} from "./wrong-text.ts"

const notNumbers: Values = ["5", "5.0", "1e1", "0x5", "NaN", "", " ", true, null, [], [5], {}]
const notObjects: Values = ["x", "", 1, true, null, [], ["x"]]

const whole = (least: number, most: number): Values => [
  ...notNumbers,
  least - 1,
  most + 1,
  least + 0.5,
  -most,
  -1e9,
  1e20,
  1e308
]

const slippagePercent: Values = [...notNumbers, -0.01, 50.01, 51, 0.125, 1e-7, 1e20]

const keyed = (keys: number) =>
  Object.fromEntries(Array.from({ length: keys }, (_, at) => [`key${at}`, "x"]))

/** As a parser of JSON makes it: `__proto__` is a key of its own. */
const withKey = (key: string, value: unknown): unknown =>
  JSON.parse(`{${JSON.stringify(key)}:${JSON.stringify(value)}}`)

const reserved: Values = ["__proto__", "constructor", "prototype"].map((key) => withKey(key, "x"))

const badKeys: Values = ["", "k".repeat(65), ...hidden, "a\nb", "\ud800"].map((key) =>
  withKey(key, "x")
)

const metadata: Values = [
  ...notObjects,
  ...reserved,
  ...badKeys,
  keyed(21),
  { a: { b: { c: { d: { e: 1 } } } } },
  { a: [[[[1]]]] },
  { a: "x".repeat(4096) },
  Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`key${at}`, "x".repeat(250)])),
  { a: "\u0000" },
  { a: ["x", { b: "x\u0000y" }] },
  { a: { "\u0000": 1 } },
  { a: "\ud800" },
  { a: { b: ["\udc00"] } },
  { a: { "\ud83d": 1 } }
]

const stamps: Values = ["customerExternalId", "customerNamespace", "checkoutSessionId"].map((key) =>
  withKey(key, "mine")
)

const tags: Values = [
  ...notObjects,
  ...reserved,
  ...badKeys,
  keyed(21),
  ...[1, true, null, [], {}, "x".repeat(501), ...hidden, ...broken].map((value) => ({
    tag: value
  }))
]

const flag: Values = ["true", "false", "", "yes", 1, 0, null, [], [true], {}]

const choices = (one: string, most: ReadonlyArray<string>): Values => [
  ...notObjects.filter((value) => !Array.isArray(value)),
  {},
  { 0: one },
  [],
  ["nothing"],
  [one, one],
  [one, "nothing"],
  [null],
  [1],
  [[one]],
  [`${one} `],
  [one.toUpperCase()],
  [`${one}\u0000`],
  [...most, one]
]

/** The same of a list that may be empty. */
const anyChoices = (one: string, most: ReadonlyArray<string>): Values =>
  choices(one, most).filter((value) => !Array.isArray(value) || value.length > 0)

const objects = (...partial: ReadonlyArray<unknown>): Values => [...notObjects, {}, ...partial]

const customers: Values = [
  ...notObjects.filter((value) => !Array.isArray(value)),
  {},
  [],
  ["ada"],
  [null],
  [[]],
  [{}],
  [{ namespace: "shop" }],
  [{ externalId: "ada", stray: 1 }],
  [{ externalId: "ada" }, { externalId: null }],
  Array.from({ length: 1001 }, (_, at) => ({ externalId: `c${at}` }))
]

/** A human's key may bring neither, an unknown challenge fits nothing, and each needs the other. */
const signed = {
  challengeId: [...line(64), "no-such-challenge"],
  walletSignature: [...line(8192), "0x00", "not base16!", "0x".padEnd(9000, "0")]
}

/** For every field of every write: what it refuses. Paths as `param` tells them, below the operation's name. */
export const wrong: Readonly<Record<string, Readonly<Record<string, Values>>>> = {
  create_provisioning_job: {
    chainId,
    customers,
    "customers.0.externalId": line(128),
    "customers.0.namespace": line(64),
    "customers.0.metadata": tags
  },
  create_checkout_session: {
    customer: objects({ namespace: "shop" }, { externalId: "ada", stray: 1 }),
    "customer.externalId": line(128),
    "customer.namespace": line(64),
    amountUsd,
    amountSmallestUnit,
    product: objects({ slug: "pro" }, { slug: "a", name: "b", externalSkuId: "c", stray: 1 }),
    "product.slug": line(100),
    "product.name": line(200),
    "product.externalSkuId": line(100),
    description: prose(500),
    externalReference: line(200),
    metadata: [...metadata, ...stamps],
    expiryDays: whole(1, 365),
    expiresInMinutes: whole(1, 525_600),
    successUrl: returnUrl,
    cancelUrl: returnUrl
  },
  create_payment_request: {
    walletMappingId: line(64),
    amountUsd,
    amountSmallestUnit,
    description: prose(500),
    externalReference: line(200),
    metadata,
    expiryDays: whole(1, 365)
  },
  cancel_payment_request: { idOrPid: line(64) },
  extend_payment_request: { idOrPid: line(64), expiryDays: whole(1, 365) },
  create_merchant_webhook: {
    url: webhookUrl,
    // None is right beside notices.
    events: anyChoices("payment_request.paid", [
      "payment_request.created",
      "payment_request.payment_failed",
      "payment_request.expired",
      "webhook.test"
    ]),
    notices: anyChoices("send_failed", ["payment_request.paid"]),
    description: line(200),
    maxAttempts: whole(1, 10),
    standardHeaders: flag
  },
  update_merchant_webhook: {
    id: line(64),
    url: webhookUrl,
    events: anyChoices("payment_request.paid", ["webhook.test"]),
    notices: anyChoices("send_failed", ["webhook.test"]),
    description: line(200),
    maxAttempts: whole(1, 10),
    standardHeaders: flag
  },
  delete_merchant_webhook: { id: line(64) },
  send_merchant_webhook_test: { id: line(64) },
  rotate_merchant_webhook_secret: { id: line(64), gracePeriodSeconds: whole(0, 604_800) },
  disable_merchant_webhook: { id: line(64) },
  enable_merchant_webhook: { id: line(64) },
  recover_merchant_webhook: {
    id: line(64),
    since: malformedInstant,
    until: malformedInstant,
    status: choices("failed", []),
    cursor
  },
  replay_webhook_delivery: { id: line(64) },
  add_recipient: {
    address,
    chainId,
    nickname,
    requiredMemo: line(256),
    ...signed
  },
  resolve_deposit: {
    depositId: line(64),
    action: choices("accept", []),
    pid: line(64)
  },
  approve_recipient: { recipientId: line(64), ...signed },
  update_cosigner_rules: {
    rules: [
      ...notObjects.filter((value) => !Array.isArray(value)),
      {},
      [null],
      [[]],
      [{}],
      ...[
        { action: "give" },
        { minAmountMicro: "-1" },
        { minAmountMicro: 5 },
        { maxAmountMicro: "5" },
        { requiredApprovals: 0 },
        { requiredApprovals: 1.5 },
        { requiredApprovals: 21 },
        { stray: 1 }
      ].map((over) => [
        {
          action: "send",
          minAmountMicro: "5",
          maxAmountMicro: null,
          requiredApprovals: 1,
          ...over
        }
      ])
    ],
    ...signed
  },
  invite_cosigner: { cosignerUserId: line(64), nickname, ...signed },
  accept_cosigner_invite: { inviteId: line(64) },
  decline_cosigner_invite: { inviteId: line(64) },
  revoke_cosigner_invite: { inviteId: line(64) },
  remove_cosigner: { membershipId: line(64), ...signed },
  approve_cosigner_action: { pendingApprovalId: line(64) },
  reject_cosigner_action: { pendingApprovalId: line(64) },
  cancel_governance_request: { requestId: line(64) },
  revoke_recipient: { recipientId: line(64) },
  propose_create_account: { chainId, walletName: name, metadata: tags },
  propose_rename_account: { accountId: line(64), nickname: name },
  set_wallet_metadata: { accountId: line(64), metadata: tags },
  propose_transfer: {
    recipientId: line(64),
    amountUsdc,
    fromWalletId: line(64),
    memo: line(256),
    onChainMemo: line(256)
  },
  propose_refund: {
    depositId: line(64),
    paymentRequestId: line(64),
    recipientId: line(64),
    amountUsdc,
    fromWalletId: line(64)
  },
  quote_swap: {
    fromWalletId: line(64),
    toWalletId: line(64),
    sellSymbol: line(32),
    sellTokenAddress: address,
    buySymbol: line(32),
    buyTokenAddress: address.filter((value) => value !== usdc),
    sellMint: line(64),
    buyMint: line(64),
    amountUsd: amountUsdc,
    slippagePercent
  },
  quote_bridge: {
    fromWalletId: line(64),
    toWalletId: line(64),
    sellSymbol: line(32),
    buySymbol: line(32),
    amountUsd: amountUsdc
  },
  propose_bridge: {
    fromWalletId: line(64),
    toWalletId: line(64),
    sellSymbol: line(32),
    sellTokenAddress: address.filter((value) => value !== usdc),
    buySymbol: line(32),
    buyTokenAddress: address,
    amountUsd: amountUsdc,
    previewQuoteId: line(64)
  },
  propose_swap: {
    fromWalletId: line(64),
    sellSymbol: line(32),
    sellTokenAddress: address,
    buySymbol: line(32),
    buyTokenAddress: address.filter((value) => value !== usdc),
    amountUsd: amountUsdc,
    slippagePercent,
    previewQuoteId: line(64)
  },
  propose_solana_swap: {
    fromWalletId: line(64),
    toWalletId: line(64),
    sellSymbol: line(32),
    sellMint: line(64),
    buySymbol: line(32),
    buyMint: line(64),
    amountUsd: amountUsdc,
    slippagePercent,
    previewQuoteId: line(64)
  },
  propose_token_approve: {
    fromWalletId: line(64),
    // No recipient, and the one token there is.
    tokenAddress: address.filter((value) => value !== usdc),
    flow: [...notObjects, {}, "swap", "INTENT_SWAP", "intent_swap ", "intent_swap\u0000"],
    amountSmallestUnit: amountSmallestUnit.filter((value) => value !== "0")
  },
  confirm_proposal: {
    proposalId: line(64),
    expectedIntentHash: sha256,
    waitMs: whole(0, 30_000)
  },
  cancel_proposal: { proposalId: line(64) },
  create_api_key: {
    scopes: choices("account:read", ["balances:read", "everything"]),
    label: line(64),
    expiresAt: instant,
    ipRanges: ranges,
    walletIds: ids,
    recipientIds: ids,
    dailyCapUsd: amountUsdc
  },
  revoke_api_key: { keyId: line(64), includeDescendants: flag, keepDescendants: flag },
  resend_claim_link: {}
}

/** Fields that say the same in another way; one is tried without the other. */
export const rivals: Readonly<Record<string, string>> = {
  amountUsd: "amountSmallestUnit",
  amountSmallestUnit: "amountUsd",
  expiryDays: "expiresInMinutes",
  expiresInMinutes: "expiryDays"
}
