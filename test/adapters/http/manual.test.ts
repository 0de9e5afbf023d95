/** The pages and the document that describe the service, as they are served. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { areaOf } from "../../../adapters/http/manual/areas.ts"
import { names } from "../../../adapters/http/manual/guides/names.ts"
import { refusalsOf } from "../../../adapters/http/manual/openapi.ts"
import { bound } from "../../../adapters/http/route.ts"
import * as Surfaces from "../../support/surfaces.ts"
import { fetched } from "../../support/surfaces.ts"

layer(Surfaces.layer())("the manual", (it) => {
  it.effect("has a place for every operation, without a key and without a script", () =>
    Effect.gen(function* () {
      const page = yield* fetched("/docs/reference")
      assert.strictEqual(page.status, 200)
      assert.include(page.headers.get("content-type") ?? "", "text/html")
      assert.include(page.headers.get("content-security-policy") ?? "", "default-src 'none'")
      assert.notInclude(page.text, "<script")
      for (const one of bound) {
        const { name } = one.operation
        assert.include(page.text, `<section id="${name}">`)
        const area = yield* fetched(`/docs/api/${areaOf(one)}`)
        assert.include(area.text, `<section id="${name}">`)
      }
    })
  )

  it.effect("begins with a page for whoever comes, and every link of it leads somewhere", () =>
    Effect.gen(function* () {
      const origin = yield* Surfaces.Origin
      const seen = new Map<string, string>()
      const waiting = ["/", "/docs"]
      for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
        if (seen.has(path)) continue
        const page = yield* Effect.promise(async () => {
          const response = await fetch(origin + path, { headers: { accept: "text/html" } })
          return { status: response.status, text: await response.text() }
        })
        // The console and the health of a service stand beside what is served here.
        if (/^\/(console|health)/u.test(path)) continue
        assert.strictEqual(page.status, 200, path)
        assert.notInclude(page.text, "<script")
        seen.set(path, page.text)
        if (path.startsWith("/openapi")) continue
        // What search engines and previews of a link show.
        assert.match(page.text, /<meta name="description" content="[^"]{20,600}">/u, path)
        for (const [, href = ""] of page.text.matchAll(/href="(\/[^"#]*)(?:#[^"]*)?"/gu)) {
          waiting.push(href)
        }
      }
      assert.includeMembers(
        [...seen.keys()],
        [...names].map((name) => `/docs/${name}`)
      )
      for (const [path, text] of seen) {
        for (const [, href = "", anchor = ""] of text.matchAll(/href="(\/[^"#]*)#([^"]*)"/gu)) {
          assert.include(seen.get(href) ?? "", `id="${anchor}"`, `${path} to ${href}#${anchor}`)
        }
      }
    })
  )

  it.effect("tells search engines what they may read, and keeps them from links to pay", () =>
    Effect.gen(function* () {
      const { headers, status, text } = yield* fetched("/robots.txt")
      assert.deepStrictEqual(
        [status, headers.get("content-type")],
        [200, "text/plain; charset=utf-8"]
      )
      assert.deepStrictEqual(text.trim().split("\n"), [
        "User-agent: *",
        "Disallow: /api/",
        "Disallow: /console",
        "Disallow: /pay/"
      ])
    })
  )

  it.effect("is searched by words, which are never markup", () =>
    Effect.gen(function* () {
      const { text } = yield* fetched("/docs/search?q=webhook+secret+rotate")
      assert.include(text, 'href="/docs/api/merchant-webhooks#rotate_merchant_webhook_secret"')
      const odd = yield* fetched(`/docs/search?q=${encodeURIComponent('"><script>x</script>')}`)
      assert.notInclude(odd.text, "<script")
      assert.include(odd.text, "&lt;script&gt;")
      assert.include((yield* fetched("/docs/search")).text, "Write what you look for")
    })
  )

  it.effect("answers a browser at a wrong address with a page, and a program with JSON", () =>
    Effect.gen(function* () {
      const origin = yield* Surfaces.Origin
      const asked = (path: string, accept: string) =>
        Effect.promise(async () => {
          const { headers, status } = await fetch(origin + path, { headers: { accept } })
          return [status, headers.get("content-type")]
        })
      const browser = "text/html,application/xhtml+xml,*/*;q=0.8"
      const html = [404, "text/html; charset=utf-8"]
      const json = [404, "application/json"]
      assert.deepStrictEqual(yield* asked("/nothing", browser), html)
      assert.deepStrictEqual(yield* asked("/docs/nothing", browser), html)
      assert.deepStrictEqual(yield* asked("/nothing", "*/*"), json)
      assert.deepStrictEqual(yield* asked("/api/v1/nothing", browser), json)
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
