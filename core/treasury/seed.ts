/**
 * Opens an account with what it takes to begin: a key, a first wallet, a customer's vault to collect on,
 * and somebody it may pay. Whoever sets a treasury up does this in one transaction; no key can.
 */
import { DateTime, Effect } from "effect"
import type { Account } from "../accounts/account.ts"
import { openAccount } from "../accounts/open.ts"
import { record, system } from "../audit/record.ts"
import type { Address, FundingWallet } from "../chains/address.ts"
import { issue } from "../keys/create-key.ts"
import { type KeyKind, Scope } from "../operation/caller.ts"
import { Ids } from "../ports/ids.ts"
import { Recipients } from "../recipients/recipient-store.ts"
import { createWallet } from "../wallets/create.ts"
import type { Customer } from "../wallets/wallet.ts"

/** What an account begins with on a chain. */
export interface ChainSpec {
  readonly chainId: string
  /** What its own wallet there is called. */
  readonly walletName?: string
  readonly customer: Customer
  /** An address it may pay from the start. */
  readonly payee: { readonly label: string; readonly address: Address }
}

export interface SeedSpec extends ChainSpec {
  readonly kind: KeyKind
  readonly name: string
  readonly tier: Account["tier"]
  /** Who signs when an agent's account governs. */
  readonly fundingWallet?: FundingWallet
}

const allow = Effect.fnUntraced(function* (accountId: string, { chainId, payee }: ChainSpec) {
  const now = yield* DateTime.now
  const id = yield* (yield* Ids).uuid
  yield* (yield* Recipients).add({
    id,
    accountId,
    ...payee,
    chainId,
    status: "approved",
    cooldownEndsAt: now,
    isOwn: false,
    requiredMemo: null,
    createdAt: now
  })
  yield* record({
    accountId,
    actor: system,
    action: "recipient.added",
    subjectType: "recipient",
    subjectId: id,
    facts: { address: payee.address, chainId, status: "approved" }
  })
})

/** A wallet, a customer's vault and somebody to pay on a chain. Call it inside a transaction. */
export const seedChain = Effect.fnUntraced(function* (
  accountId: string,
  wanted: ChainSpec,
  isDefault = false
) {
  const { chainId, customer, walletName = "Main" } = wanted
  const common = { accountId, chainId, metadata: {} }
  const wallet = yield* createWallet(
    { ...common, name: walletName, isDefault, kind: "standard", customer: null },
    system
  )
  const vault = yield* createWallet(
    { ...common, name: customer.externalId, isDefault: false, kind: "collection", customer },
    system
  )
  yield* allow(accountId, wanted)
  return { wallet, vault }
})

/** The account with its key, its wallet and its vault. Call it inside a transaction. */
export const seedAccounts = Effect.fnUntraced(function* (wanted: SeedSpec) {
  const account = yield* openAccount(wanted)
  const { text } = yield* issue({
    accountId: account.id,
    kind: wanted.kind,
    scopes: Scope.literals,
    label: "First key",
    expiresAt: null
  })
  const { wallet, vault } = yield* seedChain(account.id, wanted, true)
  return { account, apiKey: text, wallet, vault }
})
