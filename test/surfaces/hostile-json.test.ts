/** Bodies that two readers of JSON could read differently are refused by every write, over both surfaces. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { bound, readsQuery } from "../../adapters/http/route.ts"
import { everyScope, issued } from "../support/small-treasury.ts"
import * as Surfaces from "../support/surfaces.ts"
import { addressOf, fetched } from "../support/surfaces.ts"

const nested = (levels: number) => `{"a":${"[".repeat(levels - 1)}${"]".repeat(levels - 1)}}`

const bytes = (...values: ReadonlyArray<number>) => new Uint8Array(values)

const corpus: ReadonlyArray<readonly [string, string | Uint8Array<ArrayBuffer>, string?]> = [
  ["a key twice", '{"label":"a","label":"b"}', "label"],
  ["a key twice, once escaped", '{"label":"a","\\u006cabel":"b"}', "label"],
  ["a key twice, further down", '{"metadata":{"a":"1","b":"2","a":"3"}}', "metadata.a"],
  ["a key twice within an array", '{"customers":[{},{"x":1,"x":2}]}', "customers.1.x"],
  ["__proto__", '{"__proto__":{"isAdmin":true}}', "__proto__"],
  ["__proto__ further down", '{"metadata":{"__proto__":{}}}', "metadata.__proto__"],
  ["__proto__, escaped", '{"\\u005f_proto__":{}}', "__proto__"],
  ["constructor", '{"metadata":{"constructor":{"prototype":{}}}}', "metadata.constructor"],
  ["prototype", '{"prototype":1}', "prototype"],
  ["33 levels", nested(33)],
  ["sixty thousand levels", "[".repeat(60_000)],
  ["a byte order mark", "\ufeff{}"],
  ["trailing text", "{} {}"],
  ["a trailing comma", '{"a":1,}'],
  ["a comment", "{/* hi */}"],
  ["single quotes", "{'a':1}"],
  ["NaN", '{"a":NaN}'],
  ["a leading plus", '{"a":+1}'],
  ["a hexadecimal number", '{"a":0x10}'],
  ["a number too large", '{"a":1e999}', "a"],
  ["an integer that would be rounded", '{"a":9007199254740993}', "a"],
  ["half a surrogate pair", '{"a":"\\ud83d"}', "a"],
  ["bytes that are not UTF-8", bytes(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)],
  ["an overlong encoding", bytes(0x22, 0xc0, 0xaf, 0x22)],
  ["UTF-16", bytes(0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00)],
  ["nothing but spaces", "   "],
  ["half a body", '{"a":'],
  ["a raw control character", '{"a":"\u0001"}']
]

const sender = Effect.gen(function* () {
  const authorization = `Bearer ${yield* issued(everyScope)}`
  const headers = { authorization, "content-type": "application/json" }
  return (path: string, method: string, body: string | Uint8Array<ArrayBuffer>) =>
    fetched(path, { method, headers, body })
})

layer(Surfaces.layer())("a hostile body", (it) => {
  for (const one of bound.filter(({ route }) => !readsQuery(route.method))) {
    it.effect(`is refused by ${one.operation.name}`, () =>
      Effect.gen(function* () {
        const send = yield* sender
        for (const [what, body, param] of corpus) {
          const reply = yield* send(addressOf(one), one.route.method, body)
          assert.strictEqual(reply.status, 400, what)
          assert.strictEqual(reply.body.error.code, "INVALID_JSON", what)
          assert.strictEqual(reply.body.error.param, param, what)
        }
      })
    )
  }

  it.effect("is refused as a message to the tools", () =>
    Effect.gen(function* () {
      const send = yield* sender
      for (const [what, body] of corpus) {
        const reply = yield* send("/api/mcp", "POST", body)
        assert.strictEqual(reply.status, 400, what)
        assert.strictEqual(reply.body.error.code, -32700, what)
      }
    })
  )

  it.effect("changes no prototype, and is told from what only looks hostile", () =>
    Effect.gen(function* () {
      const send = yield* sender
      const fine = '{"label":"{\\"a\\":1,\\"a\\":2}","scopes":["account:read"],"label2":[1,1,{}]}'
      const reply = yield* send("/api/v1/keys", "POST", fine)
      assert.strictEqual(reply.body.error.code, "UNKNOWN_FIELD")
      const deep = yield* send("/api/v1/keys", "POST", nested(32))
      assert.strictEqual(deep.body.error.code, "UNKNOWN_FIELD")
      assert.notProperty({}, "isAdmin")
    })
  )
})
