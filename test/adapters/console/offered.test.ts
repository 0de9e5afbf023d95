/** What each role is offered on the console's pages: nobody is shown a button or a form that core would refuse them. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { issueEnrolment } from "../../../core/humans/issue-enrolment.ts"
import { type Role, roleRefusal } from "../../../core/operation/role.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { operations, peopleOperations } from "../../../core/treasury/operations.ts"
import { Visitor } from "../../support/console-visitor.ts"
import { humanAccount } from "../../support/human-account.ts"
import { served } from "../../support/page-server.ts"
import * as Treasury from "../../support/small-treasury.ts"

const roleOf = new Map<string, Role>(
  [...operations, ...peopleOperations].map(({ name, role }) => [name, role])
)

/** The operations that a page begins, by a button or by a link to a form. */
const begunBy = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/"\/console\/(?:do|sign|new)\/(\w+)/gu)].flatMap(([, name]) => name ?? [])

const decisions =
  /\/console\/(?:proposals|governance)\/[^"/]+\/(?:options|cancel)"|\/console\/pause"/u

it.live("each page offers what the role of who reads it may do, and no more", () =>
  Effect.gen(function* () {
    const origin = yield* served()
    const account = yield* humanAccount
    const { accountId, call, recipientId, wallet } = account
    const proposalId = yield* account.confirmed("5")
    const { pid } = yield* call.create_checkout_session({
      customer: { externalId: "customer of Corner Shop" },
      amountUsd: 49
    })
    const { id: endpointId } = yield* call.create_merchant_webhook({
      url: "https://shop.example/hooks",
      events: ["payment_request.paid"]
    })
    const other = yield* humanAccount
    const { governanceRequestId } = yield* call.invite_cosigner({
      cosignerUserId: other.accountId
    })
    const pages = [
      "",
      "/payments",
      `/payments/${pid}`,
      "/wallets",
      `/wallets/${wallet.id}`,
      "/recipients",
      `/recipients/${recipientId}`,
      "/proposals",
      `/proposals/${proposalId}`,
      "/trades",
      "/cosigners",
      `/governance/${governanceRequestId}`,
      "/keys",
      "/webhooks",
      `/webhooks/${endpointId}`,
      "/people",
      "/settings"
    ]
    const offeredTo = Effect.fnUntraced(function* (role: Role) {
      const visitor = new Visitor(origin, Treasury.siteUrl)
      const wanted = { accountId, purpose: "operator", name: "Grace", role, hours: 24 } as const
      const { url } = yield* (yield* Atomically).run(issueEnrolment(wanted, "operator"))
      yield* visitor.enrol(url)
      const texts = yield* Effect.forEach(pages, (path) =>
        Effect.promise(async () => {
          const answer = await fetch(`${origin}/console${path}`, { headers: visitor.cookie })
          assert.strictEqual(answer.status, 200, path)
          return answer.text()
        })
      )
      assert.strictEqual(texts[0]?.includes(`(${role})`), role !== "owner")
      const begun = texts.flatMap(begunBy)
      for (const name of begun) {
        assert.isUndefined(roleRefusal(role, roleOf.get(name) ?? "owner"), `${role}: ${name}`)
      }
      return { begun, deciding: pages.filter((_, at) => decisions.test(texts[at] ?? "")) }
    })
    assert.deepStrictEqual(yield* offeredTo("viewer"), { begun: [], deciding: [] })
    const approver = yield* offeredTo("approver")
    // An approver signs no invitation of a co-signer, and stops it all the same.
    const approvers = ["propose_transfer", "cancel_proposal", "cancel_governance_request"]
    assert.includeMembers([...approver.begun], approvers)
    assert.deepStrictEqual(approver.deciding, [`/proposals/${proposalId}`, "/settings"])
    const owner = yield* offeredTo("owner")
    assert.includeMembers([...owner.begun], ["create_api_key", "invite_person", "invite_cosigner"])
    assert.includeMembers(owner.deciding, [`/governance/${governanceRequestId}`])
  }).pipe(Effect.scoped, Effect.provide(Treasury.layer()))
)
