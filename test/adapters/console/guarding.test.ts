/** What the console answers to whom: its own pages, strict JSON, nobody in a hurry; and no cookie opens the API. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { enrolled, visitor, whoIs } from "../../support/console-people.ts"
import * as Surfaces from "../../support/surfaces.ts"
import { fetched } from "../../support/surfaces.ts"

layer(Surfaces.layer())("the console", (it) => {
  it.effect("answers nothing to a page of another site", () =>
    Effect.gen(function* () {
      const ada = yield* enrolled()
      const paths = [
        "enrol/options",
        "enrol/verify",
        "login/options",
        "login/verify",
        "sign-out",
        "passkeys/options",
        "passkeys/verify",
        "passkeys/remove/options",
        "passkeys/remove/verify"
      ]
      const foreign: ReadonlyArray<Record<string, string>> = [
        { "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "same-site" },
        { "sec-fetch-site": "none" },
        { "sec-fetch-site": "" },
        { origin: "https://evil.example" },
        { origin: "null" }
      ]
      for (const path of paths) {
        for (const headers of foreign) {
          const said = yield* ada.post(path, {}, headers)
          assert.strictEqual(said.status, 403)
          assert.strictEqual(said.body.error.code, "CROSS_SITE_REQUEST")
        }
      }
      assert.strictEqual((yield* whoIs(ada)).status, 200)
    })
  )

  it.effect("refuses what is no strict JSON of the fields it knows", () =>
    Effect.gen(function* () {
      const ada = yield* visitor()
      const refused = [
        ["{", "INVALID_JSON"],
        ['{"a":1,"a":1}', "INVALID_JSON"],
        [{ stray: 1 }, "INVALID_REQUEST"],
        [{ passkeyChallengeId: 1, answer: {} }, "INVALID_REQUEST"],
        [{ passkeyChallengeId: "x" }, "INVALID_REQUEST"],
        [{ passkeyChallengeId: "x", answer: { id: "x" } }, "INVALID_REQUEST"],
        [{ passkeyChallengeId: "x".repeat(70_000), answer: {} }, "PAYLOAD_TOO_LARGE"]
      ] as const
      for (const [body, code] of refused) {
        assert.strictEqual((yield* ada.post("login/verify", body)).body.error.code, code)
      }
    })
  )

  it.effect("signs nobody in to the API: a session's cookie is not read there", () =>
    Effect.gen(function* () {
      const ada = yield* enrolled()
      const [token = ""] = [...ada.cookies.values()]
      for (const path of ["/api/v1/wallets", "/api/mcp", "/api/merchant-webhooks"]) {
        const post = path === "/api/mcp"
        const rpc = { jsonrpc: "2.0", id: 1, method: "tools/list" }
        const said = yield* Effect.forEach(
          [ada.cookie, { authorization: `Bearer ${token}` }],
          (headers) =>
            fetched(path, {
              headers: { "content-type": "application/json", ...headers } as Record<string, string>,
              ...(post ? { method: "POST", body: JSON.stringify(rpc) } : {})
            })
        )
        for (const { status } of said) assert.strictEqual(status, 401)
      }
    })
  )
})

layer(Surfaces.layer({ callsAllowed: 3 }))("a hurried visitor", (it) => {
  it.effect("is asked to wait", () =>
    Effect.gen(function* () {
      const ada = yield* visitor()
      for (let n = 0; n < 3; n++) {
        assert.strictEqual((yield* ada.post("login/options")).status, 200)
      }
      const said = yield* ada.post("login/options")
      Surfaces.assertSpent(said, "sign_ins")
    })
  )
})
