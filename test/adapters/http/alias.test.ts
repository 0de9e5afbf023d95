/** The second address of confirm_proposal, which the message of a proposal names: the same operation, all in the body. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { aliased } from "../../../adapters/http/route.ts"
import { type Owner, owner } from "../../support/full-account.ts"
import { anId } from "../../support/rows.ts"
import { overRest } from "../../support/surface-calls.ts"
import * as Surfaces from "../../support/surfaces.ts"
import { fetched } from "../../support/surfaces.ts"

const address = "/api/mcp/confirm"

const confirm = (body: unknown, key: string, headers: Record<string, string> = {}) =>
  fetched(address, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
    body: JSON.stringify(body)
  })

const statusOf = (own: Owner, proposalId: string) =>
  Effect.map(overRest("get_proposal", { proposalId }, own.apiKey), (said) => {
    assert.isTrue(said.ok, JSON.stringify(said))
    return said.ok ? (said.data as { readonly status: string }).status : undefined
  })

layer(Surfaces.layer())("the second address of a confirmation", (it) => {
  it.effect("is named by a proposal that waits for one", () =>
    Effect.gen(function* () {
      const own = yield* owner("user_42")
      const said = yield* overRest("get_proposal", { proposalId: own.proposalId }, own.apiKey)
      assert.include(JSON.stringify(said), `POST ${address}`)
    })
  )

  it.effect("confirms, and either address then answers with how it stands", () =>
    Effect.gen(function* () {
      const own = yield* owner("user_42")
      const { intentHash: expectedIntentHash, proposalId } = own
      const reply = yield* confirm({ proposalId, expectedIntentHash, waitMs: 0 }, own.apiKey)
      assert.strictEqual(reply.status, 200)
      assert.deepInclude(reply.body.data, { proposalId, status: "completed" })
      assert.match(reply.headers.get("ratelimit") ?? "", /^"confirms";/u)
      const again = yield* overRest("confirm_proposal", { proposalId }, own.apiKey)
      assert.deepStrictEqual(again, { ok: true, status: 200, data: reply.body.data })
    })
  )

  it.effect("is one place with the other to an idempotency key", () =>
    Effect.gen(function* () {
      const own = yield* owner("user_42")
      const input = { proposalId: own.proposalId }
      const first = yield* overRest("confirm_proposal", input, own.apiKey, "once")
      const reply = yield* confirm(input, own.apiKey, { "idempotency-key": "once" })
      assert.strictEqual(reply.headers.get("idempotent-replayed"), "true")
      assert.deepStrictEqual({ ok: true, status: 200, data: reply.body.data }, first)
    })
  )

  it.effect("is closed to who has no key, and to another account as if nothing were there", () =>
    Effect.gen(function* () {
      const own = yield* owner("user_42")
      const other = yield* owner("other")
      const { proposalId } = own
      const stranger = yield* confirm({ proposalId }, "nonsense")
      assert.strictEqual(stranger.status, 401)
      assert.strictEqual(stranger.body.error.code, "UNAUTHENTICATED")
      const facts = (id: string) =>
        Effect.map(confirm({ proposalId: id }, other.apiKey), ({ body, status }) => {
          assert.strictEqual(status, 404)
          return { ...body.error, requestId: "" }
        })
      assert.deepStrictEqual(yield* facts(proposalId), yield* facts(anId()))
      assert.strictEqual(yield* statusOf(own, proposalId), "pending_confirm")
    })
  )

  it.effect("takes every field from the body, and names what is missing or unknown", () =>
    Effect.gen(function* () {
      const { apiKey, proposalId } = yield* owner("user_42")
      const missing = yield* confirm({}, apiKey)
      assert.strictEqual(missing.status, 400)
      assert.strictEqual(missing.body.error.param, "proposalId")
      const stray = yield* confirm({ proposalId, stray: true }, apiKey)
      assert.deepInclude(stray.body.error, { code: "UNKNOWN_FIELD", param: "stray" })
      const inQuery = yield* fetched(`${address}?proposalId=${proposalId}`, {
        method: "POST",
        headers: { authorization: `Bearer ${apiKey}` }
      })
      assert.deepInclude(inQuery.body.error, { code: "UNKNOWN_FIELD", param: "proposalId" })
      assert.strictEqual((yield* fetched(address)).status, 405)
    })
  )

  it.effect("stands in the OpenAPI document under an id of its own", () =>
    Effect.gen(function* () {
      const { body } = yield* fetched("/openapi.json")
      const entries = Object.values(body.paths as Record<string, Record<string, unknown>>).flatMap(
        (methods) => Object.values(methods) as ReadonlyArray<{ readonly operationId: string }>
      )
      const ids = entries.map(({ operationId }) => operationId)
      assert.lengthOf(new Set(ids), ids.length)
      for (const { operation, route } of aliased) {
        const entry = body.paths[route.path][route.method.toLowerCase()]
        assert.strictEqual(entry.operationId, `${operation.name}_alias`)
        const { schema } = entry.requestBody.content["application/json"]
        assert.include(schema.required, "proposalId")
      }
    })
  )
})
