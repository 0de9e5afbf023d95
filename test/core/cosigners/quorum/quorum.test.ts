/**
 * Whatever accounts do to each other and however time passes, money moves by the votes of enough distinct
 * active co-signers and a cooling recipient is paid by nobody: lives drawn at random, judged by an oracle.
 */
import { assert, it } from "@effect/vitest"
import { Effect, Layer, ManagedRuntime } from "effect"
import { TestClock } from "effect/testing"
import * as FastCheck from "fast-check"
import * as Stores from "../../../../adapters/postgres/stores.ts"
import { fundingWallet } from "../../../../apps/testing/seed.ts"
import { Signatures } from "../../../../core/ports/signatures.ts"
import * as FreshDatabase from "../../../support/fresh-database.ts"
import { memoryTreasury } from "../../../support/memory-treasury.ts"
import { live } from "./judged-life.ts"
import type { Sign } from "./life.ts"
import { life } from "./step.ts"

const clock = TestClock.layer({ warningDelay: "1 hour" })

/** What a signature is worth is tried elsewhere; one that costs nothing leaves time for more lives. */
const spell = (message: string) => `0x${Buffer.from(message).toString("hex")}`
const spelled = Layer.succeed(Signatures, {
  isBy: ({ message, signature }) => Effect.succeed(signature === spell(message))
})

const inMemory = Layer.merge(memoryTreasury, spelled).pipe(Layer.provideMerge(clock))

const onServer = Layer.merge(
  memoryTreasury,
  Layer.orDie(Layer.provide(Stores.layer, FreshDatabase.engine))
).pipe(Layer.provideMerge(clock))

/** Lives so many lives, and counts how the sends of all of them ended. */
const endings = async (
  layer: typeof inMemory,
  sign: Sign,
  parameters: FastCheck.Parameters<unknown>
) => {
  const runtime = ManagedRuntime.make(layer)
  const seen = new Map<string, number>()
  const property = FastCheck.asyncProperty(life, async (steps) => {
    for (const { required, status } of await runtime.runPromise(live(steps, sign))) {
      const ending = required === 0 ? status : `${status} by votes`
      seen.set(ending, (seen.get(ending) ?? 0) + 1)
    }
  })
  await FastCheck.assert(property, { endOnFailure: true, ...parameters }).finally(() =>
    runtime.dispose()
  )
  return seen
}

const inMemoryEndings = (parameters: FastCheck.Parameters<unknown>) =>
  endings(inMemory, async (message) => spell(message), parameters)

it("in memory every answer and every state is what the contract says", async () => {
  await inMemoryEndings({ numRuns: 100 })
})

it("in the lives of one seed votes end sends in every way", async () => {
  const seen = await inMemoryEndings({ numRuns: 150, seed: 1 })
  // Lives in which nothing is decided would show nothing.
  for (const ending of ["executing by votes", "rejected by votes", "superseded by votes"]) {
    assert.isAbove(seen.get(ending) ?? 0, 0, ending)
  }
})

it("on PostgreSQL it is no different", async () => {
  await endings(onServer, (message) => fundingWallet.signMessage({ message }), { numRuns: 12 })
})
