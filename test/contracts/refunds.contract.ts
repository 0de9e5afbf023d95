/** What every ledger of refunds must do: no more of a transfer goes back than came in, whatever runs at once. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import * as Usdc from "../../core/money/usdc.ts"
import { type Outcome, Refunds, type ShareRequest } from "../../core/payments/refund-ledger.ts"
import type { PaymentRequests } from "../../core/payments/request-store.ts"
import type { Transfer } from "../../core/payments/transfer.ts"
import { Transfers } from "../../core/payments/transfer-store.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import type { Proposals } from "../../core/proposals/proposal-store.ts"
import type { Wallets } from "../../core/wallets/wallet-store.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

type Stores = Refunds | Transfers | Proposals | Accounts | Wallets | PaymentRequests | Atomically

const isClaimed = ({ _tag }: Outcome) => _tag === "claimed"

/** Final transfers to one vault, of these amounts. */
const received = Effect.fnUntraced(function* (
  amounts: ReadonlyArray<bigint>,
  over: Partial<Transfer> = {}
) {
  const vault = yield* Stored.vault({ chainId: Rows.aChainId() })
  const transfers = yield* Transfers
  const rows = amounts.map((amountMicro) =>
    Rows.aTransfer(vault, { amountMicro, state: "final", finalAt: Rows.at(2), ...over })
  )
  for (const row of rows) yield* transfers.record(row)
  return { accountId: vault.accountId, transferIds: rows.map(({ id }) => id) }
})

type Money = Pick<ShareRequest, "accountId" | "transferIds">

const claimBy = Effect.fnUntraced(function* (
  money: Money,
  amountMicro: bigint,
  proposalId?: string
) {
  const id = proposalId ?? (yield* Stored.proposal({ accountId: money.accountId })).id
  const refunds = yield* Refunds
  const outcome = yield* refunds.claim({
    ...money,
    proposalId: id,
    amountMicro: Usdc.make(amountMicro),
    at: Rows.at(3)
  })
  return { id, outcome }
})

const standing = Effect.fnUntraced(function* ({ transferIds }: Money) {
  const shares = yield* (yield* Refunds).ofTransfers(transferIds)
  return shares.reduce((sum, { amountMicro }) => sum + amountMicro, 0n)
})

export const suite = (name: string, stores: Layer.Layer<Stores>) => {
  claimingSuite(name, stores)
  endingSuite(name, stores)
}

const claimingSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: refunds, claims`, (it) => {
    it.effect("of 64 that claim one unit at once of three transfers of ten, exactly ten do", () =>
      Effect.gen(function* () {
        const { run } = yield* Atomically
        const refunds = yield* Refunds
        const money = yield* received([3n, 6n, 1n])
        const { accountId, transferIds } = money
        const proposals = yield* Effect.forEach(Array(64).fill(0), () =>
          Stored.proposal({ accountId })
        )
        const outcomes = yield* Effect.forEach(
          proposals,
          ({ id }, index) =>
            run(
              refunds.claim({
                accountId,
                proposalId: id,
                amountMicro: Usdc.make(1n),
                // Not all want them in the same order, and none waits for another in a circle.
                transferIds: index % 2 === 0 ? transferIds : transferIds.toReversed(),
                at: Rows.at(3)
              })
            ),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(outcomes.filter(isClaimed).length, 10)
        assert.strictEqual(yield* standing(money), 10n)
      })
    )

    it.effect("takes from the first transfers named, and no more of one than came in", () =>
      Effect.gen(function* () {
        const money = yield* received([5n, 7n, 9n])
        yield* claimBy(money, 2n)
        const { id, outcome } = yield* claimBy(money, 12n)
        assert.deepStrictEqual(outcome, { _tag: "claimed" })
        const shares = yield* (yield* Refunds).ofProposal(id)
        const taken = new Map(shares.map((each) => [each.transferId, each.amountMicro]))
        assert.deepStrictEqual(
          money.transferIds.map((each) => taken.get(each)),
          [Usdc.make(3n), Usdc.make(7n), Usdc.make(2n)]
        )
      })
    )

    it.effect("claims nothing when it cannot claim all, and says how much is left", () =>
      Effect.gen(function* () {
        const money = yield* received([5n, 5n])
        yield* claimBy(money, 4n)
        const { id, outcome } = yield* claimBy(money, 7n)
        assert.deepStrictEqual(outcome, { _tag: "over", leftMicro: Usdc.make(6n) })
        assert.deepStrictEqual(yield* (yield* Refunds).ofProposal(id), [])
      })
    )

    it.effect("a claim made twice by one proposal is counted once", () =>
      Effect.gen(function* () {
        const money = yield* received([10n])
        const { id } = yield* claimBy(money, 6n)
        assert.deepStrictEqual((yield* claimBy(money, 6n, id)).outcome, { _tag: "claimed" })
        assert.strictEqual(yield* standing(money), 6n)
      })
    )

    it.effect("money that is not final, and another account's, gives nothing", () =>
      Effect.gen(function* () {
        const seen = yield* received([10n], { state: "seen", finalAt: null })
        assert.deepStrictEqual((yield* claimBy(seen, 1n)).outcome, {
          _tag: "over",
          leftMicro: Usdc.make(0n)
        })
        const { accountId } = yield* received([10n])
        const { transferIds } = yield* received([10n])
        const foreign = yield* claimBy({ accountId, transferIds }, 1n)
        assert.deepStrictEqual(foreign.outcome, { _tag: "over", leftMicro: Usdc.make(0n) })
      })
    )
  })

const endingSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: refunds, ends`, (it) => {
    it.effect("what is given back can be claimed again, by the same proposal too", () =>
      Effect.gen(function* () {
        const refunds = yield* Refunds
        const money = yield* received([10n])
        const { id } = yield* claimBy(money, 10n)
        yield* refunds.release(id)
        assert.strictEqual(yield* standing(money), 0n)
        yield* claimBy(money, 4n, id)
        assert.isTrue(isClaimed((yield* claimBy(money, 6n)).outcome))
        assert.strictEqual(yield* standing(money), 10n)
      })
    )

    it.effect("what has gone back stays counted, however often its end is told", () =>
      Effect.gen(function* () {
        const refunds = yield* Refunds
        const money = yield* received([10n])
        const { id } = yield* claimBy(money, 8n)
        yield* refunds.complete(id)
        yield* refunds.release(id)
        yield* refunds.complete(id)
        const [share] = yield* refunds.ofProposal(id)
        assert.strictEqual(share?.state, "refunded")
        const { outcome } = yield* claimBy(money, 3n)
        assert.deepStrictEqual(outcome, { _tag: "over", leftMicro: Usdc.make(2n) })
      })
    )
  })
