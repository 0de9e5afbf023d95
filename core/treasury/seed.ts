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

export interface SeedSpec {
  readonly kind: KeyKind
  readonly name: string
  readonly tier: Account["tier"]
  readonly chainId: string
  readonly customer: Customer
  /** Who signs when an agent's account governs. */
  readonly fundingWallet?: FundingWallet
  /** An address it may pay from the start. */
  readonly payee: { readonly label: string; readonly address: Address }
}

const allow = Effect.fnUntraced(function* (accountId: string, { chainId, payee }: SeedSpec) {
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
  const common = { accountId: account.id, chainId: wanted.chainId, metadata: {} }
  const wallet = yield* createWallet(
    { ...common, name: "Main", isDefault: true, kind: "standard", customer: null },
    system
  )
  const vault = yield* createWallet(
    {
      ...common,
      name: wanted.customer.externalId,
      isDefault: false,
      kind: "collection",
      customer: wanted.customer
    },
    system
  )
  yield* allow(account.id, wanted)
  return { account, apiKey: text, wallet, vault }
})
