/**
 * The turns of vaults, tried against what is known of each: however looks fail and vaults come, time passes no further
 * than every vault was looked at, and every vault has its turn.
 */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import * as FastCheck from "fast-check"
import * as Memory from "../../../adapters/memory/memory.ts"
import { Accounts } from "../../../core/accounts/account-store.ts"
import * as Round from "../../../core/payments/round.ts"
import { SettledBalances } from "../../../core/payments/settled-balance-store.ts"
import { type Cursor, Cursors } from "../../../core/payments/transfer-store.ts"
import { purposes } from "../../../core/treasury/purposes.ts"
import type { Wallet } from "../../../core/wallets/wallet.ts"
import { Wallets } from "../../../core/wallets/wallet-store.ts"
import { registries } from "../../support/registries.ts"
import * as Rows from "../../support/rows.ts"
import * as SendingRows from "../../support/sending-rows.ts"
import { identified } from "../../support/signing-policies.ts"

const chainId = "solana-of-rounds"

/** A block for each look, with its number as its time. */
const blockAt = (number: number) => ({ ...Rows.aBlock(number), timestamp: Rows.at(number) })

const first = (): Cursor => ({
  ...Rows.aCursor({ chainId }),
  blocks: [blockAt(0)],
  finalTime: Rows.at(0)
})

const followNobody = { followed: 9 }

/** What one look is at, and the cursor after it, if some vaults stay unknown. */
const lookAt = Effect.fnUntraced(function* (
  cursor: Cursor,
  number: number,
  isUnknown: (address: string) => boolean
) {
  const turns = yield* Round.turns(cursor, [])
  const addresses = turns.vaults.map(({ address }): string => address)
  const except = turns.vaults.map(({ address }) => address).filter(isUnknown)
  const blocks = [blockAt(number)]
  const passed = Round.passed(cursor, blocks, { through: number, except }, turns)
  return { addresses, except, cursor: { ...cursor, blocks, ...passed } }
})

const planted = Effect.fnUntraced(function* () {
  const account = Rows.anAccount()
  yield* (yield* Accounts).open(account)
  return Effect.fnUntraced(function* () {
    const vault = Rows.aVault(account.id, { chainId })
    yield* (yield* Wallets).add(vault)
    return vault
  })
})

type Sizes = typeof sizes extends FastCheck.Arbitrary<infer Value> ? Value : never

const sizes = FastCheck.record({
  vaults: FastCheck.nat(25),
  all: FastCheck.integer({ min: 1, max: 12 }),
  expecting: FastCheck.integer({ min: 1, max: 4 }),
  newest: FastCheck.integer({ min: 1, max: 3 }),
  /** For each look: whether a vault comes, one is expected on, and which vaults stay unknown. */
  looks: FastCheck.array(
    FastCheck.record({
      comes: FastCheck.boolean(),
      expected: FastCheck.nat(30),
      unknown: FastCheck.nat()
    }),
    { maxLength: 40 }
  )
})

const tried = ({ all, expecting, looks, newest, vaults: count }: Sizes) =>
  Effect.gen(function* () {
    const add = yield* planted()
    const vaults: Array<Wallet> = []
    /** The last block through which it is known what each received; what was before it came is nobody's. */
    const known = new Map<string, number>()
    const come = Effect.fnUntraced(function* (number: number) {
      const vault = yield* add()
      vaults.push(vault)
      known.set(vault.address, number)
    })
    for (let n = 0; n < count; n++) yield* come(0)
    let cursor = first()
    for (const [at, { comes, expected, unknown }] of looks.entries()) {
      const number = at + 1
      if (comes) yield* come(number)
      const wanted = vaults[expected]
      if (wanted !== undefined) yield* (yield* SettledBalances).expect(wanted, Rows.at(1000))
      const isUnknown = (address: string) =>
        unknown % 3 > 0 && (address.charCodeAt(5) + unknown) % 5 === 0
      const seen = yield* lookAt(cursor, number, isUnknown)
      cursor = seen.cursor
      assert.isAtMost(seen.addresses.length, all + expecting + newest)
      assert.strictEqual(new Set(seen.addresses).size, seen.addresses.length)
      for (const address of seen.addresses) {
        if (!(seen.except as ReadonlyArray<string>).includes(address)) known.set(address, number)
      }
      const oldest = Math.min(number, ...known.values())
      assert.isAtMost(
        DateTime.toEpochMillis(cursor.finalTime),
        DateTime.toEpochMillis(Rows.at(oldest))
      )
    }
    // And once all is well, each has its turn in as many looks as the round has pages, and time follows.
    const pages = Math.ceil(vaults.length / all)
    const seen = new Set<string>()
    for (let look = 0; look < 2 * pages + 1; look++) {
      const number = looks.length + 1 + look
      const found = yield* lookAt(cursor, number, () => false)
      cursor = found.cursor
      for (const address of found.addresses) if (look < pages) seen.add(address)
    }
    assert.strictEqual(seen.size, vaults.length)
    assert.isAtLeast(
      DateTime.toEpochMillis(cursor.finalTime),
      DateTime.toEpochMillis(Rows.at(looks.length + 1))
    )
  }).pipe(
    Effect.provideService(Round.LookExtent, { all, expecting, newest, ...followNobody }),
    Effect.provide(Memory.layer())
  )

it("time passes no further than is known of every vault, whatever fails and comes meanwhile", async () => {
  await FastCheck.assert(
    FastCheck.asyncProperty(sizes, (given) => Effect.runPromise(tried(given))),
    { numRuns: 300 }
  )
})

const extent = { all: 4, expecting: 2, newest: 1, ...followNobody }

const some = Effect.fnUntraced(function* (count: number) {
  const add = yield* planted()
  const vaults = yield* Effect.forEach(Array.from({ length: count }), add)
  return vaults.toSorted((one, other) => (one.id < other.id ? -1 : 1))
})

const everyOne = () => false

it.effect("few vaults are looked at whole, each time, and a round is never begun", () =>
  Effect.gen(function* () {
    const vaults = yield* some(3)
    let cursor = first()
    for (const number of [1, 2, 3]) {
      const seen = yield* lookAt(cursor, number, everyOne)
      cursor = seen.cursor
      assert.lengthOf(seen.addresses, 3)
      assert.isNull(cursor.round)
      assert.deepStrictEqual(cursor.finalTime, Rows.at(number))
    }
    // One of which it is not known holds time up, and the others are looked at all the same.
    const [, bad] = vaults
    for (const number of [4, 5]) {
      const seen = yield* lookAt(cursor, number, (address) => address === bad?.address)
      cursor = seen.cursor
      assert.lengthOf(seen.addresses, 3)
      assert.deepStrictEqual(cursor.finalTime, Rows.at(3))
    }
    const seen = yield* lookAt(cursor, 6, everyOne)
    assert.deepStrictEqual(seen.cursor.finalTime, Rows.at(6))
    assert.isNull(seen.cursor.round)
  }).pipe(Effect.provideService(Round.LookExtent, extent), Effect.provide(Memory.layer()))
)

it.effect("a round goes no further than to a vault of which it is not known, until it is", () =>
  Effect.gen(function* () {
    const vaults = yield* some(10)
    const stuck = vaults[5]?.address
    let cursor = first()
    for (const number of [1, 2, 3, 4]) {
      const seen = yield* lookAt(cursor, number, (address) => address === stuck)
      cursor = seen.cursor
      if (number > 1) assert.include(seen.addresses, stuck)
      assert.deepStrictEqual(cursor.finalTime, Rows.at(0))
    }
    assert.strictEqual(cursor.round?.after, vaults[4]?.id)
    for (const number of [5, 6]) ({ cursor } = yield* lookAt(cursor, number, everyOne))
    // All are known since the first look of the round.
    assert.deepStrictEqual(cursor.finalTime, Rows.at(1))
  }).pipe(Effect.provideService(Round.LookExtent, extent), Effect.provide(Memory.layer()))
)

it.effect("whoever is asked for is looked at next; those that wait longer have their turns", () =>
  Effect.gen(function* () {
    const vaults = yield* some(20)
    const { expect } = yield* SettledBalances
    const expected = vaults.slice(12)
    for (const vault of expected) yield* expect(vault, Rows.at(1000))
    let cursor = first()
    const seen: Array<string> = []
    for (const number of [1, 2, 3, 4]) {
      const found = yield* lookAt(cursor, number, everyOne)
      cursor = found.cursor
      assert.include(found.addresses, expected.at(-1)?.address)
      seen.push(...found.addresses)
    }
    for (const { address } of expected) assert.include(seen, address)
    const [late] = vaults.slice(-1)
    if (late === undefined) return
    yield* expect(late, Rows.at(1000))
    assert.include((yield* lookAt(cursor, 5, everyOne)).addresses, late.address)
  }).pipe(Effect.provideService(Round.LookExtent, extent), Effect.provide(Memory.layer()))
)

it.effect("what is over long since is expected no longer, once time has passed it", () =>
  Effect.gen(function* () {
    const vaults = yield* some(6)
    const { expect, expecting } = yield* SettledBalances
    for (const [at, vault] of vaults.entries()) yield* expect(vault, Rows.at(at))
    let cursor = first()
    for (let number = 1; number < 12; number++) {
      ;({ cursor } = yield* lookAt(cursor, number, everyOne))
    }
    assert.isAbove(DateTime.toEpochMillis(cursor.finalTime), DateTime.toEpochMillis(Rows.at(6)))
    assert.deepStrictEqual(yield* expecting(chainId, 0, 9), [])
  }).pipe(Effect.provideService(Round.LookExtent, extent), Effect.provide(Memory.layer()))
)

it.effect("of what came to a vault is asked again once a send or a refund out of it is final", () =>
  Effect.gen(function* () {
    const [sent, refunded, failed] = yield* some(4)
    if (sent === undefined || refunded === undefined || failed === undefined) return
    yield* (yield* Cursors).start(first())
    const ended = (vault: Wallet, status: "final" | "failed") =>
      SendingRows.aSubmission(
        { accountId: vault.accountId, id: Rows.anId() },
        vault,
        {},
        { status }
      )
    yield* purposes.send.ended([ended(sent, "final"), ended(failed, "failed")])
    yield* purposes.refund.ended([ended(refunded, "final")])
    const vaults = yield* (yield* SettledBalances).page(chainId, null, 9)
    const paid = vaults.flatMap(({ hasPaid, vaultId }) => (hasPaid === true ? [vaultId] : []))
    assert.deepStrictEqual(paid, [sent.id, refunded.id])
  }).pipe(Effect.provide(Layer.mergeAll(Memory.layer(), registries, identified)))
)
