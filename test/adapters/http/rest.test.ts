/** REST over real sockets: envelopes, addresses, queries, doubled fields, replays and status codes. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { brokenTag, everyScope, issued } from "../../support/small-treasury.ts"
import * as Surfaces from "../../support/surfaces.ts"
import { fetched, posted, withKey } from "../../support/surfaces.ts"

const wallets = "/api/v1/wallets"
const anId = "0198c7a0-5b7e-7c3a-9d52-6f0f5a1c2b3d"

layer(Surfaces.layer({ wallets: 30 }))("REST", (it) => {
  it.effect("wraps a success in the envelope and says what is left of the rate limit", () =>
    Effect.gen(function* () {
      const reply = yield* withKey(`${wallets}?limit=2`)
      assert.strictEqual(reply.status, 200)
      assert.strictEqual(reply.body.ok, true)
      assert.lengthOf(reply.body.data.wallets, 2)
      assert.strictEqual(reply.headers.get("content-type"), "application/json")
      assert.match(reply.headers.get("ratelimit") ?? "", /^"reads";r=\d+;t=60$/u)
      assert.match(reply.headers.get("ratelimit-policy") ?? "", /^"reads";q=\d+;w=60$/u)
      assert.strictEqual(reply.headers.get("cache-control"), "no-store")
      assert.strictEqual(reply.headers.get("x-content-type-options"), "nosniff")
      assert.match(reply.headers.get("x-request-id") ?? "", /^req_[0-9A-Za-z]{20}$/u)
      assert.isNull(reply.headers.get("access-control-allow-origin"))
    })
  )

  it.effect("keeps a caller's request id when it is short and printable, and no other", () =>
    Effect.gen(function* () {
      const asked = (id: string) =>
        Effect.map(fetched("/api/v1/nowhere", { headers: { "x-request-id": id } }), (reply) => [
          reply.headers.get("x-request-id"),
          reply.body.error.requestId
        ])
      assert.deepStrictEqual(yield* asked("order-42"), ["order-42", "order-42"])
      for (const id of ["has space", "é", "x".repeat(129)]) {
        const [header, body] = yield* asked(id)
        assert.notStrictEqual(header, id)
        assert.strictEqual(header, body)
      }
    })
  )

  it.effect("answers HEAD like GET, without the body", () =>
    Effect.gen(function* () {
      const reply = yield* withKey(wallets, { method: "HEAD" })
      assert.strictEqual(reply.status, 200)
      assert.strictEqual(reply.text, "")
      assert.isAbove(Number(reply.headers.get("content-length")), 100)
    })
  )

  it.effect(
    "says 404 in the one body for an address it does not serve, before asking for a key",
    () =>
      Effect.gen(function* () {
        for (const path of [
          "/api/v1/nowhere",
          "/api/v1/guide/",
          "/api/v1//wallets",
          "/api/v1/Wallets",
          `/api/v1/payment-requests/${"x".repeat(200)}`
        ]) {
          const reply = yield* fetched(path)
          assert.strictEqual(reply.status, 404, path)
          assert.strictEqual(reply.body.error.code, "NOT_FOUND")
          assert.strictEqual(reply.body.error.outcome, "not_executed")
        }
      })
  )

  it.effect("says 404 where only a word stands in the place of an id", () =>
    Effect.gen(function* () {
      for (const [method, path] of [
        ["POST", "/api/v1/proposals/loans"],
        ["PUT", "/api/v1/proposals/rename-account-now"],
        ["DELETE", "/api/v1/payment-requests/all"],
        ["PUT", "/api/merchant-webhooks/abc"]
      ] as const) {
        const reply = yield* fetched(path, { method })
        assert.strictEqual(reply.status, 404, `${method} ${path}`)
        assert.strictEqual(reply.body.error.code, "NOT_FOUND")
        assert.isNull(reply.headers.get("allow"))
      }
    })
  )

  it.effect("says 405 with Allow for a method a path does not have", () =>
    Effect.gen(function* () {
      const refused = [
        ["POST", wallets, "GET, HEAD"],
        ["DELETE", "/api/v1/payment-requests", "POST, GET, HEAD"],
        ["PUT", `/api/merchant-webhooks/${anId}`, "GET, HEAD, PATCH, DELETE, POST"],
        ["POST", `/api/v1/proposals/${anId}`, "GET, HEAD"],
        ["DELETE", "/api/v1/payment-requests/pr_4fzQx0aB7cDeFgHiJkLmNo", "GET, HEAD"],
        ["POST", "/api/merchant-webhooks/deliveries", "GET, HEAD"],
        ["GET", "/api/mcp", "POST"],
        ["OPTIONS", wallets, "GET, HEAD"],
        ["PROPFIND", wallets, "GET, HEAD, POST, PUT, PATCH, DELETE"]
      ] as const
      for (const [method, path, allow] of refused) {
        const reply = yield* fetched(path, { method })
        assert.strictEqual(reply.status, 405, `${method} ${path}`)
        assert.strictEqual(reply.headers.get("allow"), allow)
        assert.strictEqual(reply.body.error.code, "METHOD_NOT_ALLOWED")
      }
    })
  )

  it.effect("turns query values into what their fields ask for, and refuses the rest by name", () =>
    Effect.gen(function* () {
      const refused = [
        ["?limit=0", "INVALID_REQUEST", "limit"],
        ["?limit=101", "INVALID_REQUEST", "limit"],
        ["?limit=1e1", "INVALID_REQUEST", "limit"],
        ["?limit=", "INVALID_REQUEST", "limit"],
        ["?limit=2.5", "INVALID_REQUEST", "limit"],
        ["?limit=1&limit=2", "INVALID_REQUEST", "limit"],
        ["?metadataKey=%zz", "INVALID_REQUEST", "metadataKey"],
        ["?metadataKey=%ff", "INVALID_REQUEST", "metadataKey"],
        ["?colour=red", "UNKNOWN_FIELD", "colour"],
        ["?action=test", "UNKNOWN_FIELD", "action"],
        ["?__proto__=1", "UNKNOWN_FIELD", "__proto__"],
        [";colour=red", "UNKNOWN_FIELD", "colour"]
      ] as const
      for (const [query, code, param] of refused) {
        const reply = yield* withKey(wallets + query)
        assert.strictEqual(reply.status, 400, query)
        assert.deepInclude(reply.body.error, { code, param }, query)
      }
      const spaced = yield* withKey(`${wallets}?metadataKey=a+b%20c&`)
      assert.strictEqual(spaced.status, 200)
    })
  )

  it.effect("takes a path field said again in query or body when it agrees", () =>
    Effect.gen(function* () {
      const pid = "pr_4fzQx0aB7cDeFgHiJkLmNo"
      const at = `/api/v1/payment-requests/${pid}`
      const agreeing = [
        yield* withKey(`${at}?idOrPid=${pid}`),
        yield* posted(`${at}/cancel`, { idOrPid: pid }),
        yield* posted(`${at}/cancel?idOrPid=${pid}`, {}),
        yield* withKey(`${at}/cancel`, { method: "POST" })
      ]
      for (const reply of agreeing) assert.strictEqual(reply.status, 404)
      const differing = [
        yield* withKey(`${at}?idOrPid=pr_other`),
        yield* posted(`${at}/cancel`, { idOrPid: "pr_other" }),
        yield* posted(`${at}/cancel?idOrPid=pr_other`, {})
      ]
      for (const reply of differing) {
        assert.strictEqual(reply.status, 400)
        assert.deepInclude(reply.body.error, { code: "INVALID_REQUEST", param: "idOrPid" })
      }
      const stray = yield* posted(`${at}/extend?expiryDays=3`, {})
      assert.deepInclude(stray.body.error, { code: "UNKNOWN_FIELD", param: "expiryDays" })
    })
  )

  it.effect("tells operations of one path apart by their action, and lists those it has", () =>
    Effect.gen(function* () {
      const tested = yield* posted("/api/merchant-webhooks/we_1?action=test", {})
      assert.strictEqual(tested.body.error.code, "NOT_FOUND")
      for (const query of ["", "?action=explode"]) {
        const reply = yield* posted(`/api/merchant-webhooks/we_1${query}`, {})
        assert.strictEqual(reply.status, 400)
        assert.strictEqual(reply.body.error.param, "action")
        assert.include(reply.body.error.details.allowed, "test")
      }
    })
  )

  it.effect("reads a body as JSON only, of at most 64 KiB, and nothing as an empty one", () =>
    Effect.gen(function* () {
      const at = "/api/v1/payment-requests"
      const typed = (type: string, body = "{}") => posted(at, body, { "content-type": type })
      for (const type of ["text/plain", "application/jsonp", "application/json; charset=latin1"]) {
        const reply = yield* typed(type)
        assert.strictEqual(reply.status, 415, type)
        assert.strictEqual(reply.body.error.code, "UNSUPPORTED_MEDIA_TYPE")
      }
      for (const type of ["application/json; charset=utf-8", "application/vnd.api+json"]) {
        assert.strictEqual((yield* typed(type)).status, 400, type)
      }
      const gzipped = yield* posted(at, "{}", { "content-encoding": "gzip" })
      assert.strictEqual(gzipped.status, 415)
      const large = yield* posted(at, { description: "x".repeat(65 * 1024) })
      assert.strictEqual(large.status, 413)
      assert.strictEqual(large.body.error.code, "PAYLOAD_TOO_LARGE")
      const empty = yield* withKey(at, { method: "POST" })
      assert.strictEqual(empty.body.error.param, "walletMappingId")
      const array = yield* posted(at, [])
      assert.strictEqual(array.body.error.code, "INVALID_REQUEST")
      const onDelete = yield* withKey("/api/merchant-webhooks/we_1", {
        method: "DELETE",
        body: "{}",
        headers: { "content-type": "application/json" }
      })
      assert.strictEqual(onDelete.status, 400)
    })
  )

  it.effect("cuts off a body that says no length and never ends below the limit", () =>
    Effect.gen(function* () {
      const chunk = new TextEncoder().encode("x".repeat(1024))
      const body = new ReadableStream({ pull: (controller) => controller.enqueue(chunk) })
      // Node asks for `duplex`, which a browser's type of a request does not know.
      const endless = {
        method: "POST",
        headers: { "content-type": "application/json" },
        body,
        duplex: "half"
      } as const
      const reply = yield* withKey("/api/v1/payment-requests", endless)
      assert.strictEqual(reply.status, 413)
    })
  )

  it.effect("repeats the answer to an idempotency key and says so", () =>
    Effect.gen(function* () {
      const key = yield* issued(everyScope)
      const send = (label: string) =>
        posted(
          "/api/v1/keys",
          { scopes: ["account:read"], label },
          { authorization: `Bearer ${key}`, "idempotency-key": "till-7" }
        )
      const first = yield* send("till")
      const again = yield* send("till")
      assert.strictEqual(first.status, 200)
      assert.isNull(first.headers.get("idempotent-replayed"))
      assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
      assert.deepStrictEqual(again.body, first.body)
      const other = yield* send("another till")
      assert.strictEqual(other.status, 422)
      assert.strictEqual(other.body.error.code, "IDEMPOTENCY_KEY_REUSED")
      const onRead = yield* withKey(wallets, { headers: { "idempotency-key": "till-7" } })
      assert.strictEqual(onRead.body.error.param, "idempotencyKey")
    })
  )

  it.effect("says a fault of ours without showing it", () =>
    Effect.gen(function* () {
      const reply = yield* withKey(`${wallets}?metadataKey=${brokenTag}`)
      assert.strictEqual(reply.status, 500)
      assert.deepInclude(reply.body.error, {
        code: "INTERNAL",
        type: "internal",
        outcome: "not_executed",
        retryable: true
      })
      assert.notMatch(reply.text, /sql|select|\/var|at .*\.ts/u)
    })
  )

  it.effect("tells the same facts as RFC 9457 to who asks for it", () =>
    Effect.gen(function* () {
      const accept = { accept: "application/problem+json, application/json;q=0.5" }
      const reply = yield* withKey(`${wallets}?limit=0`, { headers: accept })
      assert.strictEqual(reply.status, 400)
      assert.strictEqual(reply.headers.get("content-type"), "application/problem+json")
      assert.deepInclude(reply.body, {
        type: "http://treasury.test/docs/errors#INVALID_REQUEST",
        status: 400,
        code: "INVALID_REQUEST",
        param: "limit",
        outcome: "not_executed",
        retryable: false,
        requestId: reply.headers.get("x-request-id")
      })
      assert.isString(reply.body.title)
      assert.include(reply.body.detail, "limit")
    })
  )

  it.effect("says every fact of a refusal in the error body", () =>
    Effect.gen(function* () {
      const { body, headers } = yield* withKey(`${wallets}?limit=0`)
      assert.strictEqual(body.ok, false)
      assert.hasAllKeys(body.error, [
        "code",
        "type",
        "message",
        "param",
        "details",
        "outcome",
        "retryable",
        "docUrl",
        "requestId"
      ])
      assert.strictEqual(body.error.docUrl, "http://treasury.test/docs/errors#INVALID_REQUEST")
      assert.strictEqual(body.error.requestId, headers.get("x-request-id"))
    })
  )
})
