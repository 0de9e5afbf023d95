/** Every operation, over both surfaces, refuses a key that lacks its scope and names the scope. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { bound } from "../../adapters/http/route.ts"
import { everyScope, issued } from "../support/small-treasury.ts"
import * as Surfaces from "../support/surfaces.ts"
import { callTool, request } from "../support/surfaces.ts"

const lacking = (scope: string) => everyScope.filter((each) => each !== scope)

layer(Surfaces.layer())("a key without the scope", (it) => {
  for (const one of bound) {
    const { name, scope } = one.operation
    it.effect(`is refused ${name} over REST`, () =>
      Effect.gen(function* () {
        const reply = yield* request(one, { key: yield* issued(lacking(scope)) })
        assert.strictEqual(reply.status, 403)
        assert.deepInclude(reply.body.error, {
          code: "INSUFFICIENT_SCOPE",
          type: "forbidden",
          outcome: "not_executed"
        })
        assert.strictEqual(reply.body.error.details.scope, scope)
      })
    )

    it.effect(`is refused ${name} as a tool`, () =>
      Effect.gen(function* () {
        const reply = yield* callTool(name, {}, yield* issued(lacking(scope)))
        assert.strictEqual(reply.status, 200)
        const { isError, structuredContent } = reply.body.result
        assert.isTrue(isError)
        assert.strictEqual(structuredContent.error.code, "INSUFFICIENT_SCOPE")
        assert.strictEqual(structuredContent.error.details.scope, scope)
      })
    )
  }
})

const callsAllowed = 3

layer(Surfaces.layer({ callsAllowed }))("a call that its key may not make", (it) => {
  for (const one of bound.filter(({ operation }) =>
    ["list_api_keys", "create_api_key"].includes(operation.name)
  )) {
    const { rateLimit, name, scope } = one.operation
    it.effect(`costs one of its ${rateLimit}, ${name} over REST and as a tool together`, () =>
      Effect.gen(function* () {
        const key = yield* issued(lacking(scope))
        const first = yield* request(one, { key })
        assert.strictEqual(first.status, 403)
        assert.include(
          first.headers.get("ratelimit") ?? "",
          `"${rateLimit}";r=${callsAllowed - 1};`
        )
        yield* callTool(name, {}, key)
        yield* request(one, { key })
        const spent = yield* request(one, { key })
        Surfaces.assertSpent(spent, rateLimit)
        const asTool = yield* callTool(name, {}, key)
        assert.strictEqual(asTool.body.result.structuredContent.error.code, "RATE_LIMITED")
      })
    )
  }
})
