/** What every store of challenges must do: say for ever what was issued, and let one of many uses through. */
import { assert, layer } from "@effect/vitest"
import { type DateTime, Effect, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import type { Challenge } from "../../core/governance/challenge.ts"
import { Challenges } from "../../core/governance/governance-store.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

type Stores = Challenges | Accounts | Atomically

const aChallenge = (accountId: string, over: Partial<Challenge> = {}): Challenge => ({
  id: Rows.anId(),
  accountId,
  keyId: Rows.anId(),
  action: "add_recipient",
  payloadHash: Rows.aDigest(),
  signer: { chainId: "local", address: Rows.anAddress() },
  message: "treasury.test wants you to sign in\n\nwith your ✓ wallet",
  issuedAt: Rows.at(0.123),
  expiresAt: Rows.at(600.123),
  usedAt: null,
  ...over
})

export const suite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: challenges`, (it) => {
    it.effect("a challenge is read back as it was issued, by its account only", () =>
      Effect.gen(function* () {
        const challenges = yield* Challenges
        const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
        const rows = [
          aChallenge(mine.id),
          aChallenge(mine.id, { action: "approve_recipient", usedAt: Rows.at(5.5) })
        ]
        for (const row of rows) {
          yield* challenges.issue(row)
          assert.deepStrictEqual(yield* challenges.find(mine.id, row.id), row)
          assert.isUndefined(yield* challenges.find(other.id, row.id))
        }
        assert.isUndefined(yield* challenges.find(mine.id, "not-an-id"))
      })
    )

    it.effect("of sixty-four uses at once, one goes through", () =>
      Effect.gen(function* () {
        const challenges = yield* Challenges
        const { run } = yield* Atomically
        const { id: accountId } = yield* Stored.account()
        const challenge = aChallenge(accountId)
        yield* challenges.issue(challenge)
        const uses = yield* Effect.all(
          Array.from({ length: 64 }, (_, n) =>
            run(challenges.use(accountId, challenge.id, Rows.at(n)))
          ),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(uses.filter((used) => used).length, 1)
        assert.isNotNull((yield* challenges.find(accountId, challenge.id))?.usedAt)
      })
    )

    it.effect("another account cannot use it, and a use is undone with its transaction", () =>
      Effect.gen(function* () {
        const challenges = yield* Challenges
        const { run } = yield* Atomically
        const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
        const challenge = aChallenge(mine.id)
        yield* challenges.issue(challenge)
        assert.isFalse(yield* challenges.use(other.id, challenge.id, Rows.at(1)))
        yield* Effect.exit(
          run(
            Effect.andThen(
              challenges.use(mine.id, challenge.id, Rows.at(2)),
              Effect.fail("rolled back")
            )
          )
        )
        assert.isNull((yield* challenges.find(mine.id, challenge.id))?.usedAt)
        assert.isTrue(yield* challenges.use(mine.id, challenge.id, Rows.at(3)))
        assert.deepStrictEqual(
          (yield* challenges.find(mine.id, challenge.id))?.usedAt,
          Rows.at(3) as DateTime.Utc
        )
      })
    )

    it.effect("what ran out unused is forgotten, what was used is kept", () =>
      Effect.gen(function* () {
        const challenges = yield* Challenges
        const { id: accountId } = yield* Stored.account()
        const [old, used, young] = [
          aChallenge(accountId, { issuedAt: Rows.at(-9000), expiresAt: Rows.at(-8000) }),
          aChallenge(accountId, {
            issuedAt: Rows.at(-9000),
            expiresAt: Rows.at(-8000),
            usedAt: Rows.at(-8500)
          }),
          aChallenge(accountId, { issuedAt: Rows.at(-9000), expiresAt: Rows.at(-7000) })
        ]
        for (const each of [old, used, young]) yield* challenges.issue(each)
        yield* challenges.forget(Rows.at(-7000), 9)
        assert.isUndefined(yield* challenges.find(accountId, old.id))
        assert.isDefined(yield* challenges.find(accountId, used.id))
        assert.isDefined(yield* challenges.find(accountId, young.id))
      })
    )
  })
