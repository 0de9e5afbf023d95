/** What people do in the console by the catalogue: in their own name, from our own pages, and nothing it has no button for. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { operations } from "../../../core/operations.ts"
import { Audit } from "../../../core/ports/audit.ts"
import { Humans } from "../../../core/ports/humans.ts"
import { enrolled, visitor } from "../../support/at-the-console.ts"
import { AccountId } from "../../support/small-treasury.ts"
import * as Surfaces from "../../support/surfaces.ts"

const offered = [
  "confirm_proposal",
  "cancel_proposal",
  "cancel_governance_request",
  "approve_cosigner_action",
  "reject_cosigner_action",
  "create_api_key",
  "revoke_api_key"
]

layer(Surfaces.layer())("the console's buttons", (it) => {
  it.effect("make and revoke keys in the name of who is signed in", () =>
    Effect.gen(function* () {
      const ada = yield* enrolled()
      const input = { scopes: ["account:read"], dailyCapUsd: "5", ipRanges: ["10.0.0.0/8"] }
      const made = yield* ada.post("do/create_api_key", { input })
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
    "are there for a few operations, refuse as those do, and only to who is signed in",
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
        const elsewhere = { "sec-fetch-site": "cross-site" }
        for (const path of ["do/revoke_api_key", "pause"]) {
          const forged = yield* ada.post(path, { input: { keyId: "x" } }, elsewhere)
          assert.strictEqual(forged.status, 403)
        }
      })
  )
})
