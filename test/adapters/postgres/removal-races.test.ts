/** On a server: people are removed while they act. What they do comes before their removal, or not at all. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Store } from "../../../adapters/memory/store.ts"
import * as Stores from "../../../adapters/postgres/stores.ts"
import * as Wiring from "../../../apps/testing/wiring.ts"
import { Audit } from "../../../core/audit/audit-store.ts"
import { callerOf } from "../../../core/humans/authenticate.ts"
import { actorOf } from "../../../core/humans/human.ts"
import { invoke } from "../../../core/operation/invoke.ts"
import { operatorOf } from "../../../core/people/authority.ts"
import { removePerson } from "../../../core/people/change-person.ts"
import { callsOf } from "../../../core/treasury/treasury.ts"
import { aHuman } from "../../support/enrolled-human.ts"
import * as FreshDatabase from "../../support/fresh-database.ts"
import { humanAccount } from "../../support/human-account.ts"

const treasuryAt = (address: string) =>
  Layer.merge(
    Wiring.layer({ store: new Store(), chain: Wiring.scriptedChain() }, 1),
    Layer.orDie(Layer.provideMerge(Stores.layer, FreshDatabase.engineAt(address, 16)))
  )

const people = 8
const keysEach = 12

it.live(
  "nobody who was removed has made a key afterwards, and nothing fails on our side",
  () =>
    Effect.gen(function* () {
      const { accountId } = yield* humanAccount
      for (let nth = 0; nth < people; nth++) {
        const { human, signedIn } = yield* aHuman(accountId, `Ben ${nth}`)
        const call = callsOf(callerOf(signedIn, { hasSigned: true }))
        const makeKey = Effect.asVoid(call.create_api_key({ scopes: ["account:read"] }))
        const input = { personId: human.id }
        const remove = invoke(removePerson, {
          caller: operatorOf(accountId),
          input,
          requestId: `removal-${nth}`
        })
        const acts = Array.from({ length: keysEach }, () => Effect.result(makeKey))
        const half = keysEach / 2
        const [early, removed, late] = yield* Effect.all(
          [
            Effect.all(acts.slice(0, half), { concurrency: "unbounded" }),
            remove,
            Effect.all(acts.slice(half), { concurrency: "unbounded" })
          ],
          { concurrency: "unbounded" }
        )
        assert.isTrue(removed.ok)
        for (const said of [...early, ...late]) {
          if (said._tag === "Failure") assert.strictEqual(said.failure._tag, "SIGN_IN_REQUIRED")
        }
        const { rows } = yield* (yield* Audit).list(accountId, { limit: 100 })
        const removedAt = rows.findIndex(
          ({ action, subjectId }) => action === "person.removed" && subjectId === human.id
        )
        const afterwards = rows
          .slice(0, removedAt)
          .filter(({ actor }) => actor === actorOf(human.id))
        assert.deepStrictEqual(afterwards, [])
      }
    }).pipe(Effect.provide(Layer.unwrap(Effect.map(FreshDatabase.url(), treasuryAt)))),
  120_000
)
