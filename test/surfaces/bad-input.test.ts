/**
 * Whatever a field is sent that it cannot hold: a refusal that names it, and nothing written. Functions are
 * asked with the whole table, the wires with a sample of it; `test/wires` asks them with all of it.
 */
import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as FastCheck from "fast-check"
import { operations } from "../../core/treasury/operations.ts"
import { owner } from "../support/full-account.ts"
import { suite } from "../support/hostile-input-suite.ts"
import * as SmallTreasury from "../support/small-treasury.ts"
import * as SurfaceCalls from "../support/surface-calls.ts"
import * as Surfaces from "../support/surfaces.ts"
import { overWires } from "../support/wire-refusal-suite.ts"
import { sample, writes } from "../support/wrong-value-checks.ts"
import { wrong } from "../support/wrong-values.ts"

const topOf = (path: string) => path.split(".")[0]

it("is tried in every field of every write", () => {
  const fields = (names: ReadonlyArray<string>) => [...new Set(names)].sort()
  assert.sameMembers(
    Object.keys(wrong),
    writes.map(({ name }) => name)
  )
  for (const { name, input } of writes) {
    const tried = Object.keys(wrong[name] ?? {}).flatMap((path) => topOf(path) ?? [])
    assert.deepStrictEqual(fields(tried), fields(Object.keys(input.fields)), name)
  }
})

suite("hostile input in memory", SmallTreasury.layer())

layer(Surfaces.layer())("a wrong value over the network", (it) => {
  overWires(it, sample)

  it.effect("is never a fault of ours, whatever JSON comes", () =>
    Effect.gen(function* () {
      const own = yield* owner("user_42")
      const run = Effect.runPromiseWith(yield* Effect.context<Surfaces.Origin>())
      const property = FastCheck.asyncProperty(
        FastCheck.constantFrom(...operations.map(({ name }) => name)),
        FastCheck.dictionary(FastCheck.string(), FastCheck.jsonValue(), { maxKeys: 4 }),
        async (name, input) => {
          const overTools = await run(SurfaceCalls.overTools(name, input, own.apiKey))
          assert.isBelow(overTools.status, 500, JSON.stringify(overTools))
          const inPaths = { id: "x", idOrPid: "x", jobId: "x", keyId: "x", proposalId: "x" }
          const placed = { ...input, ...inPaths }
          const overRest = await run(SurfaceCalls.overRest(name, placed, own.apiKey))
          assert.isBelow(overRest.status, 500, JSON.stringify(overRest))
        }
      )
      yield* Effect.promise(() => FastCheck.assert(property, { numRuns: 200 }))
    })
  )
})
