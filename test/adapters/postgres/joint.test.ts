/** On a server: transactions that begin in one turn and hold the same are one, and none of them can tell. */
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Stores from "../../../adapters/postgres/stores.ts"
import { Keys } from "../../../core/accounts/account-store.ts"
import { Cosigners } from "../../../core/cosigners/cosigner-store.ts"
import { windowsAt } from "../../../core/policy/limits.ts"
import { Spending } from "../../../core/policy/spending-ledger.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { askAhead } from "../../../core/ports/together.ts"
import type { Proposal } from "../../../core/proposals/proposal.ts"
import { Proposals } from "../../../core/proposals/proposal-store.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import * as Rows from "../../support/rows.ts"
import * as SendingRows from "../../support/sending-rows.ts"
import * as Stored from "../../support/stored-rows.ts"

const stores = Layer.orDie(Layer.provideMerge(Stores.layer, FreshDatabase.engine))

const all = { concurrency: "unbounded" } as const

/** Several proposals of one account, which are judged and moved as a confirmation does it. */
const ground = Effect.fnUntraced(function* (count: number) {
  const { id: accountId } = yield* Stored.account()
  const proposals = yield* Effect.forEach(Array.from({ length: count }), () =>
    Stored.proposal({ accountId })
  )
  return { accountId, proposals }
})

/** Holds what all of them hold, and its own proposal for itself. */
const held = Effect.fnUntraced(function* (
  { accountId, id }: Proposal,
  more: ReadonlyArray<Effect.Effect<void>> = []
) {
  const [cosigners, keys, store] = [yield* Cosigners, yield* Keys, yield* Proposals]
  yield* askAhead([
    keys.hold(accountId, accountId),
    cosigners.lockShared(accountId),
    store.lock(id),
    ...more,
    store.find(accountId, id)
  ])
  return (yield* store.lock(id)) as Proposal
})

const moved = (proposal: Proposal, reason: string) =>
  Effect.flatMap(Proposals, (store) => store.move([{ ...proposal, statusReason: reason }]))

/** `before` its end, with what it read. */
const confirming = Effect.fnUntraced(function* <A, E, R>(
  proposal: Proposal,
  before: (read: Proposal) => Effect.Effect<A, E, R>
) {
  const { run } = yield* Atomically
  return yield* run(
    Effect.gen(function* () {
      const read = yield* held(proposal)
      yield* moved(read, `${read.statusReason ?? ""}+`)
      return yield* before(read)
    })
  )
})

const nothing = () => Effect.void

/** What a session meets for the first time it says apart. */
const practised = Effect.gen(function* () {
  for (let round = 0; round < 2; round++) {
    const { proposals } = yield* ground(1)
    yield* Effect.forEach(proposals, (proposal) => confirming(proposal, nothing))
  }
})

/** The transactions that wrote these, and what stands there. */
const written = Effect.fnUntraced(function* (proposals: ReadonlyArray<Proposal>) {
  const sql = yield* SqlClient.SqlClient
  return yield* Effect.forEach(proposals, ({ id }) =>
    Effect.map(
      sql<{ by: string; reason: string | null }>`
        select xmin::text as by, status_reason as reason from proposal where id = ${id}`,
      ([row]) => row as { by: string; reason: string | null }
    )
  )
})

layer(stores, { excludeTestServices: true })("transactions that begin in one turn", (it) => {
  it.effect.each([2, 5, 16, 21])("%s are committed together", (count) =>
    Effect.gen(function* () {
      yield* practised
      const { proposals } = yield* ground(count)
      yield* Effect.forEach(proposals, (each) => confirming(each, nothing), all)
      const rows = yield* written(proposals)
      assert.deepStrictEqual(new Set(rows.map(({ reason }) => reason)), new Set(["+"]))
      assert.strictEqual(new Set(rows.map(({ by }) => by)).size, Math.ceil(count / 16))
    })
  )

  it.effect("of those that want the same row, the second sees what the first wrote", () =>
    Effect.gen(function* () {
      yield* practised
      const { proposals } = yield* ground(2)
      const [one, other] = proposals as [Proposal, Proposal]
      yield* Effect.forEach([one, other, one, one], (each) => confirming(each, nothing), all)
      const rows = yield* written(proposals)
      assert.deepStrictEqual(
        rows.map(({ reason }) => reason),
        ["+++", "+"]
      )
    })
  )

  it.effect("what others hold is held by all of them", () =>
    Effect.gen(function* () {
      yield* practised
      const { accountId, proposals } = yield* ground(3)
      const { run } = yield* Atomically
      const [mayEnd, hasBegun] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const order: Array<string> = []
      const confirmed = yield* Effect.forkChild(
        Effect.forEach(
          proposals,
          (each) =>
            confirming(each, () =>
              Effect.andThen(Deferred.succeed(hasBegun, undefined), Deferred.await(mayEnd))
            ),
          all
        )
      )
      yield* Deferred.await(hasBegun)
      const alone = run((yield* Cosigners).lock(accountId))
      const changed = yield* Effect.forkChild(
        Effect.tap(alone, () => Effect.sync(() => order.push("changed")))
      )
      yield* Effect.sleep(20)
      order.push("may end")
      yield* Deferred.succeed(mayEnd, undefined)
      yield* Fiber.join(changed)
      yield* Fiber.join(confirmed)
      assert.strictEqual(order[0], "may end")
    })
  )

  it.effect("one that fails undoes nothing of the others", () =>
    Effect.gen(function* () {
      yield* practised
      const { proposals } = yield* ground(4)
      const exits = yield* Effect.forEach(
        proposals,
        (each, at) =>
          Effect.exit(confirming(each, () => (at === 1 ? Effect.fail("no") : Effect.void))),
        all
      )
      assert.deepStrictEqual(exits[1], Exit.fail("no"))
      const rows = yield* written(proposals)
      assert.deepStrictEqual(
        rows.map(({ reason }) => reason),
        ["+", null, "+", "+"]
      )
    })
  )

  it.effect("one whose cap others have used is judged again, and the others are written", () =>
    Effect.gen(function* () {
      yield* practised
      const { accountId, proposals } = yield* ground(5)
      const { run } = yield* Atomically
      const spending = yield* Spending
      const limits = SendingRows.limits({ dailyMicro: 20n })
      const judged: Array<string> = []
      const reserving = Effect.fnUntraced(function* (proposal: Proposal) {
        const reservation = SendingRows.aReservation(proposal, { amountMicro: 6n })
        const read = yield* held(proposal, [spending.ahead(reservation)])
        const { _tag } = yield* spending.reserve(reservation, limits)
        judged.push(_tag)
        if (_tag === "reserved") yield* moved(read, "reserved")
        return _tag
      })
      const met = yield* ground(2)
      yield* Effect.forEach(met.proposals, (each) => run(reserving(each)))
      judged.length = 0
      const tags = yield* Effect.forEach(proposals, (each) => run(reserving(each)), all)
      // Each was within the cap as the others had written nothing yet.
      assert.deepStrictEqual(new Set(judged.slice(0, 5)), new Set(["reserved"]))
      assert.deepStrictEqual(tags.toSorted(), ["over", "over", "reserved", "reserved", "reserved"])
      const { dayMicro } = yield* spending.used(accountId, windowsAt(Rows.at(0)))
      assert.strictEqual(dayMicro, 18n)
      assert.deepStrictEqual(
        (yield* written(proposals)).map(({ reason }) => reason),
        tags.map((tag) => (tag === "reserved" ? tag : null))
      )
    })
  )

  it.effect.each([
    ["whose row is not there", { accountId: Rows.anId() }],
    ["that a constraint refuses", { outcome: "forgotten" as never }]
  ] as const)("one %s hears it alone, and the others are written", ([, over]) =>
    Effect.gen(function* () {
      yield* practised
      const { proposals } = yield* ground(3)
      const { run } = yield* Atomically
      const exits = yield* Effect.forEach(
        proposals,
        (each, at) =>
          Effect.exit(
            run(
              Effect.flatMap(held(each), (read) =>
                moved(at === 0 ? { ...read, ...over } : read, "moved")
              )
            )
          ),
        all
      )
      assert.deepStrictEqual(exits.map(Exit.isSuccess), [false, true, true])
      assert.deepStrictEqual(
        (yield* written(proposals)).map(({ reason }) => reason),
        [null, "moved", "moved"]
      )
    })
  )

  it.effect("one that hangs holds up the others for a moment, and is begun again", () =>
    Effect.gen(function* () {
      yield* practised
      const { proposals } = yield* ground(3)
      const areThrough = yield* Deferred.make<void>()
      const [slow, ...others] = proposals as [Proposal, ...Array<Proposal>]
      let begun = 0
      const hanging = yield* Effect.forkChild(
        confirming(slow, () => {
          begun += 1
          return begun === 1 ? Deferred.await(areThrough) : Effect.void
        })
      )
      yield* Effect.forEach(others, (each) => confirming(each, nothing), all)
      assert.deepStrictEqual(
        (yield* written(proposals)).map(({ reason }) => reason),
        [null, "+", "+"]
      )
      yield* Deferred.succeed(areThrough, undefined)
      yield* Fiber.join(hanging)
      assert.strictEqual(begun, 2)
      assert.strictEqual((yield* written([slow]))[0]?.reason, "+")
    })
  )

  it.effect("one that is interrupted leaves the others their session", () =>
    Effect.gen(function* () {
      yield* practised
      const { proposals } = yield* ground(3)
      const [gone, ...others] = proposals as [Proposal, ...Array<Proposal>]
      const { run } = yield* Atomically
      const store = yield* Proposals
      const hasRead = yield* Deferred.make<void>()
      const leaving = yield* Effect.forkChild(
        run(
          Effect.andThen(
            held(gone),
            Effect.forever(
              Effect.suspend(() =>
                Effect.andThen(
                  store.find(gone.accountId, Rows.anId()),
                  Deferred.succeed(hasRead, undefined)
                )
              )
            )
          )
        )
      )
      const going = yield* Effect.forkChild(
        Effect.forEach(others, (each) => confirming(each, () => Deferred.await(hasRead)), all)
      )
      yield* Deferred.await(hasRead)
      yield* Fiber.interrupt(leaving)
      yield* Fiber.join(going)
      const rows = yield* written(proposals)
      assert.deepStrictEqual(
        rows.map(({ reason }) => reason),
        [null, "+", "+"]
      )
    })
  )

  it.effect("those that are interrupted while they wait for a lock leave nothing held", () =>
    Effect.gen(function* () {
      yield* practised
      const { proposals } = yield* ground(3)
      const [held, ...others] = proposals as [Proposal, ...Array<Proposal>]
      const { run } = yield* Atomically
      const store = yield* Proposals
      const [isHeld, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const holder = yield* Effect.forkChild(
        run(
          store
            .lock(held.id)
            .pipe(
              Effect.andThen(Deferred.succeed(isHeld, undefined)),
              Effect.andThen(Deferred.await(mayEnd))
            )
        )
      )
      yield* Deferred.await(isHeld)
      const waiting = yield* Effect.forkChild(
        Effect.forEach(proposals, (each) => confirming(each, nothing), all)
      )
      yield* Effect.sleep(50)
      const interrupted = yield* Effect.forkChild(Fiber.interrupt(waiting))
      yield* Effect.sleep(20)
      yield* Deferred.succeed(mayEnd, undefined)
      yield* Fiber.join(holder)
      yield* Fiber.join(interrupted)
      yield* Effect.timeout(
        Effect.forEach(others, (each) => run(store.lock(each.id))),
        "5 seconds"
      )
    })
  )

  it.effect("one that reads what it wrote does not see what others wrote", () =>
    Effect.gen(function* () {
      yield* practised
      const { accountId, proposals } = yield* ground(3)
      const store = yield* Proposals
      const seen = yield* Effect.forEach(
        proposals,
        (each) =>
          confirming(each, ({ id }) =>
            Effect.map(
              Effect.forEach(proposals, (other) => store.find(accountId, other.id)),
              (found) => found.filter((other) => other?.id === id).map((own) => own?.statusReason)
            )
          ),
        all
      )
      assert.deepStrictEqual(seen, [["+"], ["+"], ["+"]])
    })
  )
})
