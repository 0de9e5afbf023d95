/** Lists and forms as the server writes them: days as filters, and a way on where there is nothing to choose from. */
import { assert, it } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { inputOf } from "../../../adapters/pages/console/form-input.ts"
import { issueEnrolment } from "../../../core/humans/issue-enrolment.ts"
import { provision } from "../../../core/payments/provision.ts"
import { Transfers } from "../../../core/payments/transfer-store.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { Wallets } from "../../../core/wallets/wallet-store.ts"
import { Events } from "../../../core/webhooks/delivery-store.ts"
import * as Accounts from "../../support/accounts.ts"
import { Visitor } from "../../support/console-visitor.ts"
import { humanAccount } from "../../support/human-account.ts"
import { served } from "../../support/page-server.ts"
import * as Rows from "../../support/rows.ts"
import * as Treasury from "../../support/small-treasury.ts"
import * as Stored from "../../support/stored-rows.ts"

const visiting = Effect.fnUntraced(function* (origin: string, accountId: string) {
  const visitor = new Visitor(origin, Treasury.siteUrl)
  const wanted = { accountId, purpose: "operator", name: "Grace", hours: 24 } as const
  const { url } = yield* (yield* Atomically).run(issueEnrolment(wanted, "operator"))
  yield* visitor.enrol(url)
  return (path: string) =>
    Effect.promise(async () => {
      const answer = await fetch(`${origin}/console${path}`, { headers: visitor.cookie })
      return answer.text()
    })
})

const dayOf = (at: DateTime.Utc) => DateTime.formatIsoDateUtc(at)

it.live("a list is filtered by whole days, the last one with all of it", () =>
  Effect.gen(function* () {
    const origin = yield* served()
    const { accountId, call } = yield* humanAccount
    const read = yield* visiting(origin, accountId)
    const { pid } = yield* call.create_checkout_session({
      customer: { externalId: "customer of Corner Shop" },
      amountUsd: 49
    })
    const now = yield* DateTime.now
    const today = dayOf(now)
    const [before, after] = [-1, 1].map((days) => dayOf(DateTime.add(now, { days })))
    const found = yield* Effect.forEach(
      [`since=${today}&until=${today}`, `until=${before}`, `since=${after}`],
      (query) => Effect.map(read(`/payments?${query}`), (text) => text.includes(`/payments/${pid}`))
    )
    assert.deepStrictEqual(found, [true, false, false])
    const text = yield* read(`/payments?since=${today}T00:00:00Z`)
    assert.match(text, new RegExp(`type="date"[^>]* value="${today}"`, "u"))
  }).pipe(Effect.scoped, Effect.provide(Treasury.layer()))
)

it.live("tokens are listed for an account that has no wallet yet", () =>
  Effect.gen(function* () {
    const origin = yield* served()
    const read = yield* visiting(origin, (yield* Stored.account()).id)
    const text = yield* read("/tokens")
    assert.notInclude(text, "chainId is required")
  }).pipe(Effect.scoped, Effect.provide(Treasury.layer()))
)

it.live("a list of an account just made says what will be there, and leads to the first step", () =>
  Effect.gen(function* () {
    const origin = yield* served()
    const read = yield* visiting(origin, (yield* Stored.account()).id)
    const leads = {
      payments: "/console/new/create_provisioning_job",
      deposits: "/console/payments",
      wallets: "/console/new/propose_create_account",
      grants: "/console/wallets",
      yields: "/console/yield-markets",
      recipients: "/console/new/add_recipient",
      proposals: "/console/new/propose_transfer",
      trades: "/console/tokens",
      votes: "/console/cosigners",
      governance: "/console/cosigners",
      agents: "/console/keys",
      webhooks: "/console/new/create_merchant_webhook",
      deliveries: "/console/webhooks",
      events: "/console/payments"
    }
    for (const [path, href] of Object.entries(leads)) {
      const begun = /<div class="card"><p>[^<]{40,}<\/p><p><a href="([^"]+)">/u.exec(
        yield* read(`/${path}`)
      )
      assert.strictEqual(begun?.[1], href, path)
    }
    const asked = yield* read("/payments?status=cancelled")
    assert.include(asked, "No payment requests.")
    assert.notInclude(asked, "Add the first customer", "Others may be there.")
  }).pipe(Effect.scoped, Effect.provide(Treasury.layer()))
)

it.live("wallets stand in their list though no chain answers what they hold", () =>
  Effect.gen(function* () {
    const origin = yield* served()
    const accountId = yield* Treasury.AccountId
    const wallet = yield* Stored.wallet(accountId)
    const read = yield* visiting(origin, accountId)
    assert.include(yield* read("/wallets"), `href="/console/wallets/${wallet.id}"`)
  }).pipe(Effect.scoped, Effect.provide(Treasury.layer()))
)

it.live("the page of a request that ended leads to money that came late, until it is decided", () =>
  Effect.gen(function* () {
    const origin = yield* served()
    const { accountId, call } = yield* humanAccount
    const read = yield* visiting(origin, accountId)
    const { pid } = yield* call.create_checkout_session({
      customer: { externalId: "customer of Corner Shop" },
      amountUsd: 49
    })
    const { vaultId } = yield* call.cancel_payment_request({ idOrPid: pid })
    const vault = yield* Effect.flatMap(Wallets, ({ find }) => find(accountId, vaultId))
    if (vault === undefined) return assert.fail("There is no vault.")
    const late = Rows.aTransfer(vault, { settlementIssue: "late", candidatePids: [pid] })
    const transfers = yield* Transfers
    yield* transfers.record(late)
    const decide = `<a class="button" href="/console/deposits/${late.id}">Decide about a deposit of`
    const waiting = yield* read(`/payments/${pid}`)
    assert.include(waiting, decide)
    assert.include(waiting, "Deposits that may be for this request")
    yield* transfers.assign(late.id, { ...late, resolution: "ignored" })
    const decided = yield* read(`/payments/${pid}`)
    assert.notInclude(decided, decide)
    assert.include(decided, "Deposits that may be for this request")
  }).pipe(Effect.scoped, Effect.provide(Treasury.layer()))
)

it.live("a form that needs a customer, a wallet or a recipient leads to where one is made", () =>
  Effect.gen(function* () {
    const origin = yield* served()
    const read = yield* visiting(origin, yield* Treasury.AccountId)
    const leads = {
      create_payment_request: ["/console/new/create_provisioning_job"],
      propose_transfer: ["/console/new/propose_create_account", "/console/new/add_recipient"]
    }
    for (const [form, hrefs] of Object.entries(leads)) {
      const text = yield* read(`/new/${form}`)
      for (const href of hrefs) assert.include(text, `There is none yet. <a href="${href}">`)
    }
  }).pipe(Effect.scoped, Effect.provide(Treasury.layer({ wallets: 0 })))
)

it.live("the audit log names who acted, leads to what it is about, and shows one actor alone", () =>
  Effect.gen(function* () {
    const origin = yield* served()
    const { accountId, call } = yield* humanAccount
    const read = yield* visiting(origin, accountId)
    const {
      apiKey: _,
      id,
      lastFour,
      prefix
    } = yield* call.create_api_key({
      scopes: ["payment_requests:write"],
      label: "Till 7"
    })
    const { pid } = yield* call.create_checkout_session({
      customer: { externalId: "customer of Corner Shop" },
      amountUsd: 49
    })
    const { id: requestId } = yield* call.get_payment_request({ idOrPid: pid })
    const all = yield* read("/audit")
    assert.include(all, `href="/console/payments/${requestId}"`)
    assert.match(all, /<a href="\/console\/audit\?actor=human%3A[^"]+"><bdi>Grace, in the console/u)
    assert.include(all, `<option value="${id}">Till 7 (${prefix}…${lastFour})</option>`)
    const none = yield* read(`/audit?actor=${id}`)
    assert.include(none, "No entries.")
    const { entries } = yield* call.list_audit_log({ subjectId: requestId })
    const actor = entries.at(-1)?.actor ?? ""
    const theirs = yield* read(`/audit?actor=${actor}`)
    assert.include(theirs, `href="/console/payments/${requestId}"`)
    assert.notInclude(theirs, "Grace, in the console</bdi>")
  }).pipe(Effect.scoped, Effect.provide(Treasury.layer()))
)

it.live("proposals are filtered by recipient and amount, and events by customer", () =>
  Effect.gen(function* () {
    const origin = yield* served()
    const { accountId, call } = yield* humanAccount
    const read = yield* visiting(origin, accountId)
    yield* call.create_checkout_session({
      customer: { externalId: "customer of Corner Shop" },
      amountUsd: 49
    })
    const form = yield* read("/proposals")
    for (const label of ["Recipient", "Amount from, in USD", "Amount up to, in USD"]) {
      assert.include(form, `>${label}</label>`)
    }
    assert.include(yield* read("/proposals?minAmountUsd=two"), "Send a positive decimal")
    const events = (customer: string) => read(`/events?customerExternalId=${customer}`)
    assert.include(yield* events("customer+of+Corner+Shop"), "payment_request.created</bdi>")
    assert.include(yield* events("nobody"), "No events.")
  }).pipe(Effect.scoped, Effect.provide(Treasury.layer()))
)

it.live("the tags of a wallet stand in a form of their own, which may be sent without any", () =>
  Effect.gen(function* () {
    const origin = yield* served()
    const { accountId, call } = yield* humanAccount
    const read = yield* visiting(origin, accountId)
    const [wallet] = (yield* call.list_wallets({})).wallets
    const metadata = { city: "Oslo & Bergen", floor: "ground" }
    yield* call.set_wallet_metadata({ accountId: wallet?.id ?? "", metadata })
    const page = yield* read(`/wallets/${wallet?.id}`)
    const href = /"\/console(\/new\/set_wallet_metadata[^"]+)"/u.exec(page)?.[1] ?? ""
    const form = yield* read(href.replaceAll("&amp;", "&"))
    assert.include(form, "city=Oslo &amp; Bergen\nfloor=ground</textarea>")
    assert.match(form, /<textarea[^>]*data-sent/u)
    assert.notMatch(form, /<textarea[^>]* required/u)
    const written = (value: string, sent?: "") => {
      const fields = [{ name: "metadata", value, dataset: { as: "map", sent } }]
      const shown = { querySelectorAll: () => fields, dataset: {} }
      return inputOf(shown as unknown as Parameters<typeof inputOf>[0])
    }
    assert.deepStrictEqual(written(""), {})
    assert.deepStrictEqual(written("", ""), { metadata: {} })
    assert.deepStrictEqual(written("city=Oslo", ""), { metadata: { city: "Oslo" } })
    const odd = { metadata: { archived: "", floor: "", sum: "1=1" } }
    assert.deepStrictEqual(written("archived\nfloor=\nsum = 1=1", ""), odd)
  }).pipe(Effect.scoped, Effect.provide(Treasury.layer()))
)

it.live("an event has a page with its body and its deliveries, and a notice has none", () =>
  Effect.gen(function* () {
    const origin = yield* served()
    const { accountId, call } = yield* humanAccount
    const read = yield* visiting(origin, accountId)
    yield* call.create_merchant_webhook({
      url: "https://shop.example/hooks",
      events: ["payment_request.created"]
    })
    const { pid } = yield* call.create_checkout_session({
      customer: { externalId: "customer of Corner Shop" },
      amountUsd: 49,
      externalReference: "INV-7"
    })
    const [event] = (yield* call.list_events({})).events
    const [delivery] = (yield* call.list_webhook_deliveries({})).webhook_deliveries
    const at = `/events/${event?.id}`
    for (const list of ["/events", `/payments/${pid}`, `/deliveries/${delivery?.id}`]) {
      assert.include(yield* read(list), `href="/console${at}"`, list)
    }
    const page = yield* read(at)
    assert.include(page, "Event payment_request.created</h1>")
    assert.include(page, "&quot;externalReference&quot;: &quot;INV-7&quot;")
    assert.include(page, `href="/console/payments/${pid}"`)
    assert.include(page, `href="/console/deliveries/${delivery?.id}"`)
    const notice = Rows.anEvent(accountId, { id: "ntc_1", object: "notice", type: "send_failed" })
    yield* (yield* Events).append([notice])
    assert.include(yield* read("/events/ntc_1"), "Nothing here")
  }).pipe(Effect.scoped, Effect.provide(Treasury.layer()))
)

it.live(
  "a provisioning job shows how far it is and each customer's vault, and is found in the audit log",
  () =>
    Effect.gen(function* () {
      const origin = yield* served()
      const { accountId, call } = yield* humanAccount
      const read = yield* visiting(origin, accountId)
      const customers = Array.from({ length: 120 }, (_, at) => ({ externalId: `user_${at}` }))
      const { jobId } = yield* call.create_provisioning_job({ chainId: "local", customers })
      const at = `/provisioning/${jobId}`
      const waiting = yield* read(at)
      assert.include(waiting, "Adding 120 customers</h1>")
      assert.match(waiting, /<main[^>]* data-live="/u)
      assert.include(waiting, "0 of 120")
      yield* provision(jobId)
      const done = yield* read(at)
      assert.include(done, "120 of 120")
      assert.notMatch(done, / data-live="/u)
      const vault = (yield* call.get_provisioning_job({ jobId })).results[0]?.walletMappingId
      assert.include(done, `<a href="/console/wallets/${vault}"><bdi>user_0</bdi></a>`)
      assert.notInclude(done, ">user_119<")
      assert.include(yield* read(`${at}?cursor=100`), ">user_119<")
      assert.include(yield* read(`/audit?subjectId=${jobId}`), `href="/console${at}"`)
      const form = yield* read("/new/create_provisioning_job")
      assert.include(form, 'data-next="/console/provisioning/{jobId}"')
      assert.match(
        form,
        /<textarea[^>]* name="customers"[^>]* data-as="rows"[^>]* data-columns="externalId namespace"/u
      )
    }).pipe(Effect.scoped, Effect.provide(Treasury.layer()))
)

it.live("an invite that waits for an answer is shown to who sent it, who withdraws it", () =>
  Effect.gen(function* () {
    const origin = yield* served()
    const { accountId, call, human } = yield* humanAccount
    const read = yield* visiting(origin, accountId)
    const other = yield* Accounts.opened()
    assert.notInclude(yield* read("/cosigners"), "Invites that wait for an answer")
    const asked = yield* call.invite_cosigner({
      cosignerUserId: other.accountId,
      nickname: "Grace"
    })
    yield* human.govern(asked.governanceRequestId as string)
    const [invite] = (yield* call.list_outgoing_cosigner_invites({})).outgoing_cosigner_invites
    assert.strictEqual(invite?.nickname, "Grace")
    const page = yield* read("/cosigners")
    assert.include(page, "Withdraw the invite of Grace")
    assert.include(page, `data-input="{&quot;inviteId&quot;:&quot;${invite?.inviteId}&quot;}"`)
    const foreign = yield* Effect.flip(
      call.revoke_cosigner_invite({ inviteId: "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d" })
    )
    assert.deepStrictEqual(foreign.next?.operation, "list_outgoing_cosigner_invites")
    yield* call.revoke_cosigner_invite({ inviteId: invite?.inviteId ?? "" })
    assert.notInclude(yield* read("/cosigners"), "Withdraw the invite")
  }).pipe(Effect.scoped, Effect.provide(Treasury.layer()))
)

it.live("forms and filters offer what there is, in words for people", () =>
  Effect.gen(function* () {
    const origin = yield* served()
    const { accountId } = yield* humanAccount
    const read = yield* visiting(origin, accountId)
    for (const form of ["create_provisioning_job", "add_recipient", "propose_create_account"]) {
      const text = yield* read(`/new/${form}`)
      assert.match(
        text,
        /<select[^>]* name="chainId"[\s\S]*<option value="local"( selected)?>/u,
        form
      )
    }
    const trades = yield* read("/trades")
    const [, kinds = ""] = /<select[^>]* name="kind"[^>]*>(.*?)<\/select>/u.exec(trades) ?? []
    const values = [...kinds.matchAll(/value="(\w*)"/gu)].map(([, value]) => value)
    assert.deepStrictEqual(values, ["swap", "solana_swap", "bridge"])
    const told = [
      yield* read("/keys"),
      yield* read("/new/propose_transfer"),
      yield* read("/new/update_cosigner_rules"),
      yield* read("/new/create_merchant_webhook"),
      yield* read("/new/create_payment_request")
    ].join("")
    assert.notMatch(told, /decimal string|calling key|null for|the scope account:read/u)
  }).pipe(Effect.scoped, Effect.provide(Treasury.layer()))
)

it.live("no form speaks to people of names that only programs know", () =>
  Effect.gen(function* () {
    const origin = yield* served()
    const { accountId } = yield* humanAccount
    const read = yield* visiting(origin, accountId)
    const forms = [
      ...["create_payment_request", "create_checkout_session", "extend_payment_request"],
      ...["propose_transfer", "propose_refund", "propose_token_approve", "propose_create_account"],
      ...["propose_swap", "propose_bridge", "propose_solana_swap", "add_recipient"],
      ...["resolve_deposit", "set_wallet_metadata", "update_cosigner_rules", "invite_cosigner"],
      ...["create_merchant_webhook", "recover_merchant_webhook", "update_account_settings"],
      "invite_person"
    ]
    const spoken: Array<string> = []
    for (const form of forms) {
      const text = yield* read(`/new/${form}`)
      const helps = [...text.matchAll(/-help" class="soft">([^<]*)</gu)].map(([, help]) => help)
      for (const help of helps) {
        if (/\b[a-z]+(?:_[a-z]+)+\b|\b[a-z]+[A-Z]\w*/u.test(help ?? "")) {
          spoken.push(`${form}: ${help}`)
        }
      }
      assert.include(text, "<form", form)
    }
    assert.deepStrictEqual(spoken, [])
  }).pipe(Effect.scoped, Effect.provide(Treasury.layer()))
)
