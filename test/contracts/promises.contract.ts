/** What every store of submissions must tell of what payers have signed and no block has yet, also to many who add to it at once. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import type { PaymentRequests } from "../../core/payments/request-store.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import type { Proposals } from "../../core/proposals/proposal-store.ts"
import type { Submission } from "../../core/submissions/submission.ts"
import { SubmissionStore } from "../../core/submissions/submission-store.ts"
import type { Wallets } from "../../core/wallets/wallet-store.ts"
import * as Value from "../support/chain-values.ts"
import * as Rows from "../support/rows.ts"
import { anAuthorization, aRequest, aSettlement } from "../support/settlement-rows.ts"
import * as SubmissionQueue from "../support/submission-queue.ts"

type Stores = SubmissionStore | PaymentRequests | Proposals | Wallets | Accounts | Atomically

export const suite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: promises of payers`, (it) => {
    it.effect(
      "what an address has signed to pay is told until a block has it or it has failed",
      () =>
        Effect.gen(function* () {
          const store = yield* SubmissionStore
          const { subject } = yield* aRequest
          const chainId = Rows.aChainId()
          const from = Rows.anAddressKey()
          const txIds = [Value.transaction(Rows.aTxHash())]
          const promise = (units: bigint, over: Partial<Submission> = {}, by = from) => {
            const authorization = anAuthorization({ chainId, from: by, amountMicro: units })
            return store.open(aSettlement(subject, over, authorization))
          }
          const told = store.promisedBy(chainId, from)
          assert.deepStrictEqual(yield* told, { count: 0, units: 0n })
          yield* promise(2n ** 60n)
          yield* promise(2n ** 60n, { status: "signed" })
          yield* promise(3n, { status: "submitted", txIds })
          yield* promise(100n, { status: "seen", txIds })
          yield* promise(100n, { status: "final", txIds, nextLookAt: null })
          yield* promise(100n, { status: "failed", nextLookAt: null })
          yield* promise(100n, {}, Rows.anAddressKey())
          const own = yield* SubmissionQueue.aSubmission({ chainId })
          yield* store.open(own)
          assert.deepStrictEqual(yield* told, { count: 3, units: 2n ** 61n + 3n })
          assert.strictEqual((yield* store.promisedBy(chainId, own.terms.from)).count, 0)
          assert.strictEqual((yield* store.promisedBy("base", from)).count, 0)
        })
    )

    it.effect(
      "of many who add to what an address has signed at once, each sees those before it",
      () =>
        Effect.gen(function* () {
          const store = yield* SubmissionStore
          const { run } = yield* Atomically
          const { subject } = yield* aRequest
          const chainId = Rows.aChainId()
          const from = Rows.anAddressKey()
          const adding = run(
            Effect.gen(function* () {
              const { count } = yield* store.promisedBy(chainId, from)
              if (count < 4)
                yield* store.open(aSettlement(subject, {}, anAuthorization({ chainId, from })))
            })
          )
          yield* Effect.all(
            Array.from({ length: 24 }, () => adding),
            { concurrency: "unbounded" }
          )
          assert.strictEqual((yield* store.promisedBy(chainId, from)).count, 4)
        })
    )
  })
