/** The console's overview stands while no chain answers: what waits for somebody is told all the same. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { ChainScript } from "../../../adapters/memory/chains.ts"
import { issueEnrolment } from "../../../core/humans/issue-enrolment.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { Visitor } from "../../support/console-visitor.ts"
import { humanAccount } from "../../support/human-account.ts"
import { served } from "../../support/page-server.ts"
import * as Treasury from "../../support/small-treasury.ts"

it.live("the overview says that the net worth is not known while no chain answers", () =>
  Effect.gen(function* () {
    const origin = yield* served()
    const { accountId, propose } = yield* humanAccount
    const visitor = new Visitor(origin, Treasury.siteUrl)
    const wanted = { accountId, purpose: "operator", name: "Grace", hours: 24 } as const
    const { url } = yield* (yield* Atomically).run(issueEnrolment(wanted, "operator"))
    yield* visitor.enrol(url)
    const proposalId = yield* propose("5")
    const overview = Effect.gen(function* () {
      const answer = yield* Effect.promise(() =>
        fetch(`${origin}/console`, { headers: visitor.cookie })
      )
      assert.strictEqual(answer.status, 200)
      return yield* Effect.promise(() => answer.text())
    })
    const unknown = "Not known now, as no chain responds"
    assert.notInclude(yield* overview, unknown)
    yield* (yield* ChainScript).outage(true)
    const away = yield* overview
    assert.include(away, unknown)
    assert.include(away, `/console/proposals/${proposalId}`)
  }).pipe(Effect.scoped, Effect.provide(Treasury.layer()))
)
