/** Answers that never change are one set of bytes, compressed for those who read that, and known again. */
import { gunzipSync } from "node:zlib"
import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import * as SharedAnswer from "../../../../adapters/http/guards/shared-answer.ts"
import { everyScope, issued } from "../../../support/small-treasury.ts"
import * as Surfaces from "../../../support/surfaces.ts"
import { fetched, Origin } from "../../../support/surfaces.ts"

const asking = (headers: Record<string, string>) =>
  HttpServerRequest.fromWeb(new Request("http://site/", { headers }))

const answer = SharedAnswer.make("text ".repeat(1000), { contentType: "text/plain" })

const bodyOf = (headers: Record<string, string>) => {
  const { body } = answer(asking(headers))
  return body._tag === "Uint8Array" ? body.body : undefined
}

it("two requests are answered with the same bytes, not with equal ones", () => {
  assert.strictEqual(bodyOf({}), bodyOf({}))
  const zipped = { "accept-encoding": "gzip" }
  assert.strictEqual(bodyOf(zipped), bodyOf(zipped))
  assert.isBelow(bodyOf(zipped)?.byteLength ?? 0, 200)
})

it("what is written later is written when it is first asked for, and once", () => {
  const written: Array<string> = []
  const write = () => {
    written.push("text")
    return "text"
  }
  const later = SharedAnswer.later(write, { contentType: "text/plain" })
  assert.deepStrictEqual(written, [])
  assert.strictEqual(later(asking({})), later(asking({})))
  assert.deepStrictEqual(written, ["text"])
})

it.each([
  ["gzip", true],
  ["br, GZIP;q=0.5", true],
  ["*", true],
  ["gzip;q=0", false],
  ["gzip;q=0, *", false],
  ["identity", false],
  ["x-gzipped", false],
  ["", false]
])("who accepts %j is sent gzip: %s", (accepted, isZipped) => {
  const { headers } = answer(asking({ "accept-encoding": accepted }))
  assert.strictEqual(headers["content-encoding"] === "gzip", isZipped)
  assert.strictEqual(headers.vary, "accept-encoding")
})

it("who has it already is told so, in whichever form it has it", () => {
  const { etag = "" } = answer(asking({ "accept-encoding": "gzip" })).headers
  const plain = answer(asking({})).headers.etag ?? ""
  assert.notStrictEqual(etag, plain)
  for (const tags of [etag, plain, `W/${plain}`, `"other", ${etag}`, "*"]) {
    const again = answer(asking({ "if-none-match": tags }))
    assert.strictEqual(again.status, 304)
    assert.strictEqual(again.body._tag, "Empty")
    assert.isString(again.headers.etag)
  }
  assert.strictEqual(answer(asking({ "if-none-match": '"other"' })).status, 200)
})

/** Bytes as they came over the line, which fetch would unpack. */
const unpacked = (origin: string, path: string, init: RequestInit) =>
  fetch(origin + path, init).then(async (response) => ({
    status: response.status,
    headers: response.headers,
    text: await response.text()
  }))

layer(Surfaces.layer())("the service", (it) => {
  for (const path of ["/openapi.json", "/docs", "/docs/errors"]) {
    it.effect(`answers ${path} small, and with 304 the second time`, () =>
      Effect.gen(function* () {
        const plain = yield* fetched(path, { headers: { "accept-encoding": "identity" } })
        const zipped = yield* fetched(path, { headers: { "accept-encoding": "gzip" } })
        assert.strictEqual(zipped.text, plain.text)
        const size = Number(zipped.headers.get("content-length"))
        assert.isBelow(size, Number(plain.headers.get("content-length")) / 3)
        const etag = zipped.headers.get("etag") ?? ""
        const again = yield* fetched(path, { headers: { "if-none-match": etag } })
        assert.deepStrictEqual([again.status, again.text], [304, ""])
      })
    )
  }

  const lists = [
    { jsonrpc: "2.0", id: "é\n1", method: "tools/list" },
    [
      { jsonrpc: "2.0", id: 1, method: "ping" },
      { jsonrpc: "2.0", id: 2, method: "tools/list" },
      { jsonrpc: "2.0", id: 3, method: "ping" }
    ]
  ]
  for (const message of lists) {
    const name = Array.isArray(message) ? "in a batch" : "alone"
    it.effect(`answers tools/list ${name} around shared bytes, zipped as one piece`, () =>
      Effect.gen(function* () {
        const key = yield* issued(everyScope)
        const origin = yield* Origin
        const init = (encoding: string) => ({
          method: "POST",
          headers: {
            authorization: `Bearer ${key}`,
            "content-type": "application/json",
            "accept-encoding": encoding
          },
          body: JSON.stringify(message)
        })
        const ask = (encoding: string) =>
          Effect.promise(() => unpacked(origin, "/api/mcp", init(encoding)))
        const [plain, zipped] = [yield* ask("identity"), yield* ask("gzip")]
        assert.strictEqual(zipped.headers.get("content-encoding"), "gzip")
        assert.isNull(plain.headers.get("content-encoding"))
        assert.strictEqual(zipped.text, plain.text)
        assert.isBelow(Number(zipped.headers.get("content-length")), plain.text.length / 4)
        const body = JSON.parse(plain.text)
        const [list] = [body].flat().filter(({ result }) => result.tools !== undefined)
        const [asked] = [message].flat().filter(({ method }) => method === "tools/list")
        assert.strictEqual(list.id, asked?.id)
        assert.isAbove(list.result.tools.length, 50)
      })
    )
  }
})

it("ends of any size stand around a part, under one checksum", () => {
  for (const size of [0, 1, 70_000, 1_100_000]) {
    const ends = [`a${"ä".repeat(size)}`, "z".repeat(size)] as const
    const part = SharedAnswer.part("middle ".repeat(5000))
    const response = SharedAnswer.around(
      asking({ "accept-encoding": "gzip" }),
      [ends[0], part, ends[1]],
      { contentType: "text/plain" }
    )
    const { body } = response
    if (typeof body === "string") assert.fail("the part is not shared")
    const bytes = Buffer.concat(body)
    assert.strictEqual(gunzipSync(bytes).toString(), ends[0] + "middle ".repeat(5000) + ends[1])
  }
})
