/** The store of settled balances in memory: one row for a vault, which only ever moves on. */
import { DateTime, Effect, Layer } from "effect"
import * as Address from "../../core/chains/address.ts"
import * as Usdc from "../../core/money/usdc.ts"
import {
  type Followed,
  SettledBalances,
  slack,
  type Watched
} from "../../core/payments/settled-balance-store.ts"
import { payableStatuses } from "../../core/payments/status.ts"
import type { Transfer } from "../../core/payments/transfer.ts"
import type { SettledBalance } from "../../core/ports/chains.ts"
import type { Wallet } from "../../core/wallets/wallet.ts"
import { definition as cursorDefinition } from "./cursors.ts"
import { definition as requestDefinition } from "./payment-requests.ts"
import { countWhile } from "./sorted-rows.ts"
import { MemoryStore } from "./store.ts"
import { define, type Journal, type Table } from "./table.ts"
import { definition as transferDefinition } from "./transfers.ts"
import { definition as walletDefinition } from "./wallets.ts"

interface Row extends SettledBalance {
  readonly vaultId: string
}

const definition = define<Row>()({ name: "settled balances", key: ({ vaultId }) => vaultId })

interface ExpectingRow {
  readonly vaultId: string
  readonly chainId: string
  readonly place: number
  readonly until: DateTime.Utc
}

const expectingDefinition = define<ExpectingRow>()({
  name: "vaults that expect money",
  key: ({ vaultId }) => vaultId,
  sorted: { place: { group: ({ chainId }) => chainId, at: ({ place }) => place } }
})

/** No later block has the last payment of a vault. */
interface PaidRow {
  readonly vaultId: string
  readonly through: number
}

const paidDefinition = define<PaidRow>()({
  name: "vaults that have paid",
  key: ({ vaultId }) => vaultId
})

const isAbove = (block: number) => (transfer: Transfer) => transfer.blockNumber > block

/** Those above a block, so many of the newest, in the order of blocks. */
const newestAbove = (transfers: ReadonlyArray<Transfer>, block: number, max: number) =>
  transfers.slice(countWhile(transfers, (each) => !isAbove(block)(each))).slice(-max)

/** At least so many of the oldest, and all of the last one's block. */
const oldest = (transfers: ReadonlyArray<Transfer>, max: number) => {
  const last = transfers[max - 1]
  return last === undefined
    ? transfers
    : transfers.slice(
        0,
        countWhile(transfers, (each) => !isAbove(last.blockNumber)(each))
      )
}

interface Tables {
  readonly transfers: Pick<Table<Transfer, string, "seen" | "standing" | "reorged">, "group">
  readonly wallets: Pick<Table<Wallet>, "get">
  readonly watchedById: (vaultId: string) => ReadonlyArray<Watched>
}

const followedOf = (
  { transfers, wallets, watchedById }: Tables,
  chainId: string,
  aboveBlock: number,
  max: number
): Followed => {
  const seen = oldest(transfers.group("seen", chainId), max)
  const oldestSeen = seen[0]?.blockNumber ?? Number.MAX_SAFE_INTEGER
  const above = Math.min(aboveBlock, oldestSeen - 1)
  const standing = transfers.group("standing", chainId).filter(({ state }) => state === "final")
  const final = newestAbove(standing, above, max)
  const dropped = newestAbove(transfers.group("reorged", chainId), aboveBlock, max)
  const vaultIds = new Set([...seen, ...final, ...dropped].map(({ vaultId }) => vaultId))
  const last = seen.at(-1)
  return {
    transfers: [...seen, ...final]
      .toSorted((one, other) => one.blockNumber - other.blockNumber)
      .map(({ amountMicro, blockNumber, logIndex, txHash, vaultId }) => {
        const to = Address.keyOf(chainId, wallets.get(vaultId)?.address ?? "")
        return { txHash, logIndex, blockNumber, amountMicro, to }
      }),
    vaults: [...vaultIds].flatMap(watchedById),
    above: final.length === max ? (final[0]?.blockNumber ?? above) : above,
    ...(seen.length >= max && last !== undefined ? { seenThrough: last.blockNumber } : {})
  }
}

/** Writes a row, whether there is one or not. */
const put = <Row>(table: Table<Row>, journal: Journal, key: string, row: Row): void =>
  table.get(key) === undefined ? table.insert(journal, row) : table.replace(journal, row)

export const layer: Layer.Layer<SettledBalances, never, MemoryStore> = Layer.effect(
  SettledBalances,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const settled = store.table(definition)
    const expecting = store.table(expectingDefinition)
    const transfers = store.table(transferDefinition)
    const wallets = store.table(walletDefinition)
    const requests = store.table(requestDefinition)
    const cursors = store.table(cursorDefinition)
    const paid = store.table(paidDefinition)
    const watched = ({ address, chainId, id }: Wallet): Watched => {
      const { heldMicro = Usdc.zero, number = 0 } = settled.get(id) ?? {}
      const hasPaid = (paid.get(id)?.through ?? 0) > number
      const known = { vaultId: id, address: Address.keyOf(chainId, address), number, heldMicro }
      return hasPaid ? { ...known, hasPaid } : known
    }
    const waits = (vaultId: string) =>
      payableStatuses.some((status) => requests.group("ofVault", `${vaultId} ${status}`).length > 0)
    const watchedById = (vaultId: string) => {
      const vault = wallets.get(vaultId)
      return vault === undefined ? [] : [watched(vault)]
    }
    const expectingOf = ({ place, until, vaultId }: ExpectingRow) =>
      watchedById(vaultId).map((vault) => ({ ...vault, place, until }))
    return {
      page: (chainId, after, max) =>
        store.read(() => {
          const vaults = wallets.group("vaultsOn", chainId)
          const from = after === null ? 0 : countWhile(vaults, ({ id }) => id <= after)
          return vaults.slice(from, from + max).map(watched)
        }),
      expecting: (chainId, afterPlace, max) =>
        store.read(() => {
          const all = expecting.group("place", chainId)
          const from = countWhile(all, ({ place }) => place <= afterPlace)
          return all.slice(from, from + max).flatMap(expectingOf)
        }),
      newlyExpecting: (chainId, max) =>
        store.read(() =>
          expecting.group("place", chainId).slice(-max).toReversed().flatMap(expectingOf)
        ),
      followed: (chainId, aboveBlock, max) =>
        store.read(() => followedOf({ transfers, wallets, watchedById }, chainId, aboveBlock, max)),
      expect: ({ chainId, id }, until) =>
        store.write((journal) => {
          if (wallets.get(id)?.kind !== "collection") return
          const place = (expecting.group("place", chainId).at(-1)?.place ?? 0) + 1
          const later = DateTime.max(expecting.get(id)?.until ?? until, until)
          put(expecting, journal, id, { vaultId: id, chainId, place, until: later })
        }),
      forget: (chainId, { from, to }, expectedUntil) =>
        store.write((journal) => {
          for (const { place, until, vaultId } of [...expecting.group("place", chainId)]) {
            const isOver = DateTime.isLessThan(until, expectedUntil)
            if (place >= from && place <= to && isOver) expecting.delete(journal, vaultId)
          }
        }),
      hasPaid: ({ chainId, id }) =>
        store.write((journal) => {
          const head = cursors.get(chainId)?.head
          if (head === undefined || wallets.get(id)?.kind !== "collection") return
          put(paid, journal, id, { vaultId: id, through: head + slack })
        }),
      settle: (chainId, balances, expectedUntil) =>
        store.write((journal) => {
          for (const balance of balances) {
            const vault = wallets.by("address", `${chainId} ${balance.address}`)
            const number = vault === undefined ? undefined : (settled.get(vault.id)?.number ?? -1)
            if (vault === undefined || number === undefined || number >= balance.number) continue
            const row = { ...balance, vaultId: vault.id }
            put(settled, journal, vault.id, row)
            const expected = expecting.get(vault.id)
            const until = waits(vault.id) ? undefined : expectedUntil
            if (expected === undefined || until === undefined) continue
            expecting.replace(journal, { ...expected, until: DateTime.min(expected.until, until) })
          }
        })
    }
  })
)
