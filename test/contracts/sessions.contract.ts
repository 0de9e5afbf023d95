/** What every store of sessions must do: keep a digest, and know nothing of a session that ended. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import { type Humans, Sessions } from "../../core/humans/human-store.ts"
import type { Passkey } from "../../core/humans/passkey.ts"
import type { Session } from "../../core/humans/session.ts"
import * as HumanRows from "../support/human-rows.ts"
import * as Rows from "../support/rows.ts"

const opened = Effect.fnUntraced(function* (passkey: Passkey, over: Partial<Session> = {}) {
  const session = HumanRows.aSession(passkey, over)
  const digest = Rows.aDigest()
  yield* (yield* Sessions).open(session, digest)
  return { session, digest }
})

export const suite = (name: string, stores: Layer.Layer<Sessions | Humans | Accounts>) =>
  layer(stores)(`${name}: sessions`, (it) => {
    it.effect("a session is found by its digest until it is ended, and digests are unique", () =>
      Effect.gen(function* () {
        const sessions = yield* Sessions
        const { passkey } = yield* HumanRows.planted()
        const { session, digest } = yield* opened(passkey)
        assert.deepStrictEqual(yield* sessions.findByDigest(digest), session)
        const twin = yield* Effect.exit(sessions.open(HumanRows.aSession(passkey), digest))
        assert.isTrue(Exit.isFailure(twin))
        assert.isTrue(yield* sessions.end(session.id))
        assert.isFalse(yield* sessions.end(session.id))
        assert.isUndefined(yield* sessions.findByDigest(digest))
      })
    )

    it.effect("ending those of a passkey leaves the human's other sessions", () =>
      Effect.gen(function* () {
        const sessions = yield* Sessions
        const [{ passkey }, { passkey: other }] = [
          yield* HumanRows.planted(),
          yield* HumanRows.planted()
        ]
        const first = yield* opened(passkey)
        const second = yield* opened(passkey)
        const foreign = yield* opened(other)
        assert.strictEqual(yield* sessions.endOf(passkey.id), 2)
        assert.strictEqual(yield* sessions.endOf(passkey.id), 0)
        for (const { digest } of [first, second]) {
          assert.isUndefined(yield* sessions.findByDigest(digest))
        }
        assert.deepStrictEqual(yield* sessions.findByDigest(foreign.digest), foreign.session)
      })
    )

    it.effect("a use is noted at most once a minute", () =>
      Effect.gen(function* () {
        const sessions = yield* Sessions
        const { passkey } = yield* HumanRows.planted()
        const { session, digest } = yield* opened(passkey, { lastSeenAt: Rows.at(10) })
        const seen = Effect.map(sessions.findByDigest(digest), (found) => found?.lastSeenAt)
        yield* sessions.noteSeen(session.id, Rows.at(69.999))
        assert.deepStrictEqual(yield* seen, Rows.at(10))
        yield* sessions.noteSeen(session.id, Rows.at(70))
        assert.deepStrictEqual(yield* seen, Rows.at(70))
        yield* sessions.noteSeen(session.id, Rows.at(20))
        assert.deepStrictEqual(yield* seen, Rows.at(70))
      })
    )

    it.effect("what ran out before an instant is forgotten", () =>
      Effect.gen(function* () {
        const sessions = yield* Sessions
        const { passkey } = yield* HumanRows.planted()
        // Before everything else that shares this store.
        const past = { createdAt: Rows.at(-900), lastSeenAt: Rows.at(-900) }
        const over = yield* opened(passkey, { ...past, expiresAt: Rows.at(-800) })
        const edge = yield* opened(passkey, { ...past, expiresAt: Rows.at(-700) })
        yield* sessions.forget(Rows.at(-700), 9)
        assert.isUndefined(yield* sessions.findByDigest(over.digest))
        assert.isDefined(yield* sessions.findByDigest(edge.digest))
      })
    )
  })
