/** What every store of enrolment links must do: keep a digest, and let one of many uses through. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import type { Enrolment } from "../../core/humans/enrolment.ts"
import { Enrolments } from "../../core/humans/human-store.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import * as HumanRows from "../support/human-rows.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

const issued = Effect.fnUntraced(function* (over: Partial<Enrolment> = {}) {
  const accountId = over.accountId ?? (yield* Stored.account()).id
  const enrolment = HumanRows.anEnrolment(accountId, over)
  const digest = Rows.aDigest()
  yield* (yield* Enrolments).issue(enrolment, digest)
  return { enrolment, digest }
})

export const suite = (name: string, stores: Layer.Layer<Enrolments | Accounts | Atomically>) =>
  layer(stores)(`${name}: enrolments`, (it) => {
    it.effect(
      "a link is found by its digest and its id, ended ones too, and digests are unique",
      () =>
        Effect.gen(function* () {
          const enrolments = yield* Enrolments
          for (const over of [
            { purpose: "claim" as const },
            { purpose: "second_passkey" as const, endedAt: Rows.at(4.5) }
          ]) {
            const { enrolment, digest } = yield* issued(over)
            assert.deepStrictEqual(yield* enrolments.findByDigest(digest), enrolment)
            assert.deepStrictEqual(yield* enrolments.find(enrolment.id), enrolment)
            const twin = HumanRows.anEnrolment(enrolment.accountId)
            assert.isTrue(Exit.isFailure(yield* Effect.exit(enrolments.issue(twin, digest))))
          }
          assert.isUndefined(yield* enrolments.findByDigest(Rows.aDigest()))
          assert.isUndefined(yield* enrolments.find("not-an-id"))
        })
    )

    it.effect("of sixty-four uses at once, one goes through", () =>
      Effect.gen(function* () {
        const enrolments = yield* Enrolments
        const { run } = yield* Atomically
        const { enrolment } = yield* issued()
        yield* Effect.exit(
          run(Effect.andThen(enrolments.use(enrolment.id, Rows.at(1)), Effect.fail("rolled back")))
        )
        const uses = yield* Effect.all(
          Array.from({ length: 64 }, () => run(enrolments.use(enrolment.id, Rows.at(7.5)))),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(
          uses.filter((used) => used),
          1
        )
        assert.deepStrictEqual((yield* enrolments.find(enrolment.id))?.endedAt, Rows.at(7.5))
      })
    )

    it.effect("withdrawing ends what is open of one account and purpose, and nothing else", () =>
      Effect.gen(function* () {
        const enrolments = yield* Enrolments
        const { enrolment: first } = yield* issued({ purpose: "claim" })
        const { accountId } = first
        const { enrolment: second } = yield* issued({ accountId, purpose: "claim" })
        const { enrolment: used } = yield* issued({
          accountId,
          purpose: "claim",
          endedAt: Rows.at(1)
        })
        const { enrolment: operators } = yield* issued({ accountId })
        const { enrolment: foreign } = yield* issued({ purpose: "claim" })
        assert.strictEqual(yield* enrolments.withdraw(accountId, "claim", Rows.at(8)), 2)
        assert.strictEqual(yield* enrolments.withdraw(accountId, "claim", Rows.at(9)), 0)
        for (const [row, endedAt] of [
          [first, Rows.at(8)],
          [second, Rows.at(8)],
          [used, Rows.at(1)],
          [operators, null],
          [foreign, null]
        ] as const) {
          assert.deepStrictEqual((yield* enrolments.find(row.id))?.endedAt, endedAt)
        }
      })
    )

    it.effect("withdrawing a human's links ends theirs and nobody else's", () =>
      Effect.gen(function* () {
        const enrolments = yield* Enrolments
        const { enrolment: theirs } = yield* issued({ purpose: "invitation", role: "viewer" })
        const { accountId, humanId } = theirs
        const { enrolment: second } = yield* issued({ accountId, humanId })
        const { enrolment: others } = yield* issued({ accountId, email: "ben@example.com" })
        const { enrolment: foreign } = yield* issued({ humanId })
        const purpose = "second_passkey" as const
        const { enrolment: more } = yield* issued({ accountId, humanId, purpose })
        assert.strictEqual(yield* enrolments.withdrawOf(accountId, humanId, Rows.at(7), purpose), 1)
        assert.deepStrictEqual((yield* enrolments.find(more.id))?.endedAt, Rows.at(7))
        assert.isNull((yield* enrolments.find(theirs.id))?.endedAt)
        assert.strictEqual(yield* enrolments.withdrawOf(accountId, humanId, Rows.at(8)), 2)
        assert.strictEqual(yield* enrolments.withdrawOf(accountId, humanId, Rows.at(9)), 0)
        assert.deepStrictEqual(yield* enrolments.find(second.id), {
          ...second,
          endedAt: Rows.at(8)
        })
        assert.deepStrictEqual(yield* enrolments.find(others.id), others)
        assert.deepStrictEqual(yield* enrolments.find(foreign.id), foreign)
      })
    )

    it.effect("what ran out before an instant is forgotten", () =>
      Effect.gen(function* () {
        const enrolments = yield* Enrolments
        // Before everything else that shares this store.
        const { enrolment: over } = yield* issued({
          createdAt: Rows.at(-900),
          expiresAt: Rows.at(-800)
        })
        const { enrolment: edge } = yield* issued({
          createdAt: Rows.at(-900),
          expiresAt: Rows.at(-700)
        })
        yield* enrolments.forget(Rows.at(-700), 9)
        assert.isUndefined(yield* enrolments.find(over.id))
        assert.isDefined(yield* enrolments.find(edge.id))
      })
    )
  })
