/**
 * A send whose records were lost, or restored from before it, on every chain that can be sent on: the same call is
 * found paid and not paid again, and another payment under its idempotency key is refused.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Ids from "../../adapters/memory/ids.ts"
import { stores } from "../../adapters/memory/memory.ts"
import { MemoryStore } from "../../adapters/memory/store.ts"
import { EvmRelay } from "../../core/evm/relay.ts"
import { Spending } from "../../core/policy/spending-ledger.ts"
import type { Chains } from "../../core/ports/chains.ts"
import type { Proposal } from "../../core/proposals/proposal.ts"
import { Proposals } from "../../core/proposals/proposal-store.ts"
import { subStatusOf } from "../../core/proposals/step.ts"
import type { SolanaRelay } from "../../core/solana/relay.ts"
import type { WalletKeys } from "../../core/submissions/wallet-keys.ts"
import { registries } from "../support/registries.ts"
import * as Rows from "../support/rows.ts"
import { completed, confirmedOver, look, submissionOf } from "../support/send-steps.ts"
import {
  attemptOf,
  broadcast,
  fundedAndAuthorized,
  held,
  identityFor,
  orderOf,
  PayingWorld
} from "../support/sending-chain.ts"
import { amountMicro } from "../support/signable-orders.ts"
import { identified } from "../support/signing-policies.ts"
import * as Stored from "../support/stored-rows.ts"
import { addressOf } from "../support/watched-chain.ts"

/** Records that know nothing of any others; ids that no others have. */
let seeds = 100
const freshRecords = () =>
  Layer.fresh(
    Layer.mergeAll(stores, registries).pipe(
      Layer.provideMerge(Layer.merge(Ids.layer(seeds++), identified)),
      Layer.provideMerge(MemoryStore.layer)
    )
  )

/** What a caller keeps, and calls with again: the account, its wallet, whom it pays, and the key of the call. */
const kept = () => ({
  accountId: Rows.anId(),
  keyId: Rows.aKeyId(),
  address: Rows.anAddress(),
  call: { operation: "propose_transfer", idempotencyKey: `invoice-${Rows.anId()}` }
})
type Kept = ReturnType<typeof kept>

/** The call made and confirmed on records that have never seen it. */
const calledAgain = Effect.fnUntraced(function* ({ accountId, address, call, keyId }: Kept) {
  yield* Stored.account({ id: accountId })
  return yield* confirmedOver({ accountId, keyId, recipient: { address }, proposal: { call } })
})

const standing = Effect.fnUntraced(function* ({ accountId, id }: Proposal) {
  const proposal = yield* (yield* Proposals).find(accountId, id)
  return proposal ?? assert.fail("the proposal is gone")
})

/** Looks and mines until it has ended, a few times at most. */
const ended = Effect.fnUntraced(function* (proposal: Proposal) {
  const { mine } = yield* PayingWorld
  for (let turn = 0; turn < 8 && (yield* standing(proposal)).status === "executing"; turn++) {
    yield* look
    yield* mine(1)
  }
  return yield* standing(proposal)
})

export const suite = (
  name: string,
  chain: Layer.Layer<Chains | EvmRelay | SolanaRelay | PayingWorld | WalletKeys>
) =>
  layer(chain)(`${name}: a send whose records were lost`, (it) => {
    it.effect("is found paid by the same call, and not paid again", () =>
      Effect.gen(function* () {
        const meant = kept()
        const first = yield* Effect.gen(function* () {
          const proposal = yield* calledAgain(meant)
          yield* completed(proposal)
          return yield* standing(proposal)
        }).pipe(Effect.provide(freshRecords()))
        assert.isFalse(first.recovered)
        yield* Effect.gen(function* () {
          const again = yield* calledAgain(meant)
          assert.notStrictEqual(again.id, first.id)
          const after = yield* ended(again)
          assert.deepInclude(after, { status: "completed", recovered: true, statusReason: null })
          assert.deepStrictEqual(after.txHashes, first.txHashes)
          assert.deepStrictEqual((yield* submissionOf(again)).journal, {})
          assert.strictEqual((yield* (yield* Spending).heldBy(again.id))?.state, "consumed")
        }).pipe(Effect.provide(freshRecords()))
        assert.strictEqual(yield* held(meant.address), amountMicro)
      })
    )

    it.effect("waits for the payment it has found to be final", () =>
      Effect.gen(function* () {
        const { confirmations, mine } = yield* PayingWorld
        const meant = kept()
        yield* Effect.gen(function* () {
          yield* calledAgain(meant)
          yield* look
          yield* mine(1)
        }).pipe(Effect.provide(freshRecords()))
        yield* Effect.gen(function* () {
          const again = yield* calledAgain(meant)
          yield* look
          const waiting = yield* standing(again)
          assert.strictEqual(waiting.status, "executing")
          assert.strictEqual(subStatusOf(yield* submissionOf(again)), "confirming")
          assert.isFalse(waiting.recovered)
          yield* mine(confirmations)
          yield* look
          assert.deepInclude(yield* standing(again), { status: "completed", recovered: true })
        }).pipe(Effect.provide(freshRecords()))
        assert.strictEqual(yield* held(meant.address), amountMicro)
      })
    )

    it.effect("pays nobody else under the idempotency key it had", () =>
      Effect.gen(function* () {
        const meant = kept()
        yield* Effect.gen(function* () {
          yield* completed(yield* calledAgain(meant))
        }).pipe(Effect.provide(freshRecords()))
        const other = { ...meant, address: Rows.anAddress() }
        yield* Effect.gen(function* () {
          const again = yield* calledAgain(other)
          const after = yield* ended(again)
          assert.deepInclude(after, { status: "failed", recovered: false })
          assert.match(after.statusReason ?? "", /already used for another payment, in 0x/u)
          assert.strictEqual((yield* (yield* Spending).heldBy(again.id))?.state, "released")
        }).pipe(Effect.provide(freshRecords()))
        assert.strictEqual(yield* held(other.address), 0n)
        assert.strictEqual(yield* held(meant.address), amountMicro)
      })
    )

    it.effect("a payment is found by its identity alone, and when it is final", () =>
      Effect.gen(function* () {
        const { chainId, confirmations, mine, walletAt } = yield* PayingWorld
        const { findPayment } = yield* EvmRelay
        const sending = { keyNumber: 12, to: addressOf("e"), amountMicro: 7n }
        const order = yield* orderOf(sending)
        const payment = { chainId, from: order.from, identity: order.identity }
        assert.isUndefined(yield* findPayment(payment))
        const authorization = yield* fundedAndAuthorized(sending)
        const attempt = yield* attemptOf(authorization)
        yield* broadcast(attempt)
        assert.isUndefined(yield* findPayment(payment))
        yield* mine(1)
        const found = {
          txId: attempt.txHash,
          isFinal: false,
          paid: { to: addressOf("e"), amount: order.amount }
        }
        assert.deepStrictEqual(yield* findPayment(payment), found)
        yield* mine(confirmations)
        assert.deepStrictEqual(yield* findPayment(payment), { ...found, isFinal: true })
        const others = [
          { ...payment, identity: identityFor("another proposal") },
          { ...payment, from: yield* walletAt(13) }
        ]
        for (const other of others) assert.isUndefined(yield* findPayment(other))
      })
    )

    it.effect("is paid by another key of the same account as before", () =>
      Effect.gen(function* () {
        const meant = kept()
        const later = { ...meant, call: { ...meant.call, idempotencyKey: `next-${Rows.anId()}` } }
        for (const each of [meant, later]) {
          yield* Effect.gen(function* () {
            const after = yield* ended(yield* calledAgain(each))
            assert.deepInclude(after, { status: "completed", recovered: false })
          }).pipe(Effect.provide(freshRecords()))
        }
        assert.strictEqual(yield* held(meant.address), 2n * amountMicro)
      })
    )
  })
