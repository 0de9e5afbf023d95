/**
 * What every store of settled balances must do: it knows every vault of a chain that tells by address, page by page, and
 * never goes back.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import * as Address from "../../core/chains/address.ts"
import * as Usdc from "../../core/money/usdc.ts"
import { PaymentRequests } from "../../core/payments/request-store.ts"
import { SettledBalances } from "../../core/payments/settled-balance-store.ts"
import { Cursors, Transfers } from "../../core/payments/transfer-store.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import type { AnyStore } from "../../core/treasury/stores.ts"
import type { Wallet } from "../../core/wallets/wallet.ts"
import { Wallets } from "../../core/wallets/wallet-store.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

/** Tells by address, and nobody else's vault is on it. */
const aChainId = () => `solana-${Rows.aChainId()}`

const keyOf = ({ address, chainId }: Wallet) => Address.keyOf(chainId, address)

const unsettled = (vault: Wallet) => ({
  vaultId: vault.id,
  address: keyOf(vault),
  number: 0,
  heldMicro: Usdc.zero
})

const settledAt = (vault: Wallet, number: number, heldMicro: bigint) => ({
  address: keyOf(vault),
  number,
  heldMicro: Usdc.make(heldMicro)
})

/** Some on a chain of their own, in the order of their ids. */
const vaultsOn = Effect.fnUntraced(function* (chainId: string, count: number) {
  const { id: accountId } = yield* Stored.account()
  const vaults = yield* Effect.forEach(Array.from({ length: count }), () =>
    Stored.vault({ accountId, chainId })
  )
  return vaults.toSorted((one, other) => (one.id < other.id ? -1 : 1))
})

const placesOf = (vaults: ReadonlyArray<{ readonly vaultId: string }>) =>
  vaults.map(({ vaultId }) => vaultId)

export const suite = (name: string, stores: Layer.Layer<AnyStore>) =>
  layer(stores)(`${name}: settled balances`, (it) => {
    it.effect("every vault of a chain is on one page, with nothing until it is settled", () =>
      Effect.gen(function* () {
        const chainId = aChainId()
        const { page } = yield* SettledBalances
        const vaults = yield* vaultsOn(chainId, 5)
        yield* Stored.vault({ chainId: aChainId() })
        yield* (yield* Wallets).add(Rows.aWallet(vaults[0]?.accountId ?? "", { chainId }))
        const all = vaults.map(unsettled)
        assert.deepStrictEqual(yield* page(chainId, null, 9), all)
        assert.deepStrictEqual(yield* page(chainId, null, 2), all.slice(0, 2))
        assert.deepStrictEqual(yield* page(chainId, vaults[1]?.id ?? "", 2), all.slice(2, 4))
        assert.deepStrictEqual(yield* page(chainId, vaults[4]?.id ?? "", 2), [])
        assert.deepStrictEqual(yield* page(aChainId(), null, 2), [])
      })
    )

    it.effect("a vault whose customer has one already is not looked at twice", () =>
      Effect.gen(function* () {
        const chainId = aChainId()
        const [vault] = yield* vaultsOn(chainId, 1)
        if (vault === undefined) return yield* Effect.die("No vault.")
        const again = { ...vault, id: Rows.anId() }
        assert.isFalse(yield* (yield* Wallets).add(again))
        const { page } = yield* SettledBalances
        assert.deepStrictEqual(yield* page(chainId, null, 9), [unsettled(vault)])
      })
    )

    it.effect("a later block is written over an earlier one, and never the other way round", () =>
      Effect.gen(function* () {
        const { page, settle } = yield* SettledBalances
        const vault = yield* Stored.vault({ chainId: aChainId() })
        const { chainId } = vault
        for (const [wanted, kept] of [
          [settledAt(vault, 100, 5n), settledAt(vault, 100, 5n)],
          [settledAt(vault, 99, 4n), settledAt(vault, 100, 5n)],
          [settledAt(vault, 100, 6n), settledAt(vault, 100, 5n)],
          [
            settledAt(vault, 2_000_000_000, 9_000_000_000_000n),
            settledAt(vault, 2_000_000_000, 9_000_000_000_000n)
          ]
        ] as const) {
          yield* settle(chainId, [wanted], Rows.at(0))
          const vaultId = vault.id
          assert.deepStrictEqual(yield* page(chainId, null, 9), [{ vaultId, ...kept }])
        }
        yield* settle(chainId, [], Rows.at(0))
      })
    )

    it.effect("the vault that was asked for last stands at the end, whenever it came", () =>
      Effect.gen(function* () {
        const chainId = aChainId()
        const { expect, expecting, newlyExpecting } = yield* SettledBalances
        const [one, two, three] = yield* vaultsOn(chainId, 3)
        if (one === undefined || two === undefined || three === undefined) return
        for (const vault of [one, two, three, one]) yield* expect(vault, Rows.at(50))
        yield* expect(two, Rows.at(20))
        const all = yield* expecting(chainId, 0, 9)
        assert.deepStrictEqual(placesOf(all), [three.id, one.id, two.id])
        assert.deepStrictEqual(
          all.map(({ until }) => until),
          all.map(() => Rows.at(50))
        )
        assert.deepStrictEqual(placesOf(yield* newlyExpecting(chainId, 2)), [two.id, one.id])
        const afterFirst = yield* expecting(chainId, all[0]?.place ?? 0, 1)
        assert.deepStrictEqual(placesOf(afterFirst), [one.id])
        assert.deepStrictEqual(yield* expecting(aChainId(), 0, 9), [])
      })
    )

    it.effect("many who ask for one vault at once wait for nobody, and it stands there once", () =>
      Effect.gen(function* () {
        const vault = yield* Stored.vault({ chainId: aChainId() })
        const { expect, expecting } = yield* SettledBalances
        const { run } = yield* Atomically
        yield* Effect.forEach(
          Array.from({ length: 8 }),
          (_, at) => run(expect(vault, Rows.at(at))),
          { concurrency: "unbounded" }
        )
        assert.deepStrictEqual(placesOf(yield* expecting(vault.chainId, 0, 9)), [vault.id])
      })
    )

    it.effect("what nothing is expected on any more is forgotten, in its places alone", () =>
      Effect.gen(function* () {
        const chainId = aChainId()
        const { expect, expecting, forget } = yield* SettledBalances
        const vaults = yield* vaultsOn(chainId, 4)
        for (const [at, vault] of vaults.entries()) yield* expect(vault, Rows.at(at * 10))
        const [first, second, third, fourth] = yield* expecting(chainId, 0, 9)
        const places = { from: second?.place ?? 0, to: fourth?.place ?? 0 }
        yield* forget(chainId, places, Rows.at(20))
        const left = [first, third, fourth].map((each) => each?.vaultId)
        assert.deepStrictEqual(placesOf(yield* expecting(chainId, 0, 9)), left)
      })
    )

    it.effect("a vault that is settled and has no request left is expected no longer", () =>
      Effect.gen(function* () {
        const chainId = aChainId()
        const { expect, expecting, settle } = yield* SettledBalances
        const [open, paid] = yield* vaultsOn(chainId, 2)
        if (open === undefined || paid === undefined) return
        yield* Stored.paymentRequest(open)
        const request = yield* Stored.paymentRequest(paid)
        for (const vault of [open, paid]) yield* expect(vault, Rows.at(1000))
        const balances = [open, paid].map((vault) => settledAt(vault, 7, 3n))
        yield* (yield* Atomically).run(
          Effect.gen(function* () {
            const status = {
              status: "paid",
              paidAt: Rows.at(1),
              receivedMicro: request.amountMicro
            }
            yield* (yield* PaymentRequests).settle({ ...request, ...status } as typeof request)
            yield* settle(chainId, balances, Rows.at(60))
          })
        )
        const until = new Map((yield* expecting(chainId, 0, 9)).map((each) => [each.vaultId, each]))
        assert.deepStrictEqual(until.get(open.id)?.until, Rows.at(1000))
        assert.deepStrictEqual(until.get(paid.id)?.until, Rows.at(60))
        assert.strictEqual(until.get(paid.id)?.number, 7)
        assert.strictEqual<bigint | undefined>(until.get(open.id)?.heldMicro, 3n)
      })
    )

    it.effect("what is not final yet, or above a block, is told by the address of its vault", () =>
      Effect.gen(function* () {
        const transfers = yield* Transfers
        const { followed } = yield* SettledBalances
        const vault = yield* Stored.vault({ chainId: aChainId() })
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
        const vaults = [unsettled(vault)]
        const of = (aboveBlock: number) => followed(vault.chainId, aboveBlock, 9)
        assert.deepStrictEqual(yield* of(100), {
          transfers: [first, second].map(told),
          vaults,
          above: 6
        })
        yield* transfers.finalise(vault.chainId, 8, Rows.at(9), 100)
        // All above the oldest that is not final, and no other final one.
        assert.deepStrictEqual((yield* of(100)).transfers, [told(second)])
        assert.deepStrictEqual(yield* of(6), {
          transfers: [first, second].map(told),
          vaults,
          above: 6
        })
        yield* transfers.markReorged(vault.chainId, 8, 100)
        // Nothing stands; the vault that lost one is looked at all the same.
        assert.deepStrictEqual(yield* of(8), { transfers: [], vaults, above: 8 })
        assert.deepStrictEqual(yield* of(9), { transfers: [], vaults: [], above: 9 })
      })
    )

    it.effect("a vault that has paid says so until it is settled at a block that has it", () =>
      Effect.gen(function* () {
        const { hasPaid, page, settle } = yield* SettledBalances
        const vault = yield* Stored.vault({ chainId: aChainId() })
        const { chainId } = vault
        const own = Rows.aWallet(vault.accountId, { chainId })
        yield* (yield* Wallets).add(own)
        yield* (yield* Cursors).start(Rows.aCursor({ chainId, head: 100 }))
        for (const wallet of [vault, own]) yield* hasPaid(wallet)
        const said = Effect.map(page(chainId, null, 9), (all) => all.map((each) => each.hasPaid))
        assert.deepStrictEqual(yield* said, [true])
        yield* settle(chainId, [settledAt(vault, 163, 0n)], Rows.at(0))
        assert.deepStrictEqual(yield* said, [true])
        yield* settle(chainId, [settledAt(vault, 164, 0n)], Rows.at(0))
        assert.deepStrictEqual(yield* said, [undefined])
      })
    )

    it.effect("what came late is told with all final ones above it", () =>
      Effect.gen(function* () {
        const transfers = yield* Transfers
        const vault = yield* Stored.vault({ chainId: aChainId() })
        for (const blockNumber of [5, 9]) {
          yield* transfers.record(Rows.aTransfer(vault, { blockNumber }))
        }
        yield* transfers.finalise(vault.chainId, 9, Rows.at(9), 100)
        yield* transfers.record(Rows.aTransfer(vault, { blockNumber: 7 }))
        const found = yield* (yield* SettledBalances).followed(vault.chainId, 100, 9)
        assert.deepStrictEqual(
          found.transfers.map(({ blockNumber }) => blockNumber),
          [7, 9]
        )
        assert.strictEqual(found.above, 6)
      })
    )

    it.effect(
      "of very many the oldest that are not final are told, block by block, and the newest final",
      () =>
        Effect.gen(function* () {
          const transfers = yield* Transfers
          const { followed } = yield* SettledBalances
          const vault = yield* Stored.vault({ chainId: aChainId() })
          for (const blockNumber of [1, 2, 3, 5, 6, 6, 7]) {
            yield* transfers.record(Rows.aTransfer(vault, { blockNumber }))
          }
          yield* transfers.finalise(vault.chainId, 3, Rows.at(9), 100)
          const numbers = Effect.map(followed(vault.chainId, 0, 2), (found) => ({
            blocks: found.transfers.map(({ blockNumber }) => blockNumber),
            above: found.above,
            seenThrough: found.seenThrough
          }))
          assert.deepStrictEqual(yield* numbers, {
            blocks: [2, 3, 5, 6, 6],
            above: 2,
            seenThrough: 6
          })
        })
    )
  })
