/** The pages and the document that describe the service, as they are served. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { refusalsOf } from "../../../adapters/http/manual/openapi.ts"
import { bound } from "../../../adapters/http/route.ts"
import { operations } from "../../../core/treasury/operations.ts"
import * as Surfaces from "../../support/surfaces.ts"
import { fetched } from "../../support/surfaces.ts"

layer(Surfaces.layer())("the manual", (it) => {
  it.effect("has a place for every operation, without a key and without a script", () =>
    Effect.gen(function* () {
      const page = yield* fetched("/docs")
      assert.strictEqual(page.status, 200)
      assert.include(page.headers.get("content-type") ?? "", "text/html")
      assert.include(page.headers.get("content-security-policy") ?? "", "default-src 'none'")
      assert.notInclude(page.text, "<script")
      for (const { name } of operations) assert.include(page.text, `<section id="${name}">`)
    })
  )

  it.effect("is where the bare site leads", () =>
    Effect.gen(function* () {
      const origin = yield* Surfaces.Origin
      const reply = yield* Effect.promise(() => fetch(`${origin}/`, { redirect: "manual" }))
      assert.deepStrictEqual([reply.status, reply.headers.get("location")], [302, "/docs"])
    })
  )

  it.effect("has a place for every error code that a refusal links to", () =>
    Effect.gen(function* () {
      const page = yield* fetched("/docs/errors")
      for (const code of new Set(bound.flatMap(refusalsOf).map((refusal) => refusal.code))) {
        assert.include(page.text, `<section id="${code}">`)
      }
      for (const code of ["INVALID_JSON", "METHOD_NOT_ALLOWED", "PAYLOAD_TOO_LARGE"]) {
        assert.include(page.text, `<section id="${code}">`)
      }
    })
  )

  it.effect("lets its own style in by its hash, and nothing else", () =>
    Effect.gen(function* () {
      const { headers, text } = yield* fetched("/docs")
      const style = /<style>([\s\S]*?)<\/style>/u.exec(text)?.[1] ?? ""
      const digest = yield* Effect.promise(() =>
        crypto.subtle.digest("SHA-256", new TextEncoder().encode(style))
      )
      const hash = Buffer.from(digest).toString("base64")
      assert.include(headers.get("content-security-policy") ?? "", `'sha256-${hash}'`)
    })
  )

  it.effect("serves the OpenAPI document to any page, without a key", () =>
    Effect.gen(function* () {
      const reply = yield* fetched("/openapi.json")
      assert.strictEqual(reply.status, 200)
      assert.strictEqual(reply.headers.get("access-control-allow-origin"), "*")
      assert.strictEqual(reply.body.openapi, "3.1.0")
      assert.strictEqual(reply.body.info.version, "1.0.0")
    })
  )
})
