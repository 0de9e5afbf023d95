/**
 * Deposits to many vaults over nodes that disagree: direct sends, two in one transaction, a fork that drops one, every
 * second answer from a node that is behind. Each is credited once, and what vaults hold at finality is explained.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Memory from "../../../adapters/memory/memory.ts"
import * as SolanaChains from "../../../adapters/solana/chains.ts"
import * as Node from "../../../adapters/solana/node.ts"
import * as Snapshot from "../../../adapters/solana/snapshot.ts"
import { SettledBalances } from "../../../core/payments/settled-balance-store.ts"
import { Transfers } from "../../../core/payments/transfer-store.ts"
import { watchOnce } from "../../../core/payments/watch.ts"
import { Chains } from "../../../core/ports/chains.ts"
import { alternating } from "../../support/alternating-node.ts"
import { registries } from "../../support/registries.ts"
import { identified } from "../../support/signing-policies.ts"
import * as Solana from "../../support/solana.ts"
import { anOwner, chainId, connectionTo } from "../../support/solana-world.ts"
import * as Stored from "../../support/stored-rows.ts"

const vaultCount = 120

const turn = Effect.gen(function* () {
  const { connected } = yield* Chains
  for (const chain of connected) {
    let atHead = false
    while (!atHead) ({ atHead } = yield* watchOnce(chain))
  }
})

const onSolana = Layer.orDie(Solana.layer)

it.live(
  "120 vaults, 64 payments, a fork that drops one, every second answer from a node behind: each credited once",
  () =>
    Effect.gen(function* () {
      const chain = yield* Solana.SolanaChain
      yield* chain.advance(40)
      const node = yield* alternating([chain.rpcUrl, yield* chain.nodeBehind(3)])
      const connection = connectionTo(chain, { rpcUrls: [node.rpcUrl] })
      yield* Effect.gen(function* () {
        const transfers = yield* Transfers
        const { page } = yield* SettledBalances
        const { id: accountId } = yield* Stored.account()
        const vaults = yield* Effect.forEach(Array.from({ length: vaultCount }), () =>
          Stored.vault({ accountId, chainId, address: anOwner() })
        )
        const address = (at: number) => vaults[at]?.address ?? ""
        yield* turn
        const credited = new Map<string, bigint>()
        const pay = Effect.fnUntraced(function* (at: number, ...amounts: ReadonlyArray<bigint>) {
          const signer = yield* Solana.payer
          const instructions = yield* Effect.forEach(amounts, (amountMicro) =>
            Solana.payment(signer, { to: address(at), amountMicro })
          )
          const signature = yield* Solana.handOver(
            yield* Solana.signed(signer, instructions.flat())
          )
          const before = credited.get(address(at)) ?? 0n
          credited.set(
            address(at),
            amounts.reduce((sum, each) => sum + each, before)
          )
          yield* chain.advance(1)
          return signature
        })
        yield* pay(0, 5_000_000n)
        yield* pay(1, 7_000_000n)
        yield* pay(2, 1_000_000n, 2_000_000n)
        yield* turn
        const doomed = yield* pay(3, 9_000_000n)
        yield* chain.advance(4)
        yield* turn
        const [seen] = yield* transfers.ofTransaction(chainId, doomed as never)
        assert.strictEqual(seen?.state, "seen")
        yield* chain.fork(6, [doomed])
        credited.delete(address(3))
        for (let count = 0; count < 60; count++) {
          yield* pay(10 + (count % 100), 1_000n + BigInt(count))
          if (count % 3 === 0) yield* turn
        }
        yield* chain.advance(5)
        yield* turn
        for (let looks = 0; looks < 5; looks++) {
          yield* chain.advance(10)
          yield* turn
        }

        const rows = (yield* transfers.deposits(accountId, {}, { limit: 100 })).rows
        assert.lengthOf(rows, 63)
        assert.isTrue(rows.every(({ state }) => state === "final"))
        const byVault = Map.groupBy(rows, ({ vaultId }) => vaultId)
        for (const vault of vaults) {
          const got = (byVault.get(vault.id) ?? []).reduce((sum, row) => sum + row.amountMicro, 0n)
          assert.strictEqual(got, credited.get(vault.address) ?? 0n)
        }
        const [dropped] = yield* transfers.ofTransaction(chainId, doomed as never)
        assert.strictEqual(dropped?.state, "reorged")
        for (const { address, heldMicro } of yield* page(chainId, null, vaultCount)) {
          assert.strictEqual<bigint>(heldMicro, credited.get(address) ?? 0n)
        }
      }).pipe(
        Effect.provide(
          Layer.mergeAll(Memory.layer(), registries, identified, SolanaChains.layer([connection]))
        )
      )
    }).pipe(Effect.scoped, Effect.provide(onSolana)),
  60_000
)

it.live(
  "a look at a thousand accounts asks a hundred at a time, and twenty times a second at most",
  () =>
    Effect.gen(function* () {
      const chain = yield* Solana.SolanaChain
      yield* chain.advance(40)
      const asked = yield* alternating([chain.rpcUrl])
      const node = Node.make(connectionTo(chain, { rpcUrls: [asked.rpcUrl] }))
      yield* Snapshot.take(node, [], { commitment: "confirmed" })
      asked.asked()
      const addresses = Array.from({ length: 998 }, () => anOwner())
      const startedAtMs = Date.now()
      const { seen } = yield* Snapshot.take(node, addresses, { commitment: "confirmed" })
      assert.lengthOf(seen, 998)
      assert.lengthOf(asked.asked(), 10)
      // The first two go at once.
      assert.isAtLeast(Date.now() - startedAtMs, 8 * 50 - 8)
    }).pipe(Effect.scoped, Effect.provide(onSolana))
)

it.live("a turn in which nothing happened to 120 vaults costs three calls", () =>
  Effect.gen(function* () {
    const chain = yield* Solana.SolanaChain
    yield* chain.advance(40)
    const node = yield* alternating([chain.rpcUrl])
    const connection = connectionTo(chain, { rpcUrls: [node.rpcUrl] })
    yield* Effect.gen(function* () {
      const { id: accountId } = yield* Stored.account()
      for (let count = 0; count < vaultCount; count++) {
        yield* Stored.vault({ accountId, chainId, address: anOwner() })
      }
      for (let turns = 0; turns < 4; turns++) {
        node.asked()
        yield* chain.advance(3)
        yield* turn
      }
      assert.deepStrictEqual(node.asked(), Array(3).fill("getMultipleAccounts"))
    }).pipe(
      Effect.provide(
        Layer.mergeAll(Memory.layer(), registries, identified, SolanaChains.layer([connection]))
      )
    )
  }).pipe(Effect.scoped, Effect.provide(onSolana))
)
