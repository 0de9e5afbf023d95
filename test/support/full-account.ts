/** An account that has one of everything, for the valid calls of `valid-inputs.ts` to be made on. */
import { DateTime, Effect } from "effect"
import { ChainScript } from "../../adapters/memory/chains.ts"
import { PriceScript } from "../../adapters/memory/prices.ts"
import { SwapScript } from "../../adapters/memory/swap-venue.ts"
import { gold, jup } from "../../apps/testing/wiring.ts"
import { spenders } from "../../core/chains/evm-contracts.ts"
import { Transfers } from "../../core/payments/transfer-store.ts"
import { Chains } from "../../core/ports/chains.ts"
import { Recipients } from "../../core/recipients/recipient-store.ts"
import * as Accounts from "./accounts.ts"
import { type CosignerGroup, cosignersOf } from "./neighbour-accounts.ts"
import * as Rows from "./rows.ts"
import { aRecipient } from "./sending-rows.ts"

export interface Owner extends CosignerGroup, Accounts.Asker {
  /** An agent's account beside it, for what only agents may ask. */
  readonly agent: Accounts.Asker
  readonly externalId: string
  readonly vaultId: string
  /** The account's own wallet. */
  readonly walletId: string
  /** On another chain. */
  readonly secondWalletId: string
  /** On the local Solana, where that is connected. */
  readonly solanaWalletId: string
  readonly depositId: string
  /** Another deposit, to be sent back. */
  readonly refundableId: string
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

/** GOLD is worth two dollars, and sold at that on the local chain; nobody sells any. */
const tradeGold = Effect.fnUntraced(function* (walletAddress: string) {
  const { airdrop, approve } = yield* ChainScript
  const { connected } = yield* Chains
  const [prices, venue] = [
    yield* Effect.serviceOption(PriceScript),
    yield* Effect.serviceOption(SwapScript)
  ]
  const usdc = connected.find(({ chain }) => chain.id === "local")?.usdc
  // A world with other sources of prices, or another venue, has its own pairs.
  if (usdc === undefined || prices._tag === "None" || venue._tag === "None") return
  const { address: tokenAddress, chainId } = gold
  const units = 10n ** 21n
  const address = yield* airdrop({ to: walletAddress, amount: units, symbol: "GOLD", tokenAddress })
  const spender = spenders["CoW Protocol GPv2VaultRelayer"]
  yield* approve({ owner: walletAddress, spender, amount: units / 2n, token: address })
  yield* prices.value.quote({ chainId, address, usd: "2" })
  yield* venue.value.rate({ sell: address, buy: usdc, gives: 2_000_000n, per: 10n ** 18n })
})

/** A wallet on the local Solana with USDC and JUP, which is worth half a dollar; the other wallet where there is none. */
const tradeJup = Effect.fnUntraced(function* (accountId: string, otherwise: string) {
  const { airdrop, fund } = yield* ChainScript
  const { connected } = yield* Chains
  const { address: tokenAddress, chainId, decimals } = jup
  const usdc = connected.find(({ chain }) => chain.id === chainId)?.usdc
  if (usdc === undefined) return otherwise
  const wallet = yield* Accounts.wallet(accountId, { chainId, isDefault: false })
  const of = { to: wallet.address, amount: 10n ** 9n, symbol: "JUP" }
  const address = yield* airdrop({ ...of, decimals, tokenAddress, chainId })
  yield* fund(wallet.address, 1_000_000_000n, chainId)
  const [prices, venue] = [
    yield* Effect.serviceOption(PriceScript),
    yield* Effect.serviceOption(SwapScript)
  ]
  if (prices._tag === "None" || venue._tag === "None") return wallet.id
  yield* prices.value.quote({ chainId, address, usd: "0.5" })
  yield* venue.value.rate({ sell: usdc, buy: address, gives: 2_000_000n, per: 1_000_000n })
  yield* venue.value.rate({ sell: address, buy: usdc, gives: 500_000n, per: 1_000_000n })
  return wallet.id
})

const forAgents: ReadonlySet<string> = new Set(["resend_claim_link"])

/** Who asks for an operation: the owner, or the agent where only agents may. */
export const askerOf = (name: string, owner: Owner): Accounts.Asker =>
  forAgents.has(name) ? owner.agent : owner

const agentBeside = Accounts.opened({
  name: "Purchasing",
  kind: "agent",
  tier: "personal",
  contactEmail: "ada@example.com"
})

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
  const { accountId, apiKey, call, caller } = yield* Accounts.opened()
  const vault = yield* Accounts.vault(accountId, externalId, { metadata: { city: "Oslo" } })
  const wallet = yield* Accounts.wallet(accountId)
  const second = yield* Accounts.wallet(accountId, { chainId: "local-2", isDefault: false })
  const { fund } = yield* ChainScript
  yield* tradeGold(wallet.address)
  const solanaWalletId = yield* tradeJup(accountId, wallet.id)
  for (const { address } of [wallet, vault]) yield* fund(address, 1_000_000_000n)
  const deposit = Rows.aTransfer(vault, { state: "final", finalAt: Rows.at(2) })
  yield* (yield* Transfers).record(deposit)
  const refundable = Rows.aTransfer(vault, {
    state: "final",
    finalAt: Rows.at(2),
    seenAt: Rows.at(0)
  })
  yield* (yield* Transfers).record(refundable)
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
  const group = yield* cosignersOf(caller, call, tick)
  yield* call.get_audit_checkpoint({})
  const agent = yield* agentBeside
  const entry = (yield* call.list_audit_log({})).entries.at(-1)
  const [delivery] = (yield* call.list_webhook_deliveries({})).webhook_deliveries
  return {
    caller,
    apiKey,
    agent,
    externalId,
    vaultId: vault.id,
    walletId: wallet.id,
    secondWalletId: second.id,
    solanaWalletId,
    requestId: request.id,
    pid: request.pid,
    checkoutPid: session.pid,
    jobId: job.jobId,
    keyId: key.id,
    endpointId: endpoint.id,
    deliveryId: delivery?.id as string,
    eventId: delivery?.eventId as string,
    ...recipients,
    ...group,
    depositId: deposit.id,
    refundableId: refundable.id,
    proposalId,
    intentHash,
    otherProposalId: other.proposalId,
    auditEntryId: entry?.id as string
  } satisfies Owner
})
