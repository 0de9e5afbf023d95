/**
 * What wallets have paid, as final blocks tell it on every chain that can be sent on: by it an operator learns what
 * records that were restored do not know.
 */
import { assert, layer } from "@effect/vitest"
import { DateTime, Effect, type Layer } from "effect"
import { keyOf } from "../../core/chains/address.ts"
import { isPaidBy } from "../../core/submissions/recover.ts"
import { SubmissionStore } from "../../core/submissions/submission-store.ts"
import { madeBy } from "../../core/submissions/submitter.ts"
import { recordedOn, unrecordedAmong } from "../../core/wallets/reconcile.ts"
import { look, submissionOf } from "../support/send-steps.ts"
import { called, ended, freshRecords, kept, SendWorld, type World } from "../support/send-world.ts"

export const suite = (name: string, world: Layer.Layer<World>) =>
  layer(world)(`${name}: what wallets have paid`, (it) => {
    it.effect("is told once it is final, with the identity that it was made under", () =>
      Effect.gen(function* () {
        const { chainId, next, settle } = yield* SendWorld
        const meant = yield* kept()
        const proposal = yield* called(meant)
        const { terms } = yield* submissionOf(proposal)
        const made = madeBy(chainId, [terms.from])
        assert.deepStrictEqual(yield* made, [])
        yield* look
        yield* next
        assert.deepStrictEqual(yield* made, [])
        yield* settle
        const { txHashes } = yield* ended(proposal)
        const [payment, ...others] = yield* made
        if (payment === undefined) return assert.fail("nothing is told")
        assert.lengthOf(others, 0)
        assert.isTrue(terms.identity.startsWith(payment.identity))
        assert.isAtLeast(payment.identity.length, 48)
        assert.strictEqual(payment.from, terms.from)
        assert.isAbove(Number(payment.laidOut ?? 0n), 0, "and what carrying it cost")
        assert.deepStrictEqual([payment.txId], [...txHashes])
        const wanted = { to: keyOf(chainId, meant.address), amount: terms.amount }
        assert.isTrue(isPaidBy({ ...payment, isFinal: true }, wanted))
        const stranger = keyOf(chainId, yield* (yield* SendWorld).someone)
        assert.deepStrictEqual(yield* madeBy(chainId, [stranger]), [])
        // Of a node that is behind, nothing that it lacks is taken for not made.
        const late = DateTime.makeUnsafe("2100-01-01T00:00:00Z")
        const through = { number: 2 ** 31, hash: "none" }
        const reach = { through, keptSince: late, paidSince: late }
        const refused = yield* Effect.flip(madeBy(chainId, [terms.from], reach))
        assert.strictEqual(refused._tag, "ChainUnavailable")
      }).pipe(Effect.provide(freshRecords()))
    )

    it.effect("and what records do not know of it, or call failed, is found by them", () =>
      Effect.gen(function* () {
        const { chainId } = yield* SendWorld
        const meant = yield* kept()
        const before = yield* Effect.gen(function* () {
          const proposal = yield* called(meant)
          yield* ended(proposal)
          const { terms } = yield* submissionOf(proposal)
          const payments = yield* madeBy(chainId, [terms.from])
          const recorded = yield* recordedOn(chainId)
          const known = yield* (yield* SubmissionStore).identitiesOf(chainId, terms.from)
          assert.deepStrictEqual(known, [{ identity: terms.identity, status: "final" }])
          assert.lengthOf(recorded, 1)
          return { payments, recorded, unrecorded: unrecordedAmong(recorded, payments) }
        }).pipe(Effect.provide(freshRecords()))
        assert.deepStrictEqual(before.unrecorded, [])
        const lost = before.recorded.map((wallet) => ({ ...wallet, payments: [] }))
        const [unknown] = unrecordedAmong(lost, before.payments)
        assert.deepInclude(unknown, {
          records: "unknown",
          walletId: before.recorded[0]?.walletId ?? "none"
        })
        const paid = unknown?.toAddress ?? ""
        assert.strictEqual(keyOf(chainId, paid), keyOf(chainId, meant.address))
        const wrong = before.recorded.map((wallet) => ({
          ...wallet,
          payments: wallet.payments.map((each) => ({ ...each, status: "failed" }))
        }))
        assert.deepInclude(unrecordedAmong(wrong, before.payments)[0], { records: "failed" })
      })
    )
  })
