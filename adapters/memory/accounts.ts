/** The store of accounts in memory. */

import { DateTime, Effect, Layer } from "effect"
import type { Account } from "../../core/accounts/account.ts"
import { Accounts } from "../../core/accounts/account-store.ts"
import type { FundingWallet } from "../../core/chains/address.ts"
import * as Address from "../../core/chains/address.ts"
import { page } from "./paging.ts"
import { MemoryStore } from "./store.ts"
import { define } from "./table.ts"

const everywhere = "all"

const walletKey = ({ address, chainId }: FundingWallet) => Address.keyOf(chainId, address)

const definition = define<Account>()({
  name: "accounts",
  key: (account) => account.id,
  sorted: {
    all: {
      group: () => everywhere,
      at: (account) => DateTime.toEpochMillis(account.createdAt)
    },
    funded: {
      group: ({ fundingWallet }) => (fundingWallet === null ? "" : walletKey(fundingWallet)),
      at: (account) => DateTime.toEpochMillis(account.createdAt)
    }
  }
})

export const layer: Layer.Layer<Accounts, never, MemoryStore> = Layer.effect(
  Accounts,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const accounts = store.table(definition)
    const change = (accountId: string, over: Partial<Account>) =>
      store.write((journal) => {
        const kept = accounts.get(accountId)
        if (kept === undefined) throw new Error(`accounts: there is no ${accountId}`)
        accounts.replace(journal, { ...kept, ...over })
      })
    return {
      find: (accountId) => store.read(() => accounts.get(accountId)),
      open: (account) => store.write((journal) => accounts.insert(journal, account)),
      list: (request) =>
        store.read(() => page(accounts.group("all", everywhere), request, (row) => row)),
      retier: (accountId, tier) => change(accountId, { tier }),
      lock: (accountId) => store.read(() => accounts.get(accountId)),
      subscribe: (accountId, tier, subscriptionExpiresAt) =>
        change(accountId, { tier, subscriptionExpiresAt }),
      giveFundingWallet: (accountId, fundingWallet) =>
        store.write((journal) => {
          const kept = accounts.get(accountId)
          if (kept?.kind !== "agent" || kept.fundingWallet !== null) return false
          accounts.replace(journal, { ...kept, fundingWallet })
          return true
        }),
      pause: (accountId, pausedAt, pausedBy = null) => change(accountId, { pausedAt, pausedBy }),
      fundedBy: (wallet, request) =>
        store.read(() => page(accounts.group("funded", walletKey(wallet)), request, (row) => row))
    }
  })
)
