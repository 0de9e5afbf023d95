/** What is looked for by ids is planned once: the database keeps the plan, however many ids there are. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import { Proposals } from "../../../core/proposals/proposal-store.ts"
import { copies, stores } from "../../support/many-rows.ts"
import * as Numbered from "../../support/numbered-ids.ts"
import * as Rows from "../../support/rows.ts"
import * as Stored from "../../support/stored-rows.ts"

/** How often the database plans at least before it keeps a plan. */
const untilKept = 5

layer(stores)("plans of what is looked for by ids", (it) => {
  it.effect("are kept, for one id and for several", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const proposal = yield* Stored.proposal()
      yield* copies("proposal", proposal.id, { id: Numbered.inSql("kept") })
      const { lockAll } = yield* Proposals
      const times = 20
      const locked = yield* sql.withTransaction(
        Effect.forEach(Array.from({ length: times }), (_, at) =>
          lockAll([proposal.id, ...Array.from({ length: at % 3 }, Rows.anId)])
        )
      )
      assert.deepStrictEqual(
        locked.map((all) => all.map(({ id }) => id)),
        Array.from({ length: times }, () => [proposal.id])
      )
      const plans = yield* sql`select custom_plans::int as anew, generic_plans::int as kept
        from pg_prepared_statements where statement like 'select * from "proposal" %order by id for no key update'`
      assert.deepStrictEqual(plans, [{ anew: untilKept, kept: times - untilKept }])
    })
  )
})
