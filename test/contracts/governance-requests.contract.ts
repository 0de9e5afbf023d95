/** What every store of governance requests must do: what was asked for stands, and what has ended stays so. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import { GovernanceRequests } from "../../core/governance/governance-store.ts"
import { type GovernanceRequest, Status } from "../../core/governance/request.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import * as GovernanceRows from "../support/governance-rows.ts"
import * as PageWalk from "../support/page-walk.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

type Stores = GovernanceRequests | Accounts | Atomically

const stored = Effect.fnUntraced(function* (over: Partial<GovernanceRequest> = {}) {
  const accountId = over.accountId ?? (yield* Stored.account()).id
  const request = GovernanceRows.aGovernanceRequest(accountId, over)
  yield* (yield* GovernanceRequests).store(request)
  return request
})

const read = Effect.fnUntraced(function* (accountId: string, requestId: string) {
  const { lock } = yield* GovernanceRequests
  return yield* (yield* Atomically).run(lock(accountId, requestId))
})

export const suite = (name: string, stores: Layer.Layer<Stores>) => {
  readingSuite(name, stores)
  movingSuite(name, stores)
}

const readingSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: governance requests`, (it) => {
    it.effect("a request is read back as it was asked, by its account only", () =>
      Effect.gen(function* () {
        const { find, open } = yield* GovernanceRequests
        const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
        const payload = {
          rules: [{ minAmountMicro: "9007199254740993", maxAmountMicro: null }],
          note: 'quotes " and ✓',
          nested: { count: 3, isSo: true, none: {} }
        }
        for (const status of Status.literals) {
          const request = yield* stored({
            accountId: mine.id,
            action: "update_cosigner_rules",
            payload,
            status,
            createdAt: Rows.at(0.123),
            expiresAt: Rows.at(9.876)
          })
          assert.deepStrictEqual(yield* read(mine.id, request.id), request)
          assert.isUndefined(yield* read(other.id, request.id))
          assert.deepStrictEqual(yield* find(mine.id, request.id), request)
          assert.isUndefined(yield* find(other.id, request.id))
        }
        assert.isUndefined(yield* read(mine.id, "not-an-id"))
        assert.deepStrictEqual(yield* open(other.id, Rows.at(1), { limit: 5 }), { rows: [] })
      })
    )

    it.effect("of some keys are pending those they asked for that nobody has ended", () =>
      Effect.gen(function* () {
        const { pendingBy } = yield* GovernanceRequests
        const { id: accountId } = yield* Stored.account()
        const requestedBy = Rows.anId()
        const asked = yield* Effect.forEach(Status.literals, (status) =>
          stored({ accountId, requestedBy, status })
        )
        const other = yield* stored({ accountId, requestedBy: Rows.anId() })
        yield* stored({ requestedBy })
        const pending = asked.filter(({ status }) => status === "pending").map(({ id }) => id)
        assert.deepStrictEqual(yield* pendingBy(accountId, [requestedBy]), pending)
        assert.sameMembers(
          [...(yield* pendingBy(accountId, [requestedBy, other.requestedBy]))],
          [...pending, other.id]
        )
        assert.deepStrictEqual(yield* pendingBy(accountId, []), [])
      })
    )

    it.effect("open are those to be signed in time and the scheduled, newest first, stably", () =>
      Effect.gen(function* () {
        const { countOpen, open } = yield* GovernanceRequests
        const { id: accountId } = yield* Stored.account()
        const rows = yield* Effect.forEach([3, 1, 2, 2, 2], (n) =>
          stored({ accountId, createdAt: Rows.at(n), expiresAt: Rows.at(60.001) })
        )
        const runOut = { accountId, expiresAt: Rows.at(60) }
        const scheduled = yield* stored({ ...runOut, status: "scheduled" })
        yield* stored(runOut)
        for (const status of ["applied", "expired", "cancelled", "superseded"] as const) {
          yield* stored({ accountId, status })
        }
        const listed = yield* PageWalk.readAll(2, (request) =>
          open(accountId, Rows.at(60), request)
        )
        assert.deepStrictEqual(PageWalk.ids(listed), PageWalk.newestFirst([...rows, scheduled]))
        assert.strictEqual(yield* countOpen(accountId, Rows.at(60), 100), rows.length + 1)
        assert.strictEqual(yield* countOpen(accountId, Rows.at(60), 4), 4)
        assert.strictEqual(yield* countOpen(Rows.anId(), Rows.at(60), 100), 0)
      })
    )

    it.effect("a request is stored with its transaction or not at all", () =>
      Effect.gen(function* () {
        const { store } = yield* GovernanceRequests
        const { run } = yield* Atomically
        const request = GovernanceRows.aGovernanceRequest((yield* Stored.account()).id)
        yield* Effect.flip(run(Effect.andThen(store(request), Effect.fail("no"))))
        assert.isUndefined(yield* read(request.accountId, request.id))
        yield* store(request)
        assert.isTrue(Exit.isFailure(yield* Effect.exit(store(request))))
      })
    )
  })

const movingSuite = (name: string, stores: Layer.Layer<Stores>) =>
  layer(stores)(`${name}: governance requests, moving`, (it) => {
    it.effect("a move changes the status alone, and is undone with its transaction", () =>
      Effect.gen(function* () {
        const { move } = yield* GovernanceRequests
        const { run } = yield* Atomically
        const request = yield* stored()
        const applied = { ...request, status: "applied" } as const
        yield* Effect.flip(run(Effect.andThen(move(applied), Effect.fail("no"))))
        assert.deepStrictEqual(yield* read(request.accountId, request.id), request)
        yield* move({
          ...applied,
          action: "remove_cosigner",
          payload: {},
          payloadHash: Rows.aDigest(),
          summary: "Something else",
          requestedBy: Rows.anId(),
          createdAt: Rows.at(9),
          expiresAt: Rows.at(99)
        })
        assert.deepStrictEqual(yield* read(request.accountId, request.id), applied)
      })
    )

    it.effect("what has ended, is another's or is not there cannot be moved", () =>
      Effect.gen(function* () {
        const { move } = yield* GovernanceRequests
        const [request, other] = [yield* stored(), yield* stored()]
        const cancelled = { ...other, status: "cancelled" } as const
        yield* move(cancelled)
        for (const wrong of [
          { ...other, status: "applied" } as const,
          { ...other, status: "pending" } as const,
          { ...request, accountId: other.accountId, status: "applied" } as const,
          { ...request, id: Rows.anId(), status: "applied" } as const
        ]) {
          assert.isTrue(Exit.isFailure(yield* Effect.exit(move(wrong))))
        }
        assert.deepStrictEqual(yield* read(request.accountId, request.id), request)
        assert.deepStrictEqual(yield* read(other.accountId, other.id), cancelled)
      })
    )

    it.effect("of 64 that lock one request to end it at once, one finds it open", () =>
      Effect.gen(function* () {
        const { lock, move } = yield* GovernanceRequests
        const { run } = yield* Atomically
        const { accountId, id } = yield* stored()
        const ends = Array.from({ length: 64 }, (_, n) => (n % 2 ? "applied" : "cancelled"))
        const ended = yield* Effect.forEach(
          ends,
          (status) =>
            run(
              Effect.gen(function* () {
                const locked = yield* lock(accountId, id)
                yield* Effect.yieldNow
                if (locked?.status !== "pending") return false
                yield* move({ ...locked, status })
                return true
              })
            ),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(ended.filter(Boolean).length, 1)
        assert.strictEqual((yield* read(accountId, id))?.status, ends[ended.indexOf(true)])
      })
    )
  })
