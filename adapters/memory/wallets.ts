/** The store of wallets in memory: one vault for a customer on a chain, one wallet for an address. */

import { DateTime, Effect, Layer } from "effect"
import * as Address from "../../core/chains/address.ts"
import type * as Page from "../../core/operation/page.ts"
import { type Customer, changing, type Wallet } from "../../core/wallets/wallet.ts"
import { type Filter, Wallets } from "../../core/wallets/wallet-store.ts"
import { page } from "./paging.ts"
import { contains } from "./search.ts"
import { MemoryStore } from "./store.ts"
import { define, type Table } from "./table.ts"

const customerKey = (accountId: string, { externalId, namespace }: Customer) =>
  JSON.stringify([accountId, namespace, externalId])

const vaultKey = (accountId: string, customer: Customer, chainId: string) =>
  JSON.stringify([customerKey(accountId, customer), chainId])

/** Where on its chain a wallet is found: by the key of its address. */
const placeOf = ({ address, chainId }: { readonly chainId: string; readonly address: string }) =>
  `${chainId} ${Address.keyOf(chainId, address)}`

const createdAt = (wallet: Wallet) => DateTime.toEpochMillis(wallet.createdAt)

export const definition = define<Wallet>()({
  name: "wallets",
  key: (wallet) => wallet.id,
  unique: {
    vault: ({ accountId, chainId, customer }) =>
      customer === null ? undefined : vaultKey(accountId, customer, chainId),
    address: placeOf
  },
  sorted: {
    chain: { group: ({ chainId }) => chainId, at: createdAt },
    account: { group: (wallet) => wallet.accountId, at: createdAt },
    customer: {
      group: ({ accountId, customer }) =>
        customer === null ? undefined : customerKey(accountId, customer),
      at: createdAt
    },
    // In the order of their ids.
    vaultsOn: {
      group: ({ chainId, kind }) => (kind === "collection" ? chainId : undefined),
      at: () => 0
    },
    vaultAddress: {
      group: ({ address, chainId, kind }) =>
        kind === "collection" ? placeOf({ address, chainId }) : undefined,
      at: createdAt
    }
  }
})

const isOf = (wanted: Customer, customer: Customer | null): boolean =>
  wanted.externalId === customer?.externalId && wanted.namespace === customer.namespace

const carries =
  ({ customer: of, kind, metadataKey, metadataValue, search }: Filter) =>
  ({ address, customer, kind: own, metadata, name, nickname }: Wallet): boolean => {
    if (kind !== undefined && kind !== own) return false
    if (of !== undefined && !isOf(of, customer)) return false
    if (!contains([name, nickname, address, customer?.externalId], search)) return false
    if (metadataKey === undefined) return true
    if (!Object.hasOwn(metadata, metadataKey)) return false
    return metadataValue === undefined || metadata[metadataKey] === metadataValue
  }

/** The ids of a customer's vaults on all chains; undefined when no customer is named. */
export const vaultsOf = (
  wallets: Table<Wallet, never, "customer">,
  accountId: string,
  customer: Customer | undefined
): ReadonlySet<string> | undefined =>
  customer &&
  new Set(wallets.group("customer", customerKey(accountId, customer)).map(({ id }) => id))

export const layer: Layer.Layer<Wallets, never, MemoryStore> = Layer.effect(
  Wallets,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const wallets = store.table(definition)
    const listed = (accountId: string, filter: Filter, request: Page.Request) =>
      page(wallets.group("account", accountId), request, (wallet) => wallet, carries(filter))
    return {
      find: (accountId, walletId) =>
        store.read(() => {
          const wallet = wallets.get(walletId)
          return wallet?.accountId === accountId ? wallet : undefined
        }),
      list: (accountId, filter, request) => store.read(() => listed(accountId, filter, request)),
      atHand: (accountId, filter, request) => store.look(() => listed(accountId, filter, request)),
      vaultOf: (accountId, customer, chainId) =>
        store.read(() =>
          chainId === undefined
            ? wallets.group("customer", customerKey(accountId, customer))[0]
            : wallets.by("vault", vaultKey(accountId, customer, chainId))
        ),
      vaultsAt: (chainId, addresses) =>
        store.read(() =>
          addresses.flatMap((address) =>
            wallets.group("vaultAddress", placeOf({ chainId, address }))
          )
        ),
      ownerOf: (chainId, address) =>
        store.read(() => wallets.by("address", placeOf({ chainId, address }))?.accountId),
      listOn: (chainId, after = Address.AddressKey.make(""), limit) =>
        store.read(() =>
          wallets
            .group("chain", chainId)
            .map((wallet) => ({ wallet, key: Address.keyOf(chainId, wallet.address) }))
            .filter(({ key }) => key > after)
            .toSorted((one, other) => (one.key < other.key ? -1 : 1))
            .slice(0, limit)
            .map(({ wallet }) => wallet)
        ),
      countOwn: (accountId) =>
        store.read(
          () => wallets.group("account", accountId).filter(({ kind }) => kind === "standard").length
        ),
      revise: (wallet) => store.write((journal) => wallets.revise(journal, wallet, changing)),
      add: (wallet) =>
        store.write((journal) => {
          const { accountId, chainId, customer } = wallet
          const isTaken =
            wallets.by("address", placeOf(wallet)) !== undefined ||
            (customer !== null &&
              wallets.by("vault", vaultKey(accountId, customer, chainId)) !== undefined)
          if (!isTaken) wallets.insert(journal, wallet)
          return !isTaken
        })
    }
  })
)
