/** Each restriction of a key alone, against its maker's: which of two sets of caveats is the wider, and by what. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Store } from "../../../adapters/memory/store.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { Keys } from "../../../core/accounts/account-store.ts"
import { type Caveats, unbound, wider } from "../../../core/accounts/caveats.ts"
import { capped } from "../../../core/accounts/in-force.ts"
import type { Key } from "../../../core/accounts/key.ts"
import { attenuate } from "../../../core/keys/attenuate.ts"
import * as Usd from "../../../core/money/usd.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"

type Case = readonly [said: string, wanted: Partial<Caveats>, own: Partial<Caveats>]

/** Lists of ids, in the words of either. */
const lists = (name: "walletIds" | "recipientIds") => {
  const within: ReadonlyArray<Case> = [
    [`${name}: none, of a maker without`, {}, {}],
    [`${name}: some, of a maker without`, { [name]: ["a"] }, {}],
    [`${name}: the same`, { [name]: ["a", "b"] }, { [name]: ["a", "b"] }],
    [`${name}: fewer`, { [name]: ["b"] }, { [name]: ["a", "b"] }]
  ]
  const beyond: ReadonlyArray<Case> = [
    [`${name}: none, of a maker with some`, {}, { [name]: ["a"] }],
    [`${name}: another`, { [name]: ["b"] }, { [name]: ["a"] }],
    [`${name}: one more`, { [name]: ["a", "b"] }, { [name]: ["a"] }]
  ]
  return { within, beyond: beyond.map((each) => [name, ...each] as const) }
}

const cap = (micro: bigint | null): Partial<Caveats> => ({
  dailyCapMicro: micro === null ? null : Usd.make(micro)
})
const ranges = (...ipRanges: ReadonlyArray<string>): Partial<Caveats> => ({ ipRanges })

const within: ReadonlyArray<Case> = [
  ...lists("walletIds").within,
  ...lists("recipientIds").within,
  ["a cap, of a maker without", cap(5n), cap(null)],
  ["the same cap", cap(5n), cap(5n)],
  ["a lower cap", cap(4n), cap(5n)],
  ["addresses, of a maker without", ranges("10.0.0.0/8"), {}],
  ["the same addresses", ranges("10.0.0.0/8"), ranges("10.0.0.0/8")],
  ["addresses inside", ranges("10.1.0.0/16", "10.2.0.1"), ranges("10.0.0.0/8")]
]

const beyond: ReadonlyArray<readonly [string, ...Case]> = [
  ...lists("walletIds").beyond,
  ...lists("recipientIds").beyond,
  ["dailyCapUsd", "no cap, of a maker with one", cap(null), cap(5n)],
  ["dailyCapUsd", "the least more", cap(6n), cap(5n)],
  ["ipRanges", "no addresses, of a maker with some", {}, ranges("10.0.0.0/8")],
  ["ipRanges", "other addresses", ranges("192.0.2.1"), ranges("10.0.0.0/8")],
  ["ipRanges", "one more", ranges("10.1.0.0/16", "192.0.2.1"), ranges("10.0.0.0/8")],
  ["ipRanges", "wider addresses", ranges("10.0.0.0/7"), ranges("10.0.0.0/8")]
]

describe("caveats against the maker's", () => {
  it.each(within)("%s: are no wider", (_, wanted, own) => {
    assert.isUndefined(wider({ ...unbound, ...wanted }, { ...unbound, ...own }))
  })

  it.each(beyond)("are wider by %s: %s", (param, _, wanted, own) => {
    assert.strictEqual(wider({ ...unbound, ...wanted }, { ...unbound, ...own }), param)
  })
})

const inMemory = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.provide(work, Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain() }, 1))

/** So many keys, each made by the one before; the newest last. */
const generations = Effect.fnUntraced(function* (accountId: string, count: number) {
  const keys = yield* Keys
  const made: Array<Key> = []
  for (let index = 0; index < count; index++) {
    const key = Rows.aKey(accountId, { madeBy: made.at(-1)?.id ?? null, dailyCapMicro: 10n })
    yield* keys.issue(key, Rows.aDigest())
    made.push(key)
  }
  return made
})

describe("generations of keys with a cap", () => {
  it.effect("share the caps of all they stem from, the nearest first", () =>
    inMemory(
      Effect.gen(function* () {
        const { id } = yield* Stored.account()
        const made = yield* generations(id, 8)
        const lineage = yield* capped(made.at(-1) as Key)
        assert.deepStrictEqual(
          lineage.map((key) => key.id),
          made.map((key) => key.id).reverse()
        )
        assert.lengthOf(yield* capped(made[0] as Key), 1)
        assert.lengthOf(yield* capped({ ...(made[0] as Key), dailyCapMicro: null }), 0)
      })
    )
  )

  it.effect("are eight: the seventh makes one more, and the eighth makes none", () =>
    inMemory(
      Effect.gen(function* () {
        const { id } = yield* Stored.account()
        const made = yield* generations(id, 9)
        const seventh = yield* attenuate(id, made[6], {})
        assert.strictEqual(seventh.dailyCapMicro, 10n)
        const refused = yield* Effect.flip(attenuate(id, made[7], {}))
        assert.strictEqual(refused._tag, "INSUFFICIENT_SCOPE")
        assert.match(refused.message, /8 levels/u)
        // However long a line in the records may be, no more of it is walked.
        assert.lengthOf(yield* capped(made[8] as Key), 8)
        assert.isNull((yield* attenuate(id, undefined, {})).dailyCapMicro)
      })
    )
  )
})
