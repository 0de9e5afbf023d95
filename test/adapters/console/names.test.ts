/** Names in lists: whom a proposal pays is told by name, however many were added after them. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { issueEnrolment } from "../../../core/humans/issue-enrolment.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { Recipients } from "../../../core/recipients/recipient-store.ts"
import { Visitor } from "../../support/console-visitor.ts"
import { humanAccount } from "../../support/human-account.ts"
import { served } from "../../support/page-server.ts"
import { aRecipient } from "../../support/sending-rows.ts"
import * as Treasury from "../../support/small-treasury.ts"

const isNamed =
  /Send 5\.00 USDC on local from Main \(0x\w{4}…\w{4}\) to Landlord \(0x\w{4}…\w{4}\)/u

it.live("a list names whom a proposal pays, though a hundred and more were added since", () =>
  Effect.gen(function* () {
    const origin = yield* served()
    const { accountId, propose } = yield* humanAccount
    const visitor = new Visitor(origin, Treasury.siteUrl)
    const wanted = { accountId, purpose: "operator", name: "Grace", hours: 24 } as const
    const { url } = yield* (yield* Atomically).run(issueEnrolment(wanted, "operator"))
    yield* visitor.enrol(url)
    yield* propose("5")
    const { add } = yield* Recipients
    for (let count = 0; count < 120; count++) {
      yield* add(aRecipient(accountId, { label: `Supplier ${count}` }))
    }
    for (const path of ["", "/proposals"]) {
      const text = yield* Effect.promise(async () =>
        (await fetch(`${origin}/console${path}`, { headers: visitor.cookie })).text()
      )
      assert.match(text, isNamed, path)
    }
  }).pipe(Effect.scoped, Effect.provide(Treasury.layer()))
)

it.live("a recipient's page tells the memo that each of its payments carries", () =>
  Effect.gen(function* () {
    const origin = yield* served()
    const { accountId } = yield* humanAccount
    const visitor = new Visitor(origin, Treasury.siteUrl)
    const wanted = { accountId, purpose: "operator", name: "Grace", hours: 24 } as const
    const { url } = yield* (yield* Atomically).run(issueEnrolment(wanted, "operator"))
    yield* visitor.enrol(url)
    const exchange = aRecipient(accountId, { label: "Exchange", requiredMemo: "30271844" })
    const plain = aRecipient(accountId, { label: "Plain" })
    const { add } = yield* Recipients
    for (const each of [exchange, plain]) yield* add(each)
    const page = ({ id }: { readonly id: string }) =>
      Effect.promise(async () =>
        (await fetch(`${origin}/console/recipients/${id}`, { headers: visitor.cookie })).text()
      )
    assert.match(yield* page(exchange), /Memo of each payment[\s\S]{0,200}30271844/u)
    assert.notInclude(yield* page(plain), "Memo of each payment")
  }).pipe(Effect.scoped, Effect.provide(Treasury.layer()))
)

it.live("a form says in plain words what is asked, and not where ids of a choice come from", () =>
  Effect.gen(function* () {
    const origin = yield* served()
    const { accountId } = yield* humanAccount
    const visitor = new Visitor(origin, Treasury.siteUrl)
    const wanted = { accountId, purpose: "operator", name: "Grace", hours: 24 } as const
    const { url } = yield* (yield* Atomically).run(issueEnrolment(wanted, "operator"))
    yield* visitor.enrol(url)
    const page = (path: string) =>
      Effect.promise(async () =>
        (await fetch(`${origin}/console${path}`, { headers: visitor.cookie })).text()
      )
    const form = yield* page("/new/propose_transfer")
    assert.include(form, "Amount in USDC")
    assert.notInclude(form, "list_recipients")
    assert.notInclude(form, "`")
    const log = yield* page("/audit")
    assert.include(log, "human enrolled")
  }).pipe(Effect.scoped, Effect.provide(Treasury.layer()))
)
