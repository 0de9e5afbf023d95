/** What people do in the console by the catalogue: in their own name, from our own pages, and nothing it has no button for. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { authenticate } from "../../../core/accounts/authenticate.ts"
import { Audit } from "../../../core/audit/audit-store.ts"
import { Humans } from "../../../core/humans/human-store.ts"
import { operations } from "../../../core/treasury/operations.ts"
import * as Accounts from "../../support/accounts.ts"
import { enrolled, signedCall, visitor } from "../../support/console-people.ts"
import { AccountId } from "../../support/small-treasury.ts"
import * as Stored from "../../support/stored-rows.ts"
import * as Surfaces from "../../support/surfaces.ts"

const offered = [
  "set_wallet_metadata",
  "propose_transfer",
  "propose_refund",
  "propose_token_approve",
  "propose_swap",
  "propose_solana_swap",
  "propose_bridge",
  "propose_create_account",
  "propose_rename_account",
  "confirm_proposal",
  "cancel_proposal",
  "add_recipient",
  "approve_recipient",
  "revoke_recipient",
  "invite_cosigner",
  "decline_cosigner_invite",
  "revoke_cosigner_invite",
  "remove_cosigner",
  "update_cosigner_rules",
  "cancel_governance_request",
  "reject_cosigner_action",
  "revoke_api_key",
  "create_provisioning_job",
  "create_payment_request",
  "create_checkout_session",
  "cancel_payment_request",
  "extend_payment_request",
  "resolve_deposit",
  "send_merchant_webhook_test",
  "enable_merchant_webhook",
  "disable_merchant_webhook",
  "delete_merchant_webhook",
  "recover_merchant_webhook",
  "replay_webhook_delivery"
]

const signed = [
  "create_api_key",
  "approve_cosigner_action",
  "accept_cosigner_invite",
  "create_merchant_webhook",
  "update_merchant_webhook",
  "rotate_merchant_webhook_secret",
  "invite_person",
  "change_role",
  "remove_person",
  "update_account_settings"
]

const aPasskey = { passkeyChallengeId: "x", answer: {} }

layer(Surfaces.layer())("the console's buttons", (it) => {
  it.effect("tell a person in words that a customer is not known, and nothing of operations", () =>
    Effect.gen(function* () {
      const ada = yield* enrolled()
      const input = { customer: { externalId: "nobody", namespace: "default" }, amountUsd: 5 }
      const { body, status } = yield* ada.post("do/create_checkout_session", { input })
      assert.deepStrictEqual(
        [status, body.error.code, body.error.param],
        [404, "NOT_FOUND", "customer.externalId"]
      )
      assert.include(body.error.message, "Add the customer first, by the link above the form")
      assert.notMatch(JSON.stringify(body.error), /provisioning/u)
    })
  )
  it.effect("make and revoke keys in the name of who is signed in", () =>
    Effect.gen(function* () {
      const ada = yield* enrolled()
      const input = { scopes: ["account:read"], dailyCapUsd: "5", ipRanges: ["10.0.0.0/8"] }
      const made = yield* signedCall(ada, "create_api_key", input)
      assert.strictEqual(made.status, 200)
      const { apiKey, id, kind, madeBy } = made.body.data
      assert.match(apiKey, /^svc_hu_/u)
      assert.deepStrictEqual([kind, madeBy], ["developer", null])
      const revoked = yield* ada.post("do/revoke_api_key", { input: { keyId: id } })
      assert.isString(revoked.body.data.revokedAt)
      const { rows } = yield* (yield* Audit).list(yield* AccountId, { limit: 10 })
      const { humanId } =
        (yield* (yield* Humans).byCredential(ada.authenticator.credentialId)) ?? {}
      for (const action of ["api_key.created", "api_key.revoked"]) {
        const entry = rows.find((each) => each.action === action && each.subjectId === id)
        assert.strictEqual(entry?.actor, `human:${humanId}`)
      }
    })
  )

  it.effect("revoke a key with all beneath it or leave those in force, and ask which", () =>
    Effect.gen(function* () {
      const ada = yield* enrolled()
      const accountId = yield* AccountId
      const kind = "developer"
      for (const choice of ["includeDescendants", "keepDescendants"]) {
        const { key } = yield* Accounts.issued({ accountId, kind })
        const madeBy = key.id
        const { apiKey, key: child } = yield* Accounts.issued({ accountId, kind }, { madeBy })
        const asked = yield* ada.post("do/revoke_api_key", { input: { keyId: key.id } })
        assert.strictEqual(asked.body.error.code, "KEY_HAS_DESCENDANTS")
        assert.strictEqual(asked.body.error.details.descendants, 1)
        const input = { keyId: key.id, [choice]: true }
        const revoked = yield* ada.post("do/revoke_api_key", { input })
        assert.isString(revoked.body.data.revokedAt)
        const isKept = choice === "keepDescendants"
        assert.strictEqual(revoked.body.data.keptDescendants, isKept ? 1 : 0)
        assert.strictEqual(revoked.body.data.revokedDescendants, isKept ? 0 : 1)
        const caller = yield* Effect.result(authenticate(apiKey))
        assert.strictEqual(caller._tag === "Success", isKept, child.id)
      }
    })
  )

  it.effect("give out keys and votes by a passkey over that very call, which a session lacks", () =>
    Effect.gen(function* () {
      const ada = yield* enrolled()
      const input = { scopes: ["account:read"] }
      const wider = yield* signedCall(ada, "create_api_key", input, { scopes: ["keys:manage"] })
      assert.strictEqual(wider.body.error.code, "PASSKEY_REJECTED")
      const { passkeyChallengeId, options } = (yield* ada.post("sign/create_api_key/options", {
        input
      })).body.data
      const answer = { input, passkeyChallengeId, answer: ada.authenticator.sign(options) }
      const elsewhere = yield* ada.post("sign/approve_cosigner_action/verify", answer)
      assert.strictEqual(elsewhere.body.error.code, "PASSKEY_CHALLENGE_EXPIRED")
      const again = yield* ada.post("sign/create_api_key/verify", answer)
      assert.strictEqual(again.body.error.code, "PASSKEY_CHALLENGE_EXPIRED")
      const voted = yield* signedCall(ada, "approve_cosigner_action", { pendingApprovalId: "x" })
      assert.strictEqual(voted.body.error.code, "NOT_FOUND")
      const { rows } = yield* (yield* Audit).list(yield* AccountId, { limit: 5 })
      assert.notInclude(
        rows.map(({ action }) => action),
        "api_key.created"
      )
    })
  )

  it.effect("vote for no recipient of another account by the button for their own", () =>
    Effect.gen(function* () {
      const ada = yield* enrolled()
      const owner = yield* Accounts.opened({ kind: "developer" })
      yield* Stored.member(owner.accountId, { cosignerAccountId: yield* AccountId })
      const { proposalId = "" } = yield* owner.call.add_recipient({
        address: "0x8ba1f109551bD432803012645Ac136ddd64DBA72",
        chainId: "local",
        nickname: "New supplier"
      })
      yield* owner.call.confirm_proposal({ proposalId })
      const [recipient] = (yield* owner.call.list_recipients({})).recipients
      const recipientId = recipient?.id ?? ""
      const released = yield* ada.post("do/approve_recipient", { input: { recipientId } })
      assert.strictEqual(released.body.error?.code, "NOT_FOUND")
      const stands = (yield* owner.call.list_recipients({})).recipients[0]
      assert.deepInclude(stands, { status: "pending", cooldownActive: true })
      const input = { pendingApprovalId: recipientId }
      const voted = yield* signedCall(ada, "approve_cosigner_action", input)
      assert.strictEqual(voted.status, 200)
    })
  )

  it.effect("stop the account, in their name, and do not start it again", () =>
    Effect.gen(function* () {
      const ada = yield* enrolled()
      assert.strictEqual((yield* ada.post("pause")).status, 200)
      assert.strictEqual((yield* ada.post("resume")).status, 404)
      const { rows } = yield* (yield* Audit).list(yield* AccountId, { limit: 5 })
      const paused = rows.filter(({ action }) => action === "account.paused")
      assert.lengthOf(paused, 1)
      assert.match(paused[0]?.actor ?? "", /^human:/u)
    })
  )

  it.effect(
    "are there for the operations that are named here, refuse as those do, and only to who is signed in",
    () =>
      Effect.gen(function* () {
        const ada = yield* enrolled()
        const stranger = yield* visitor()
        for (const { name } of operations) {
          const said = yield* ada.post(`do/${name}`, { input: { strayProperty: 1 } })
          const code = said.body.error.code
          assert.strictEqual(code, offered.includes(name) ? "UNKNOWN_FIELD" : "NOT_FOUND", name)
          const unknown = yield* stranger.post(`do/${name}`, { input: {} })
          assert.strictEqual(unknown.body.error.code, "SIGN_IN_REQUIRED")
        }
        for (const name of signed) {
          for (const path of [`sign/${name}/options`, `sign/${name}/verify`]) {
            const body = path.endsWith("options") ? { input: {} } : { input: {}, ...aPasskey }
            const unknown = yield* stranger.post(path, body)
            assert.strictEqual(unknown.body.error.code, "SIGN_IN_REQUIRED")
          }
        }
        const unoffered = yield* ada.post("sign/revoke_api_key/options", { input: {} })
        assert.strictEqual(unoffered.body.error.code, "NOT_FOUND")
        const elsewhere = { "sec-fetch-site": "cross-site" }
        for (const path of ["do/revoke_api_key", "pause"]) {
          const forged = yield* ada.post(path, { input: { keyId: "x" } }, elsewhere)
          assert.strictEqual(forged.status, 403)
        }
      })
  )
})
