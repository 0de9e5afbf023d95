/** The store of settled balances in memory: one row for a vault, which only ever moves on. */
import { Effect, Layer } from "effect"
import * as Address from "../../core/chains/address.ts"
import * as Usdc from "../../core/money/usdc.ts"
import { SettledBalances } from "../../core/payments/settled-balance-store.ts"
import type { SettledBalance } from "../../core/ports/chains.ts"
import { countWhile } from "./sorted-rows.ts"
import { MemoryStore } from "./store.ts"
import { define } from "./table.ts"
import { definition as transferDefinition } from "./transfers.ts"
import { definition as walletDefinition } from "./wallets.ts"

interface Row extends SettledBalance {
  readonly chainId: string
}

const keyOf = (chainId: string, address: string) => `${chainId} ${address}`

const definition = define<Row>()({
  name: "settled balances",
  key: ({ address, chainId }) => keyOf(chainId, address)
})

export const layer: Layer.Layer<SettledBalances, never, MemoryStore> = Layer.effect(
  SettledBalances,
  Effect.gen(function* () {
    const store = yield* MemoryStore
    const settled = store.table(definition)
    const transfers = store.table(transferDefinition)
    const wallets = store.table(walletDefinition)
    return {
      ofVaults: (chainId) =>
        store.read(() =>
          wallets.group("vaultsOn", chainId).map((vault) => {
            const address = Address.keyOf(chainId, vault.address)
            const { heldMicro = Usdc.zero, number = 0 } = settled.get(keyOf(chainId, address)) ?? {}
            return { address, number, heldMicro }
          })
        ),
      recorded: (chainId, aboveBlock) =>
        store.read(() => {
          const all = transfers.group("standing", chainId)
          const above = all.slice(countWhile(all, ({ blockNumber }) => blockNumber <= aboveBlock))
          const seen = transfers.group("seen", chainId)
          const below = seen.filter(({ blockNumber }) => blockNumber <= aboveBlock)
          return [...below, ...above].map(
            ({ amountMicro, blockNumber, logIndex, txHash, vaultId }) => {
              const to = Address.keyOf(chainId, wallets.get(vaultId)?.address ?? "")
              return { txHash, logIndex, blockNumber, amountMicro, to }
            }
          )
        }),
      settle: (chainId, balances) =>
        store.write((journal) => {
          for (const balance of balances) {
            const known = settled.get(keyOf(chainId, balance.address))
            if (known === undefined) settled.insert(journal, { ...balance, chainId })
            else if (known.number < balance.number) {
              settled.replace(journal, { ...balance, chainId })
            }
          }
        })
    }
  })
)
