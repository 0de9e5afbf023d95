/** Rules of co-signers as pure rules: what they ask, when they contradict themselves, when they get weaker. */
import { assert, it } from "@effect/vitest"
import { DateTime, Schema } from "effect"
import * as FastCheck from "fast-check"
import * as Rules from "../../../core/cosigners/rules.ts"
import * as Usd from "../../../core/money/usd.ts"

const band = (
  minAmountMicro: bigint,
  maxAmountMicro: bigint | null,
  requiredApprovals: number,
  action: Rules.RuledAction = "send"
): Rules.Rule => ({
  action,
  minAmountMicro: Usd.make(minAmountMicro),
  maxAmountMicro: maxAmountMicro === null ? null : Usd.make(maxAmountMicro),
  requiredApprovals
})

it("a band takes its lower end in and leaves its upper end out", () => {
  const rules = [band(100n, 200n, 1), band(200n, null, 3)]
  const asked = [0n, 99n, 100n, 199n, 200n, 10n ** 18n].map((amount) =>
    Rules.requiredFor(rules, "send", Usd.make(amount))
  )
  assert.deepStrictEqual(asked, [0, 0, 1, 1, 3, 3])
  assert.strictEqual(Rules.requiredFor(rules, "swap", Usd.make(150n)), 0)
})

it("rules that overlap, leave a gap, or end, are refused and told why", () => {
  const refused = [
    [[band(100n, 200n, 1)], "no end"],
    [[band(100n, 200n, 1), band(150n, null, 2)], "overlap"],
    [[band(100n, null, 1), band(150n, null, 2)], "overlap"],
    [[band(100n, 200n, 1), band(201n, null, 2)], "gap"],
    [[band(100n, 100n, 1), band(100n, null, 2)], "not above its lower limit"],
    [[band(100n, null, 1), band(100n, null, 2)], "overlap"],
    [[band(1n, null, 1), band(5n, 6n, 2, "bridge")], "bridge"]
  ] as const
  for (const [rules, word] of refused) assert.include(Rules.violation(rules), word)
  assert.isUndefined(Rules.violation([]))
  assert.isUndefined(Rules.violation([band(200n, null, 2), band(0n, 200n, 1)]))
})

/** Well-formed rules over few amounts, so that edges meet often. */
const wellFormed = FastCheck.uniqueArray(FastCheck.nat(12), { maxLength: 4 }).chain((edges) => {
  const sorted = [...edges].sort((one, other) => one - other)
  return FastCheck.array(FastCheck.integer({ min: 1, max: 3 }), {
    minLength: sorted.length,
    maxLength: sorted.length
  }).map((required) =>
    sorted.map((edge, at) => {
      const next = sorted[at + 1]
      return band(BigInt(edge), next === undefined ? null : BigInt(next), required[at] ?? 1)
    })
  )
})

it("rules are weaker exactly when some amount takes fewer votes", () => {
  let [weaker, not] = [0, 0]
  FastCheck.assert(
    FastCheck.property(wellFormed, wellFormed, (before, after) => {
      assert.isUndefined(Rules.violation(before))
      let falls = false
      for (let amount = 0n; amount <= 14n; amount += 1n) {
        falls ||=
          Rules.requiredFor(after, "send", Usd.make(amount)) <
          Rules.requiredFor(before, "send", Usd.make(amount))
      }
      assert.strictEqual(Rules.isWeaker(before, after), falls)
      if (falls) weaker += 1
      else not += 1
    }),
    { numRuns: 3000 }
  )
  assert.isAbove(Math.min(weaker, not), 300)
})

it("a rule of one action does not make up for another's", () => {
  assert.isTrue(Rules.isWeaker([band(0n, null, 1)], [band(0n, null, 3, "swap")]))
  assert.isFalse(
    Rules.isWeaker([band(5n, null, 1)], [band(0n, null, 1), band(0n, null, 1, "bridge")])
  )
})

it("the most votes any amount takes is the highest of all bands", () => {
  assert.strictEqual(Rules.maxRequired([]), 0)
  assert.strictEqual(Rules.maxRequired([band(0n, 5n, 3), band(5n, null, 1)]), 3)
})

it("rules read back from JSON are the same, and an account without any shows none", () => {
  const rules = [band(0n, 5n, 3), band(5n, null, 1)]
  const again = Schema.decodeUnknownSync(Schema.toCodecJson(Schema.Array(Rules.Rule)))(
    rules.map(Rules.encodeRule)
  )
  assert.deepStrictEqual(again, rules)
  assert.deepStrictEqual(Rules.view(undefined), { rules: [], rulesRevision: 0, updatedAt: null })
  const createdAt = DateTime.makeUnsafe("2026-11-22T10:00:00Z")
  assert.deepStrictEqual(Rules.view({ accountId: "one", number: 7, rules, createdAt }), {
    rules,
    rulesRevision: 7,
    updatedAt: createdAt
  })
})
