/** What every store of transfers must do. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import * as Usdc from "../../core/money/usdc.ts"
import type { PaymentRequests } from "../../core/payments/request-store.ts"
import type { Transfer } from "../../core/payments/transfer.ts"
import { type DepositFilter, Transfers } from "../../core/payments/transfer-store.ts"
import type { Wallets } from "../../core/wallets/wallet-store.ts"
import * as PageWalk from "../support/page-walk.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

/** A vault on a chain of its own, so that blocks of one test are not those of another. */
const vaultAlone = Effect.suspend(() => Stored.vault({ chainId: Rows.aChainId() }))

export const suite = (
  name: string,
  stores: Layer.Layer<Transfers | PaymentRequests | Wallets | Accounts>
) =>
  layer(stores)(`${name}: transfers`, (it) => {
    it.effect("a transfer is recorded once, whatever id it comes with", () =>
      Effect.gen(function* () {
        const transfers = yield* Transfers
        const vault = yield* vaultAlone
        const transfer = Rows.aTransfer(vault, {
          amountMicro: 9_007_199_254_740_993n,
          settlementIssue: "ambiguous",
          candidatePids: [Rows.aPid(), Rows.aPid()],
          method: "x402"
        })
        assert.deepStrictEqual(yield* transfers.record(transfer), {
          outcome: "recorded",
          id: transfer.id
        })
        const again = { ...transfer, id: Rows.anId(), amountMicro: Usdc.make(1n) }
        assert.deepStrictEqual(yield* transfers.record(again), {
          outcome: "known",
          id: transfer.id
        })
        assert.deepStrictEqual(yield* transfers.find(vault.accountId, transfer.id), transfer)
        assert.isUndefined(yield* transfers.find(vault.accountId, again.id))
        const stranger = yield* Stored.account()
        assert.isUndefined(yield* transfers.find(stranger.id, transfer.id))
      })
    )

    it.effect("another log of the same transaction is another transfer", () =>
      Effect.gen(function* () {
        const transfers = yield* Transfers
        const vault = yield* vaultAlone
        const transfer = Rows.aTransfer(vault)
        yield* transfers.record(transfer)
        const second = { ...transfer, id: Rows.anId(), logIndex: 1 }
        assert.strictEqual((yield* transfers.record(second)).outcome, "recorded")
      })
    )

    it.effect("replicas that see one transfer at once record it once", () =>
      Effect.gen(function* () {
        const transfers = yield* Transfers
        const transfer = Rows.aTransfer(yield* vaultAlone)
        const recorded = yield* Effect.all(
          Array.from({ length: 8 }, () => transfers.record({ ...transfer, id: Rows.anId() })),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(recorded.filter(({ outcome }) => outcome === "recorded").length, 1)
        assert.strictEqual(recorded.filter(({ outcome }) => outcome === "known").length, 7)
        assert.strictEqual(new Set(recorded.map(({ id }) => id)).size, 1)
      })
    )

    it.effect("a reorganisation drops what stood above the block, and only on its chain", () =>
      Effect.gen(function* () {
        const transfers = yield* Transfers
        const vault = yield* vaultAlone
        const elsewhere = Rows.aTransfer(yield* vaultAlone, { blockNumber: 105 })
        const rows = [100, 101, 102].map((blockNumber) => Rows.aTransfer(vault, { blockNumber }))
        yield* Effect.forEach([...rows, elsewhere], transfers.record, { discard: true })
        const dropped = yield* transfers.markReorged(vault.chainId, 100, 100)
        assert.deepStrictEqual(
          PageWalk.sorted(dropped),
          PageWalk.sorted(rows.slice(1).map((row) => ({ ...row, state: "reorged" as const })))
        )
        assert.deepStrictEqual(yield* transfers.markReorged(vault.chainId, 100, 100), [])
        const state = (row: { accountId: string; id: string }) =>
          Effect.map(transfers.find(row.accountId, row.id), (found) => found?.state)
        assert.deepStrictEqual(yield* Effect.forEach([...rows, elsewhere], state), [
          "seen",
          "reorged",
          "reorged",
          "seen"
        ])
      })
    )

    it.effect("a reorganisation drops what stood highest first, whether it was final or not", () =>
      Effect.gen(function* () {
        const transfers = yield* Transfers
        const vault = yield* vaultAlone
        const rows = [101, 102, 103, 104].map((blockNumber) =>
          Rows.aTransfer(vault, {
            blockNumber,
            ...(blockNumber % 2 === 0 ? { state: "final", finalAt: Rows.at(1) } : {})
          })
        )
        yield* Effect.forEach(rows, transfers.record, { discard: true })
        const heights = (dropped: ReadonlyArray<Transfer>) =>
          dropped.map(({ blockNumber }) => blockNumber).toSorted()
        const drop = Effect.map(transfers.markReorged(vault.chainId, 101, 2), heights)
        assert.deepStrictEqual(yield* drop, [103, 104])
        assert.deepStrictEqual(yield* drop, [102])
        assert.deepStrictEqual(yield* drop, [])
      })
    )

    it.effect("a dropped transfer that comes back stands in its row, as its new block has it", () =>
      Effect.gen(function* () {
        const transfers = yield* Transfers
        const vault = yield* vaultAlone
        const request = yield* Stored.paymentRequest(vault)
        const transfer = Rows.aTransfer(vault, { blockNumber: 101, requestId: request.id })
        yield* transfers.record(transfer)
        yield* transfers.markReorged(vault.chainId, 100, 100)
        const moved = {
          blockNumber: 103,
          blockHash: Rows.aTxHash(),
          blockTime: Rows.at(33),
          // A transaction that runs again may move another amount for another payer.
          amountMicro: Usdc.make(3n),
          payerAddress: Rows.anAddressKey()
        }
        const back = { ...transfer, ...moved, id: Rows.anId(), requestId: null }
        assert.deepStrictEqual(yield* transfers.record(back), {
          outcome: "reincluded",
          id: transfer.id
        })
        const found = yield* transfers.find(vault.accountId, transfer.id)
        assert.deepStrictEqual(found, { ...transfer, ...moved })
        assert.strictEqual((yield* transfers.record(back)).outcome, "known")
      })
    )

    it.effect(
      "a dropped transfer that comes back to another vault counts for nothing of the old",
      () =>
        Effect.gen(function* () {
          const transfers = yield* Transfers
          const vault = yield* vaultAlone
          const other = yield* Stored.vault({ chainId: vault.chainId })
          const request = yield* Stored.paymentRequest(vault)
          const transfer = Rows.aTransfer(vault, { requestId: request.id })
          yield* transfers.record(transfer)
          yield* transfers.markReorged(vault.chainId, 50, 100)
          const back = {
            ...Rows.aTransfer(other),
            txHash: transfer.txHash,
            settlementIssue: "late" as const
          }
          assert.strictEqual((yield* transfers.record(back)).outcome, "reincluded")
          assert.isUndefined(yield* transfers.find(vault.accountId, transfer.id))
          assert.deepStrictEqual(yield* transfers.find(other.accountId, transfer.id), {
            ...back,
            id: transfer.id
          })
        })
    )

    it.effect("every seen transfer up to a block becomes final once; dropped ones never do", () =>
      Effect.gen(function* () {
        const transfers = yield* Transfers
        const vault = yield* vaultAlone
        const rows = [99, 100, 101, 102].map((blockNumber) =>
          Rows.aTransfer(vault, { blockNumber })
        )
        yield* Effect.forEach(rows, transfers.record, { discard: true })
        yield* transfers.markReorged(vault.chainId, 101, 100)
        const finalised = yield* transfers.finalise(vault.chainId, 100, Rows.at(60), 100)
        assert.deepStrictEqual(
          PageWalk.sorted(finalised),
          PageWalk.sorted(
            rows.slice(0, 2).map((row) => ({
              ...row,
              state: "final" as const,
              finalAt: Rows.at(60)
            }))
          )
        )
        const later = yield* transfers.finalise(vault.chainId, 102, Rows.at(70), 100)
        assert.deepStrictEqual(PageWalk.ids(later), PageWalk.idsAt(rows, 2))
        const first = yield* transfers.find(vault.accountId, rows[0]?.id ?? "")
        assert.deepStrictEqual(first?.finalAt, Rows.at(60))
      })
    )

    it.effect("a request tells all its transfers, reorganised ones too, oldest first", () =>
      Effect.gen(function* () {
        const transfers = yield* Transfers
        const vault = yield* vaultAlone
        const request = yield* Stored.paymentRequest(vault)
        const second = yield* Stored.paymentRequest(vault)
        const [late, early, dropped, other] = [
          Rows.aTransfer(vault, { requestId: request.id, seenAt: Rows.at(9) }),
          Rows.aTransfer(vault, { requestId: request.id, seenAt: Rows.at(2) }),
          Rows.aTransfer(vault, { requestId: request.id, seenAt: Rows.at(5), blockNumber: 200 }),
          Rows.aTransfer(vault, { requestId: second.id, seenAt: Rows.at(3) })
        ] as const
        yield* Effect.forEach([late, early, dropped, other], transfers.record, { discard: true })
        yield* transfers.record(Rows.aTransfer(vault))
        yield* transfers.markReorged(vault.chainId, 150, 100)
        const ids = Effect.map(PageWalk.ids)
        assert.deepStrictEqual(yield* ids(transfers.ofRequest(request.id)), [
          early.id,
          dropped.id,
          late.id
        ])
        assert.sameMembers(
          [...(yield* ids(transfers.ofRequests([request.id, second.id])))],
          [early.id, dropped.id, late.id, other.id]
        )
        assert.deepStrictEqual(yield* transfers.ofRequests([]), [])
      })
    )

    it.effect("the transfers of one transaction are found by it, in its order", () =>
      Effect.gen(function* () {
        const transfers = yield* Transfers
        const vault = yield* vaultAlone
        const second = Rows.aTransfer(vault, { logIndex: 9 })
        const first = Rows.aTransfer(vault, { txHash: second.txHash, logIndex: 2 })
        yield* Effect.forEach([second, first, Rows.aTransfer(vault)], transfers.record)
        const found = yield* transfers.ofTransaction(vault.chainId, second.txHash)
        assert.deepStrictEqual(found, [first, second])
        assert.deepStrictEqual(yield* transfers.ofTransaction("elsewhere", second.txHash), [])
        const alone = Rows.aTransfer(vault)
        yield* transfers.record(alone)
        const asked = [second.txHash, alone.txHash, second.txHash]
        assert.sameDeepMembers(
          [...(yield* transfers.ofTransactions(vault.chainId, asked))],
          [first, second, alone]
        )
        assert.deepStrictEqual(yield* transfers.ofTransactions("elsewhere", asked), [])
        assert.deepStrictEqual(yield* transfers.ofTransactions(vault.chainId, []), [])
      })
    )

    it.effect("assigning changes what a transfer counts for and nothing else", () =>
      Effect.gen(function* () {
        const transfers = yield* Transfers
        const vault = yield* vaultAlone
        const request = yield* Stored.paymentRequest(vault)
        const transfer = Rows.aTransfer(vault, {
          settlementIssue: "late",
          candidatePids: [request.pid]
        })
        yield* transfers.record(transfer)
        const assignment = {
          requestId: request.id,
          method: "checkout",
          settlementIssue: "none",
          candidatePids: [],
          resolution: "attached"
        } as const
        yield* transfers.assign(transfer.id, assignment)
        assert.deepStrictEqual(yield* transfers.find(vault.accountId, transfer.id), {
          ...transfer,
          ...assignment
        })
      })
    )

    it.effect("deposits are the standing transfers credited to no request, newest first", () =>
      Effect.gen(function* () {
        const transfers = yield* Transfers
        const vault = yield* vaultAlone
        const second = yield* Stored.vault({
          accountId: vault.accountId,
          chainId: vault.chainId
        })
        const request = yield* Stored.paymentRequest(vault)
        const open = [4, 4, 4, 8].map((n) => Rows.aTransfer(vault, { seenAt: Rows.at(n) }))
        const resolved = Rows.aTransfer(second, { seenAt: Rows.at(6), resolution: "ignored" })
        const credited = Rows.aTransfer(vault, { requestId: request.id })
        const dropped = Rows.aTransfer(vault, { blockNumber: 200 })
        const foreign = Rows.aTransfer(yield* vaultAlone)
        yield* Effect.forEach([...open, resolved, credited, dropped, foreign], transfers.record, {
          discard: true
        })
        yield* transfers.markReorged(vault.chainId, 150, 100)
        const read = (filter: DepositFilter) =>
          Effect.map(
            PageWalk.readAll(2, (page) => transfers.deposits(vault.accountId, filter, page)),
            PageWalk.ids
          )
        const order = (rows: ReadonlyArray<(typeof open)[number]>) =>
          PageWalk.newestFirst(rows.map(({ id, seenAt }) => ({ id, createdAt: seenAt })))
        assert.deepStrictEqual(yield* read({}), order([...open, resolved]))
        assert.deepStrictEqual(yield* read({ vaultId: vault.id }), order(open))
        assert.deepStrictEqual(yield* read({ status: "open" }), order(open))
        assert.deepStrictEqual(yield* read({ status: "resolved" }), [resolved.id])
        const sixth = { since: Rows.at(5), until: Rows.at(8) }
        const during = yield* transfers.deposits(vault.accountId, {}, { limit: 9, ...sixth })
        assert.deepStrictEqual(PageWalk.ids(during.rows), [resolved.id])
        const [{ amountMicro }] = open as [Transfer]
        const above = { minMicro: Usdc.make(amountMicro + 1n) }
        assert.deepStrictEqual(yield* transfers.deposits(vault.accountId, above, { limit: 9 }), {
          rows: []
        })
        const same = { minMicro: amountMicro, maxMicro: amountMicro }
        assert.deepStrictEqual(yield* read(same), order([...open, resolved]))
        assert.deepStrictEqual(yield* read({ ...same, status: "open" }), order(open))
        const equal = { ...same, vaultId: vault.id }
        const exact = yield* transfers.deposits(vault.accountId, equal, { limit: 9 })
        assert.deepStrictEqual(PageWalk.ids(exact.rows), order(open))
        const candidates = [["pr_a"], ["pr_a", "pr_b"], ["pr_b"], []]
        const named = candidates.map((candidatePids) => Rows.aTransfer(second, { candidatePids }))
        yield* Effect.forEach(named, transfers.record, { discard: true })
        const onlyFor = { vaultId: second.id, onlyFor: "pr_a" }
        const meant = yield* transfers.deposits(vault.accountId, onlyFor, { limit: 9 })
        assert.deepStrictEqual(PageWalk.ids(meant.rows), [named[0]?.id ?? ""])
        const late = Rows.aTransfer(second, { candidatePids: ["pr_a"], settlementIssue: "late" })
        const twice = { ...onlyFor, issues: ["late", "duplicate"] as const }
        yield* transfers.record(late)
        const told = yield* transfers.deposits(vault.accountId, twice, { limit: 9 })
        assert.deepStrictEqual(PageWalk.ids(told.rows), [late.id])
        const byTransaction = { txHashes: [resolved.txHash, credited.txHash, foreign.txHash] }
        const made = yield* transfers.deposits(vault.accountId, byTransaction, { limit: 9 })
        assert.deepStrictEqual(PageWalk.ids(made.rows), [resolved.id])
        const first = (yield* transfers.deposits(vault.accountId, {}, { limit: 1 })).rows[0]
        assert.deepStrictEqual(first?.createdAt, first?.seenAt)
      })
    )

    it.effect("deposits of a customer are those of all the customer's vaults, and no other's", () =>
      Effect.gen(function* () {
        const transfers = yield* Transfers
        const customer = { externalId: "ada", namespace: "shop" }
        const here = yield* Stored.vault({ chainId: Rows.aChainId(), customer })
        const { accountId } = here
        const there = yield* Stored.vault({ accountId, chainId: Rows.aChainId(), customer })
        const others = [
          yield* Stored.vault({ accountId, customer: { ...customer, namespace: "club" } }),
          yield* Stored.vault({ accountId, customer: { ...customer, externalId: "adam" } }),
          yield* Stored.vault({ customer })
        ]
        const own = [
          Rows.aTransfer(here, { seenAt: Rows.at(1) }),
          Rows.aTransfer(there, { seenAt: Rows.at(2) }),
          Rows.aTransfer(here, { seenAt: Rows.at(3), resolution: "ignored" }),
          Rows.aTransfer(there, { seenAt: Rows.at(4) })
        ]
        yield* Effect.forEach([...own, ...others.map((vault) => Rows.aTransfer(vault))], (each) =>
          transfers.record(each)
        )
        const read = (filter: DepositFilter) =>
          Effect.map(
            PageWalk.readAll(1, (page) =>
              transfers.deposits(accountId, { customer, ...filter }, page)
            ),
            PageWalk.ids
          )
        assert.deepStrictEqual(yield* read({}), PageWalk.ids(own.toReversed()))
        assert.deepStrictEqual(yield* read({ status: "resolved" }), PageWalk.idsAt(own, 2))
        assert.deepStrictEqual(yield* read({ vaultId: there.id }), PageWalk.idsAt(own, 3, 1))
        const nobody = { externalId: "nobody", namespace: "shop" }
        assert.deepStrictEqual(yield* read({ customer: nobody }), [])
        const period = { since: Rows.at(2), until: Rows.at(4), limit: 9 }
        const during = yield* transfers.deposits(accountId, { customer }, period)
        assert.deepStrictEqual(PageWalk.ids(during.rows), PageWalk.idsAt(own, 2, 1))
      })
    )
  })
