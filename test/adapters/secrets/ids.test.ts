/** Real randomness keeps the contract of ids, favours no character, and survives a clock set back. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as RealIds from "../../../adapters/secrets/ids.ts"
import { Ids } from "../../../core/ports/ids.ts"
import { suite } from "../../contracts/ids.contract.ts"

suite("node", RealIds.layer)

it.effect("an id begins with the time on the clock", () =>
  Effect.gen(function* () {
    yield* TestClock.setTime(0x0198_7654_3210)
    const id = yield* (yield* Ids).uuid
    assert.match(id, /^01987654-3210-7[0-9a-f]{3}-[89ab]/u)
  }).pipe(Effect.provide(RealIds.layer))
)

it.effect("ids stay in order over a clock that is set back, and over a very busy millisecond", () =>
  Effect.gen(function* () {
    const { uuid } = yield* Ids
    yield* TestClock.setTime(2_000_000)
    const many = [yield* uuid]
    yield* TestClock.setTime(1_000_000)
    many.push(...(yield* Effect.replicateEffect(uuid, 10_000)))
    assert.deepStrictEqual([...many].sort(), many)
    assert.strictEqual(new Set(many).size, many.length)
  }).pipe(Effect.provide(RealIds.layer))
)

it.effect("every character of base62 is as likely as any other", () =>
  Effect.gen(function* () {
    const text = yield* (yield* Ids).base62(62 * 2000)
    const counts = new Map<string, number>()
    for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
    // Ten standard deviations; a byte taken modulo 62 would give eight characters 20 % too many.
    for (const count of counts.values()) assert.approximately(count, 2000, 450)
    const firstEight = [..."01234567"].reduce((sum, each) => sum + (counts.get(each) ?? 0), 0)
    assert.approximately(firstEight, 16_000, 1200)
  }).pipe(Effect.provide(RealIds.layer))
)
