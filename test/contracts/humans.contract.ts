/** What every store of humans must do: know each credential once, and let one of two equal counters through. */
import { assert, layer } from "@effect/vitest"
import { Effect, Exit, type Layer } from "effect"
import type { Accounts } from "../../core/accounts/account-store.ts"
import { Humans } from "../../core/humans/human-store.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import * as HumanRows from "../support/human-rows.ts"
import * as PageWalk from "../support/page-walk.ts"
import * as Rows from "../support/rows.ts"
import * as Stored from "../support/stored-rows.ts"

export const suite = (name: string, stores: Layer.Layer<Humans | Accounts | Atomically>) =>
  layer(stores)(`${name}: humans`, (it) => {
    it.effect("humans are read back by their account only, first added first", () =>
      Effect.gen(function* () {
        const humans = yield* Humans
        const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
        const later = HumanRows.aHuman(mine.id, { createdAt: Rows.at(9) })
        const sooner = HumanRows.aHuman(mine.id, { name: "Ben" })
        yield* humans.add(later)
        yield* humans.add(sooner)
        assert.deepStrictEqual(yield* humans.of(mine.id), [sooner, later])
        assert.deepStrictEqual(yield* humans.of(other.id), [])
        assert.deepStrictEqual(yield* humans.find(mine.id, later.id), later)
        assert.isUndefined(yield* humans.find(other.id, later.id))
        assert.isUndefined(yield* humans.find(mine.id, "not-an-id"))
      })
    )

    it.effect("an invited human joins once, changes roles, and is removed for ever", () =>
      Effect.gen(function* () {
        const humans = yield* Humans
        const [mine, other] = [yield* Stored.account(), yield* Stored.account()]
        const ben = HumanRows.aHuman(mine.id, {
          role: "viewer",
          email: "ben@example.com",
          joinedAt: null
        })
        yield* humans.add(ben)
        for (const tried of [
          humans.join(other.id, ben.id, Rows.at(3)),
          humans.changeRole(other.id, ben.id, "owner"),
          humans.remove(other.id, ben.id, Rows.at(3))
        ]) {
          assert.isFalse(yield* tried)
        }
        assert.isTrue(yield* humans.join(mine.id, ben.id, Rows.at(3.5)))
        assert.isFalse(yield* humans.join(mine.id, ben.id, Rows.at(4)))
        assert.isTrue(yield* humans.changeRole(mine.id, ben.id, "approver"))
        const approver = { ...ben, role: "approver", joinedAt: Rows.at(3.5) } as const
        assert.deepStrictEqual(yield* humans.find(mine.id, ben.id), approver)
        assert.isTrue(yield* humans.remove(mine.id, ben.id, Rows.at(5)))
        assert.isFalse(yield* humans.remove(mine.id, ben.id, Rows.at(6)))
        assert.isFalse(yield* humans.changeRole(mine.id, ben.id, "owner"))
        assert.deepStrictEqual(yield* humans.of(mine.id), [])
        assert.deepStrictEqual(yield* humans.find(mine.id, ben.id), {
          ...approver,
          removedAt: Rows.at(5)
        })
        yield* humans.add(HumanRows.aHuman(mine.id, { email: "Ben@example.com" }))
        const twin = HumanRows.aHuman(mine.id, { email: "BEN@example.com" })
        assert.isTrue(
          Exit.isFailure(yield* Effect.exit(humans.add(twin))),
          "one address, one person"
        )
        yield* humans.add(HumanRows.aHuman(other.id, { email: "ben@example.com" }))
      })
    )

    it.effect("humans are paged newest first, without those who were removed", () =>
      Effect.gen(function* () {
        const humans = yield* Humans
        const { id } = yield* Stored.account()
        const rows = [5, 1, 3, 3, 2].map((seconds) =>
          HumanRows.aHuman(id, { createdAt: Rows.at(seconds) })
        )
        yield* Effect.forEach(rows, humans.add)
        const gone = rows[2]?.id ?? ""
        yield* humans.remove(id, gone, Rows.at(9))
        const left = PageWalk.newestFirst(rows.filter((each) => each.id !== gone))
        const all = yield* PageWalk.readAll(2, (request) => humans.page(id, request))
        assert.deepStrictEqual(PageWalk.ids(all), left)
      })
    )

    it.effect("of two who change the last owners at once, the second sees what the first did", () =>
      Effect.gen(function* () {
        const humans = yield* Humans
        const { run } = yield* Atomically
        const { id } = yield* Stored.account()
        const [ada, ben] = [HumanRows.aHuman(id), HumanRows.aHuman(id)]
        yield* humans.add(ada)
        yield* humans.add(ben)
        const demoted = Effect.fnUntraced(function* (humanId: string) {
          const owners = (yield* humans.lock(id)).filter(({ role }) => role === "owner")
          return owners.length > 1 && (yield* humans.changeRole(id, humanId, "viewer"))
        })
        const all = [ada, ben, ada, ben].map((human) => run(demoted(human.id)))
        const changed = yield* Effect.all(all, { concurrency: "unbounded" })
        assert.lengthOf(
          changed.filter((was) => was),
          1
        )
        assert.lengthOf(
          (yield* humans.of(id)).filter(({ role }) => role === "owner"),
          1
        )
      })
    )

    it.effect("passkeys are read back by id in their account, and by credential over all", () =>
      Effect.gen(function* () {
        const humans = yield* Humans
        const { human, passkey } = yield* HumanRows.planted({ counter: 4_294_967_295 })
        const { passkey: foreign } = yield* HumanRows.planted()
        const second = HumanRows.aPasskey(human, {
          transports: [],
          backedUp: false,
          createdAt: Rows.at(0.5),
          lastUsedAt: Rows.at(3.25),
          suspendedAt: Rows.at(4.75)
        })
        assert.isTrue(yield* humans.addPasskey(second))
        assert.deepStrictEqual(yield* humans.passkeysOf(human.id), [second, passkey])
        assert.deepStrictEqual(yield* humans.passkey(human.accountId, passkey.id), passkey)
        assert.isUndefined(yield* humans.passkey(human.accountId, foreign.id))
        assert.deepStrictEqual(yield* humans.byCredential(foreign.credentialId), foreign)
        assert.isUndefined(yield* humans.byCredential("unknown"))
      })
    )

    it.effect(
      "a credential is known once in the whole treasury, and only of a human there is",
      () =>
        Effect.gen(function* () {
          const humans = yield* Humans
          const [{ human, passkey }, other] = [
            yield* HumanRows.planted(),
            yield* HumanRows.planted()
          ]
          const twin = HumanRows.aPasskey(other.human, { credentialId: passkey.credentialId })
          assert.isFalse(yield* humans.addPasskey(twin))
          assert.deepStrictEqual(yield* humans.byCredential(passkey.credentialId), passkey)
          const stray = HumanRows.aPasskey({ accountId: other.human.accountId, id: human.id })
          assert.isTrue(Exit.isFailure(yield* Effect.exit(humans.addPasskey(stray))))
        })
    )

    it.effect("of sixty-four uses with one counter, one goes through", () =>
      Effect.gen(function* () {
        const humans = yield* Humans
        const { run } = yield* Atomically
        const { human, passkey } = yield* HumanRows.planted({ counter: 6 })
        const uses = yield* Effect.all(
          Array.from({ length: 64 }, () => run(humans.use(passkey.id, 7, Rows.at(9.5)))),
          { concurrency: "unbounded" }
        )
        assert.lengthOf(
          uses.filter((used) => used),
          1
        )
        assert.deepStrictEqual(yield* humans.passkey(human.accountId, passkey.id), {
          ...passkey,
          counter: 7,
          lastUsedAt: Rows.at(9.5)
        })
      })
    )

    it.effect("a counter goes up, or is 0 for ever; a use is undone with its transaction", () =>
      Effect.gen(function* () {
        const humans = yield* Humans
        const { run } = yield* Atomically
        const { passkey: counting } = yield* HumanRows.planted({ counter: 3 })
        const { passkey: synced } = yield* HumanRows.planted()
        for (const counter of [0, 2, 3]) {
          assert.isFalse(yield* humans.use(counting.id, counter, Rows.at(5)))
        }
        yield* Effect.exit(
          run(Effect.andThen(humans.use(counting.id, 9, Rows.at(5)), Effect.fail("rolled back")))
        )
        assert.isTrue(yield* humans.use(counting.id, 4, Rows.at(5)))
        assert.isTrue(yield* humans.use(counting.id, 4_294_967_295, Rows.at(5)))
        for (let n = 0; n < 3; n++) assert.isTrue(yield* humans.use(synced.id, 0, Rows.at(6 + n)))
        assert.isTrue(yield* humans.use(synced.id, 1, Rows.at(10)))
        assert.isFalse(yield* humans.use(synced.id, 0, Rows.at(11)))
        assert.isFalse(yield* humans.use("not-an-id", 1, Rows.at(1)))
      })
    )

    it.effect("what its account suspends is suspended for ever and used no more", () =>
      Effect.gen(function* () {
        const humans = yield* Humans
        const { human, passkey } = yield* HumanRows.planted({ counter: 1 })
        const other = yield* Stored.account()
        assert.isFalse(yield* humans.suspend(other.id, passkey.id, Rows.at(5)))
        assert.isTrue(yield* humans.suspend(human.accountId, passkey.id, Rows.at(5.5)))
        assert.isFalse(yield* humans.suspend(human.accountId, passkey.id, Rows.at(6)))
        assert.isFalse(yield* humans.use(passkey.id, 2, Rows.at(7)))
        assert.deepStrictEqual(yield* humans.byCredential(passkey.credentialId), {
          ...passkey,
          suspendedAt: Rows.at(5.5)
        })
      })
    )
  })
