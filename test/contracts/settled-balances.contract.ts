/** What every store of settled balances must do: it knows every vault, and never goes back. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as Address from "../../core/chains/address.ts"
import * as Usdc from "../../core/money/usdc.ts"
import { SettledBalances } from "../../core/payments/settled-balance-store.ts"
import { Transfers } from "../../core/payments/transfer-store.ts"
import type { AnyStore } from "../../core/treasury/stores.ts"
import type { Wallet } from "../../core/wallets/wallet.ts"
import { Wallets } from "../../core/wallets/wallet-store.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

const keyOf = ({ address, chainId }: Wallet) => Address.keyOf(chainId, address)

export const suite = (name: string, stores: Layer.Layer<AnyStore>) =>
  layer(stores)(`${name}: settled balances`, (it) => {
    it.effect("every vault of a chain is there, with nothing until it is settled", () =>
      Effect.gen(function* () {
        const chainId = Rows.aChainId()
        const { ofVaults } = yield* SettledBalances
        const [one, other] = [
          yield* Stored.vault({ chainId, createdAt: Rows.at(1) }),
          yield* Stored.vault({ chainId, createdAt: Rows.at(2) })
        ]
        yield* Stored.vault({ chainId: Rows.aChainId() })
        yield* (yield* Wallets).add(Rows.aWallet(one.accountId, { chainId }))
        assert.deepStrictEqual(
          yield* ofVaults(chainId),
          [one, other].map((vault) => ({ address: keyOf(vault), number: 0, heldMicro: Usdc.zero }))
        )
        assert.deepStrictEqual(yield* ofVaults(Rows.aChainId()), [])
      })
    )

    it.effect("a later block is written over an earlier one, and never the other way round", () =>
      Effect.gen(function* () {
        const { ofVaults, settle } = yield* SettledBalances
        const vault = yield* Stored.vault({ chainId: Rows.aChainId() })
        const { chainId } = vault
        const at = (number: number, heldMicro: bigint) => ({
          address: keyOf(vault),
          number,
          heldMicro: Usdc.make(heldMicro)
        })
        for (const [wanted, kept] of [
          [at(100, 5n), at(100, 5n)],
          [at(99, 4n), at(100, 5n)],
          [at(100, 6n), at(100, 5n)],
          [at(2_000_000_000, 9_000_000_000_000n), at(2_000_000_000, 9_000_000_000_000n)]
        ] as const) {
          yield* settle(chainId, [wanted])
          assert.deepStrictEqual(yield* ofVaults(chainId), [kept])
        }
        yield* settle(chainId, [])
      })
    )

    it.effect("what is not final yet, or above a block, is told by the address of its vault", () =>
      Effect.gen(function* () {
        const transfers = yield* Transfers
        const { recorded } = yield* SettledBalances
        const vault = yield* Stored.vault({ chainId: Rows.aChainId() })
        const [first, second] = [
          Rows.aTransfer(vault, { blockNumber: 7, logIndex: 3 }),
          Rows.aTransfer(vault, { blockNumber: 9 })
        ]
        for (const each of [second, first]) yield* transfers.record(each)
        const told = ({ amountMicro, blockNumber, logIndex, txHash }: typeof first) => ({
          amountMicro,
          txHash,
          logIndex,
          blockNumber,
          to: keyOf(vault)
        })
        assert.deepStrictEqual(yield* recorded(vault.chainId, 100), [first, second].map(told))
        yield* transfers.finalise(vault.chainId, 8, Rows.at(9), 100)
        assert.deepStrictEqual(yield* recorded(vault.chainId, 100), [told(second)])
        assert.deepStrictEqual(yield* recorded(vault.chainId, 6), [first, second].map(told))
        yield* transfers.markReorged(vault.chainId, 8, 100)
        assert.deepStrictEqual(yield* recorded(vault.chainId, 100), [])
      })
    )
  })
