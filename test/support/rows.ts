/**
 * Builders of valid rows for every store. Ids, addresses and chains are fresh each time, so that tests
 * which share one database never meet; a row's parents are named first, because SQL checks them.
 */
import { randomBytes, randomInt, randomUUID } from "node:crypto"
import { DateTime } from "effect"
import type { Account } from "../../core/accounts/account.ts"
import { unbound } from "../../core/accounts/caveats.ts"
import type { Key } from "../../core/accounts/key.ts"
import type { Entry } from "../../core/audit/entry.ts"
import type { Address, AddressKey, TransactionId } from "../../core/chains/address.ts"
import type { KeyRef } from "../../core/chains/key.ts"
import * as Base58 from "../../core/encoding/base58.ts"
import * as Usdc from "../../core/money/usdc.ts"
import type { Slot } from "../../core/operation/idempotency-store.ts"
import type { Item, Job } from "../../core/payments/provisioning-job.ts"
import type { PaymentRequest } from "../../core/payments/request.ts"
import type { Transfer } from "../../core/payments/transfer.ts"
import type { Cursor } from "../../core/payments/transfer-store.ts"
import type { Block } from "../../core/ports/chains.ts"
import type { Wallet } from "../../core/wallets/wallet.ts"
import type { Attempt, Delivery } from "../../core/webhooks/delivery.ts"
import type { Endpoint } from "../../core/webhooks/endpoint.ts"
import type { Event } from "../../core/webhooks/event.ts"
import * as Value from "./chain-values.ts"
import type { Plain } from "./plain.ts"

const hex = (bytes: number) => randomBytes(bytes).toString("hex")

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const base62 = (length: number) =>
  Array.from({ length }, () => alphabet.charAt(randomInt(62))).join("")

const epochMs = Date.UTC(2030, 0, 1)

/** An instant this many seconds after the start of 2030, to the millisecond. */
export const at = (seconds: number): DateTime.Utc =>
  DateTime.makeUnsafe(epochMs + Math.round(seconds * 1000))

export const anId = (): string => randomUUID()
export const aDigest = (): string => hex(32)
export const aTxHash = (): TransactionId => Value.transaction(`0x${hex(32)}`)
/** An EVM address that has letters of both cases, as checksummed ones have. */
export const anAddress = (): Address => Value.address(`0xAb${hex(18)}Cd`)
export const anAddressKey = (): AddressKey => Value.key(anAddress())
/** Of a wallet on Solana. */
export const aSolanaAddress = (): Address => Value.address(Base58.encode(randomBytes(32)))
/** Two Solana addresses that differ in the case of one letter, and so are two. */
export const aCasePair = (): readonly [Address, Address] => {
  const rest = base62(42).replaceAll(/[0OIl]/gu, "x")
  return [Value.address(`a${rest}`), Value.address(`A${rest}`)]
}
export const anEventId = (): string => `evt_${base62(24)}`
export const aPid = (): string => `pr_${base62(22)}`
export const aChainId = (): string => `chain-${hex(6)}`

export const anAccount = (over: Partial<Account> = {}): Account => ({
  id: anId(),
  name: "Corner Shop",
  kind: "developer",
  tier: "startup",
  livemode: false,
  fundingWallet: null,
  contactEmail: null,
  subscriptionExpiresAt: null,
  pausedAt: null,
  pausedBy: null,
  createdAt: at(0),
  ...over
})

export const aKey = (accountId: string, over: Plain<Partial<Key>> = {}): Key => ({
  id: anId(),
  accountId,
  kind: "developer",
  prefix: "svc_hu_",
  lastFour: "x7Qz",
  scopes: ["account:read", "balances:read"],
  label: "till",
  madeBy: null,
  ...unbound,
  createdAt: at(0),
  lastUsedAt: null,
  expiresAt: null,
  revokedAt: null,
  ...(over as Partial<Key>)
})

export const aKeyId = () => hex(31)

export const aKeyRef = (): KeyRef => ({ backend: "memory", ref: aKeyId() })

/** The account's own wallet. */
export const aWallet = (accountId: string, over: Partial<Wallet> = {}): Wallet => ({
  id: anId(),
  accountId,
  name: "Main wallet",
  nickname: null,
  address: anAddress(),
  chainId: "base",
  isDefault: false,
  metadata: {},
  kind: "standard",
  customer: null,
  key: aKeyRef(),
  isRecoverable: true,
  createdAt: at(0),
  ...over
})

/** A customer's vault. */
export const aVault = (accountId: string, over: Partial<Wallet> = {}): Wallet =>
  aWallet(accountId, {
    name: "Vault",
    kind: "collection",
    customer: { externalId: `customer-${hex(6)}`, namespace: "default" },
    ...over
  })

/** An open request on a vault for 10 USDC, due an hour after it was made. */
export const aPaymentRequest = (
  vault: Wallet,
  over: Plain<Partial<PaymentRequest>> = {}
): PaymentRequest => ({
  id: anId(),
  pid: aPid(),
  accountId: vault.accountId,
  vaultId: vault.id,
  chainId: vault.chainId,
  payToAddress: vault.address,
  reference: null,
  amountMicro: Usdc.make(10_000_000n),
  receivedMicro: Usdc.zero,
  status: "open",
  settlementIssue: "none",
  description: "Two coffees",
  externalReference: "order-1",
  metadata: { table: 4, tags: ["terrace"], note: null },
  customer: vault.customer,
  product: null,
  checkoutSessionId: null,
  successUrl: null,
  cancelUrl: null,
  expiresAt: at(3600),
  createdAt: at(0),
  updatedAt: at(0),
  paidAt: null,
  txHash: null,
  method: null,
  payerAddress: null,
  wasAttempted: false,
  ...(over as Partial<PaymentRequest>)
})

/** A transfer to a vault, seen in block 100 and credited to nobody. */
export const aTransfer = (vault: Wallet, over: Plain<Partial<Transfer>> = {}): Transfer => ({
  id: anId(),
  accountId: vault.accountId,
  vaultId: vault.id,
  chainId: vault.chainId,
  txHash: aTxHash(),
  logIndex: 0,
  blockNumber: 100,
  blockHash: aTxHash(),
  blockTime: at(0),
  payerAddress: anAddressKey(),
  amountMicro: Usdc.make(10_000_000n),
  state: "seen",
  seenAt: at(1),
  finalAt: null,
  requestId: null,
  method: "direct",
  settlementIssue: "none",
  candidatePids: [],
  resolution: null,
  ...(over as Partial<Transfer>)
})

export const aBlock = (number: number, over: Partial<Block> = {}): Block => ({
  number,
  hash: aTxHash(),
  timestamp: at(number),
  ...over
})

export const aCursor = (over: Partial<Cursor> = {}): Cursor => ({
  chainId: aChainId(),
  blocks: [aBlock(99), aBlock(100)],
  head: 100,
  finalNumber: 90,
  finalTime: at(90),
  round: null,
  ...over
})

export const anEndpoint = (accountId: string, over: Partial<Endpoint> = {}): Endpoint => ({
  id: anId(),
  accountId,
  url: "https://merchant.example/hooks",
  events: ["payment_request.created", "payment_request.paid"],
  notices: [],
  description: null,
  maxAttempts: 10,
  standardHeaders: false,
  sealedSecret: `sealed-${hex(8)}`,
  previousSecret: null,
  disabledAt: null,
  failingSince: null,
  registeredBy: null,
  createdAt: at(0),
  updatedAt: at(0),
  ...over
})

/** What an event tells of, in a request that was made at the beginning. */
export const anEventSubject = (accountId: string, pid: string) => ({
  accountId,
  pid,
  vaultId: null,
  madeAt: at(0),
  about: []
})

export const anEvent = (accountId: string, over: Partial<Event> = {}): Event => {
  const id = over.id ?? anEventId()
  return {
    id,
    accountId,
    object: "event",
    type: "payment_request.paid",
    pid: aPid(),
    vaultId: null,
    version: null,
    body: JSON.stringify({ id, text: 'spaces, "quotes" and ✓ stay as they are ' }),
    createdAt: at(0),
    ...over
  }
}

/** A delivery of an event to an endpoint, due from the start. */
export const aDelivery = (
  event: Event,
  endpoint: Pick<Endpoint, "id" | "accountId" | "url">,
  over: Partial<Delivery> = {}
): Delivery => ({
  id: anId(),
  accountId: endpoint.accountId,
  eventId: event.id,
  eventType: event.type,
  endpointId: endpoint.id,
  url: endpoint.url,
  status: "pending",
  attemptCount: 0,
  maxAttempts: 10,
  nextAttemptAt: at(0),
  lastResponseStatus: null,
  lastError: null,
  createdAt: at(0),
  deliveredAt: null,
  replayOf: null,
  sequence: null,
  ...over
})

export const anAttempt = (over: Partial<Attempt> = {}): Attempt => ({
  n: 1,
  at: at(1),
  trigger: "scheduled",
  durationMs: 12,
  responseStatus: 200,
  responseBodyTruncated: "ok",
  error: null,
  ...over
})

export const anEntry = (accountId: string, over: Partial<Entry> = {}): Entry => ({
  id: anId(),
  accountId,
  action: "payment_request.created",
  actor: "system",
  actorType: "treasury",
  actorRole: "worker",
  subjectType: "payment_request",
  subjectId: anId(),
  facts: { amount: "10.00" },
  createdAt: at(0),
  ...over
})

export const aJob = (accountId: string, over: Partial<Job> = {}): Job => ({
  id: anId(),
  accountId,
  chainId: "base",
  status: "queued",
  total: 3,
  succeeded: 0,
  failed: 0,
  createdAt: at(0),
  ...over
})

export const anItem = (position: number, over: Partial<Item> = {}): Item => ({
  position,
  externalId: `customer-${position}`,
  namespace: "default",
  metadata: { tier: "gold" },
  status: "pending",
  walletId: null,
  address: null,
  error: null,
  ...over
})

export const aSlot = (accountId: string, over: Partial<Slot> = {}): Slot => ({
  accountId,
  operation: "create_payment_request",
  key: `key-${hex(8)}`,
  ...over
})
