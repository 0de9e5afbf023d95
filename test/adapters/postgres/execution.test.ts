/** Executions of three steps over the records on SQL, signed under the signing policy, by workers that race. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as ScriptedChains from "../../../adapters/memory/chains.ts"
import * as Ids from "../../../adapters/memory/ids.ts"
import * as Submitter from "../../../adapters/memory/submitter.ts"
import * as NoVenues from "../../../adapters/memory/swap-venue.ts"
import * as TokenAccounts from "../../../adapters/memory/token-accounts.ts"
import * as WalletKeys from "../../../adapters/memory/wallet-keys.ts"
import * as Stores from "../../../adapters/postgres/stores.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { kinds } from "../../../core/treasury/kinds.ts"
import * as SigningPolicy from "../../../core/treasury/signing-policy.ts"
import { suite } from "../../contracts/execution.contract.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import { groundOver, newState } from "../../support/memory-sending-chain.ts"
import { registries } from "../../support/registries.ts"
import { identified } from "../../support/signing-policies.ts"
import { type Attester, registered, stepped } from "../../support/stepped-kind.ts"
import {
  asking,
  attesting,
  begin,
  confirmed,
  ended,
  stepsOf,
  submitting,
  turn,
  unpriced,
  waiting
} from "../../support/three-steps.ts"

/** Each world has a chain of its own, and a relayer counts on it from nothing. */
const kept = () =>
  Layer.fresh(Layer.merge(Stores.layer, identified).pipe(Layer.provideMerge(FreshDatabase.engine)))

/** The kind is none of the program's, so no migration has told the database its name. */
const named = Layer.effectDiscard(
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`insert into proposal_kind values ('three_steps') on conflict do nothing`
  )
)

/** Each rule is handed the terms of its own kind, which a record of all cannot say. */
const rules = { ...kinds, three_steps: stepped } as unknown as Parameters<
  typeof SigningPolicy.layerOver
>[0]

const worldWith = (attester: Layer.Layer<Attester>) =>
  Layer.unwrap(
    Effect.sync(() => {
      const chain = newState()
      const signing = Submitter.layer(chain).pipe(
        Layer.provideMerge(WalletKeys.layer),
        Layer.provide(SigningPolicy.layerOver(rules).pipe(Layer.provide(NoVenues.none)))
      )
      return Layer.mergeAll(
        groundOver(chain).pipe(
          Layer.provideMerge(ScriptedChains.layer(chain)),
          Layer.provideMerge(TokenAccounts.layer(chain)),
          Layer.provideMerge(signing),
          Layer.provideMerge(Layer.provide(unpriced, ScriptedChains.layer(chain)))
        ),
        attester,
        Ids.layer(1),
        registries,
        registered,
        named
      )
    })
  ).pipe(Layer.provideMerge(kept()), Layer.orDie)

suite("PostgreSQL", worldWith)

it.live("who cancels and both workers, twice each at once, end every execution once", () => {
  const attester = attesting()
  return Effect.gen(function* () {
    const { run } = yield* Atomically
    const all = yield* Effect.forEach(Array.from({ length: 12 }), () => confirmed())
    yield* Effect.forEach(all, ({ proposal }) => begin(proposal), { concurrency: "unbounded" })
    for (let round = 0; round < 6; round++) {
      const asked = all
        .slice(0, 2 * round)
        .map(({ proposal }) => run(Effect.exit(asking(proposal))))
      yield* Effect.all([...asked, submitting, waiting, submitting, waiting], {
        concurrency: "unbounded"
      })
      yield* turn
    }
    for (const { proposal } of all) {
      const done = yield* ended(proposal)
      const kindsOf = (yield* stepsOf(proposal)).map(({ kind }) => kind)
      assert.include(["completed", "failed"], done.status)
      assert.strictEqual(done.status === "completed", kindsOf.includes("mint"))
      assert.lengthOf(new Set(kindsOf), kindsOf.length)
    }
  }).pipe(Effect.provide(worldWith(attester.layer)))
})
