/**
 * The service is killed once at every point on each engine, and what must hold afterwards does. Many
 * times each, and the figures, are `npm run verify:kill`.
 */
import { assert, describe, it } from "@effect/vitest"
import { beforeAll } from "vitest"
import * as Child from "./child.ts"
import { engines } from "./scene.ts"
import * as Sweep from "./sweep.ts"

const entries = [
  ...Sweep.payments,
  ...Sweep.signatures,
  ...Sweep.writes,
  ...Sweep.places,
  ...Sweep.steps
]
const sweeps = new Map<string, Awaited<ReturnType<typeof Sweep.sweep>>>()

// Both engines at once, as each leaves a core idle half of the time.
beforeAll(async () => {
  const bundle = await Child.bundle()
  const sweeping = engines.map(async (engine) => {
    sweeps.set(engine, await Sweep.sweep(engine, bundle, entries, 1))
  })
  await Promise.allSettled(sweeping).finally(bundle.remove)
  await Promise.all(sweeping)
}, 600_000)

describe.each(engines)("on %s a process that is killed", (engine) => {
  const tallyOf = (label: string) =>
    sweeps.get(engine)?.tallies.find((tally) => tally.label === label)

  it.each(Sweep.payments)("$label still gets the request paid once and told", ({ label }) => {
    const tally = tallyOf(label)
    assert.deepStrictEqual(tally?.violations, [])
    assert.strictEqual(tally?.deaths, 1)
    assert.strictEqual(tally?.held, 1)
  })

  it.each(Sweep.signatures)("$label still gets what was signed paid once and told", ({ label }) => {
    const tally = tallyOf(label)
    assert.deepStrictEqual(tally?.violations, [])
    assert.strictEqual(tally?.deaths, 1)
    assert.strictEqual(tally?.held, 1)
  })

  it.each(Sweep.writes)("$label leaves one request for one idempotency key", ({ label }) => {
    const tally = tallyOf(label)
    assert.deepStrictEqual(tally?.violations, [])
    assert.strictEqual(tally?.deaths, 1)
    assert.strictEqual(tally?.held, 1)
  })

  it.each(Sweep.places)("$label leaves an audit log that verifies whole", ({ label }) => {
    const tally = tallyOf(label)
    assert.deepStrictEqual(tally?.violations, [])
    assert.strictEqual(tally?.deaths, 1)
    assert.strictEqual(tally?.held, 1)
  })

  it.each(Sweep.steps)("$label does each act of three steps once", ({ label }) => {
    const tally = tallyOf(label)
    assert.deepStrictEqual(tally?.violations, [])
    assert.strictEqual(tally?.deaths, 1)
    assert.strictEqual(tally?.held, 1)
  })

  it("tells of every paid request under one event id, each time verifiably", () => {
    const sweep = sweeps.get(engine)
    assert.strictEqual(sweep?.totals.paid, Sweep.payments.length + Sweep.signatures.length)
    assert.isTrue(sweep !== undefined && Sweep.allHeld(sweep.tallies, sweep.totals))
  })
})
