/** Approving over the console's routes: only for who is signed in, of their own account, from our own page (threats 3, 9, 35). */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { issueEnrolment } from "../../../core/humans/issue-enrolment.ts"
import { Atomically } from "../../../core/ports/atomically.ts"
import { visitor } from "../../support/console-people.ts"
import { humanAccount } from "../../support/human-account.ts"
import * as Surfaces from "../../support/surfaces.ts"

/** An account and one of its people at a browser. */
const atWork = Effect.gen(function* () {
  const account = yield* humanAccount
  const wanted = { accountId: account.accountId, purpose: "operator", name: "Ada" } as const
  const { url } = yield* (yield* Atomically).run(issueEnrolment(wanted, "operator"))
  const ada = yield* visitor()
  yield* ada.enrol(url)
  return { ...account, ada }
})

layer(Surfaces.layer())("the console", (it) => {
  it.effect("asks for a passkey over what it shows, and does it", () =>
    Effect.gen(function* () {
      const { ada, call, confirmed } = yield* atWork
      const proposalId = yield* confirmed("5")
      const at = (what: string) => `proposals/${proposalId}/${what}`
      const asked = yield* ada.post(at("options"))
      assert.deepInclude(asked.body.data.proposal, { proposalId, status: "requires_action" })
      assert.strictEqual(asked.body.data.options.rpId, "treasury.test")
      assert.lengthOf(asked.body.data.options.allowCredentials, 1)
      const lied = yield* ada.signing(at("options"), at("approve"), {
        lie: { userVerified: false }
      })
      assert.strictEqual(lied.status, 403)
      assert.strictEqual(lied.body.error.code, "PASSKEY_REJECTED")
      const done = yield* ada.signing(at("options"), at("approve"))
      assert.strictEqual(done.body.data.proposal.status, "executing")
      assert.strictEqual((yield* call.get_proposal({ proposalId })).status, "executing")
      const late = yield* ada.post(at("cancel"))
      assert.strictEqual(late.body.error.code, "PROPOSAL_NOT_CONFIRMABLE")
    })
  )

  it.effect("signs and withdraws what is to be governed, and cancels what is proposed", () =>
    Effect.gen(function* () {
      const { ada, call, confirmed } = yield* atWork
      const other = yield* humanAccount
      const ask = Effect.map(
        call.invite_cosigner({ cosignerUserId: other.accountId }),
        ({ governanceRequestId }) => `governance/${governanceRequestId}`
      )
      const [first, second] = [yield* ask, yield* ask]
      const asked = yield* ada.post(`${first}/options`)
      assert.deepInclude(asked.body.data.request, { action: "invite_cosigner", status: "pending" })
      const done = yield* ada.signing(`${first}/options`, `${first}/sign`)
      assert.strictEqual(done.body.data.request.status, "applied")
      const withdrawn = yield* ada.post(`${second}/cancel`)
      assert.strictEqual(withdrawn.body.data.status, "cancelled")
      const proposalId = yield* confirmed("5")
      const cancelled = yield* ada.post(`proposals/${proposalId}/cancel`)
      assert.strictEqual(cancelled.body.data.status, "cancelled")
    })
  )

  it.effect(
    "answers nobody who is not signed in, or is of another account, or on another page",
    () =>
      Effect.gen(function* () {
        const { ada, call, confirmed } = yield* atWork
        const { ada: stranger } = yield* atWork
        const nobody = yield* visitor()
        const other = yield* humanAccount
        const proposalId = yield* confirmed("5")
        const asked = yield* call.invite_cosigner({ cosignerUserId: other.accountId })
        const things = [`proposals/${proposalId}`, `governance/${asked.governanceRequestId}`]
        const verbs = ["options", "approve", "sign", "cancel"]
        for (const thing of things) {
          for (const verb of verbs) {
            const path = `${thing}/${verb}`
            const isThere = (yield* ada.post(path, {}, { "sec-fetch-site": "cross-site" })).status
            if (isThere === 404) continue
            assert.strictEqual(isThere, 403)
            const body = {
              passkeyChallengeId: "x",
              answer: nobody.authenticator.sign({ challenge: "AA" })
            }
            const sent = verb === "options" || verb === "cancel" ? {} : body
            const unknown = yield* nobody.post(path, sent)
            assert.strictEqual(unknown.body.error.code, "SIGN_IN_REQUIRED")
            const foreign = yield* stranger.post(path, sent)
            const missing = yield* stranger.post(path.replace(/[0-9a-f]{8}/u, "00000000"), sent)
            const expected = sent === body ? "PASSKEY_CHALLENGE_EXPIRED" : "NOT_FOUND"
            for (const said of [foreign, missing]) {
              assert.strictEqual(said.body.error.code, expected, path)
            }
            assert.deepStrictEqual(
              { ...foreign.body.error, requestId: "" },
              { ...missing.body.error, requestId: "" }
            )
          }
        }
        assert.strictEqual((yield* call.get_proposal({ proposalId })).status, "requires_action")
      })
  )
})
