/** An entry says who acted, of which kind, and in which role. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Memory from "../../../adapters/memory/memory.ts"
import { Audit } from "../../../core/audit/audit-store.ts"
import { operator, record, system } from "../../../core/audit/record.ts"
import * as Stored from "../../support/stored-rows.ts"

describe("an audit entry", () => {
  it.layer(Memory.layer())((it) => {
    it.effect("says whether a key, a person, the operator or the treasury acted, and as what", () =>
      Effect.gen(function* () {
        const { id: accountId } = yield* Stored.account()
        const change = { accountId, action: "till.renamed", subjectType: "till", subjectId: "1" }
        yield* record({ ...change, actor: "0198c7a0" })
        yield* record({ ...change, actor: "0198c7a1", role: "cosigner" })
        yield* record({ ...change, actor: "human:0198c7a2" })
        yield* record({ ...change, actor: operator })
        yield* record({ ...change, actor: system })
        const { rows } = yield* (yield* Audit).list(accountId, { limit: 10 })
        assert.sameDeepMembers(
          rows.map(({ actor, actorRole, actorType }) => [actor, actorType, actorRole]),
          [
            ["0198c7a0", "key", "owner"],
            ["0198c7a1", "key", "cosigner"],
            ["human:0198c7a2", "person", "owner"],
            ["operator", "operator", "operator"],
            ["system", "treasury", "worker"]
          ]
        )
      })
    )
  })
})
