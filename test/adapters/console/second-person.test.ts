/** Whoever proposed something is offered no approval that would be refused, and the others are. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { issueEnrolment } from "../../../core/humans/issue-enrolment.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { Visitor } from "../../support/console-visitor.ts"
import { humanAccount } from "../../support/human-account.ts"
import { served } from "../../support/page-server.ts"
import * as Treasury from "../../support/small-treasury.ts"

it.live("the page of a proposal says when another person has to approve it", () =>
  Effect.gen(function* () {
    const origin = yield* served()
    const { accountId, recipientId, wallet } = yield* humanAccount
    const enrolled = Effect.fnUntraced(function* (name: string) {
      const visitor = new Visitor(origin, Treasury.siteUrl)
      const wanted = { accountId, purpose: "operator", name, hours: 24 } as const
      const { url } = yield* (yield* Atomically).run(issueEnrolment(wanted, "operator"))
      yield* visitor.enrol(url)
      return visitor
    })
    const [grace, ada] = [yield* enrolled("Grace"), yield* enrolled("Ada")]
    const input = { recipientId, fromWalletId: wallet.id, amountUsdc: "5" }
    const proposed = yield* grace.post("do/propose_transfer", { input })
    const { proposalId } = proposed.body.data
    const offered = ({ cookie }: Visitor) =>
      Effect.promise(async () => {
        const answer = await fetch(`${origin}/console/proposals/${proposalId}`, { headers: cookie })
        const text = await answer.text()
        return [
          text.includes("Approve with your passkey"),
          text.includes("another owner or approver approves it"),
          text.includes("do/confirm_proposal")
        ]
      })
    assert.deepStrictEqual(yield* offered(grace), [false, true, true])
    assert.deepStrictEqual(yield* offered(ada), [true, false, false])
    yield* grace.post("do/confirm_proposal", { input: { proposalId } })
    assert.deepStrictEqual(yield* offered(grace), [false, true, false])
    assert.deepStrictEqual(yield* offered(ada), [true, false, false])
  }).pipe(Effect.scoped, Effect.provide(Treasury.layer()))
)
