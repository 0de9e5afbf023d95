/** Every operation, over both surfaces, refuses a property it does not know and names it. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { bound } from "../../adapters/http/route.ts"
import { everyScope, issued } from "../support/small-treasury.ts"
import * as Surfaces from "../support/surfaces.ts"
import { callTool, request } from "../support/surfaces.ts"

const stray = "strayProperty"

layer(Surfaces.layer())("a property nobody knows", (it) => {
  for (const one of bound) {
    const { name } = one.operation
    it.effect(`is refused by ${name} over REST`, () =>
      Effect.gen(function* () {
        const key = yield* issued(everyScope)
        const reply = yield* request(one, { key, extra: { [stray]: "x" } })
        assert.strictEqual(reply.status, 400)
        assert.deepInclude(reply.body.error, {
          code: "UNKNOWN_FIELD",
          param: stray,
          outcome: "not_executed"
        })
      })
    )

    it.effect(`is refused by ${name} as a tool`, () =>
      Effect.gen(function* () {
        const args = { ...one.operation.example.input, [stray]: "x" }
        const reply = yield* callTool(name, args, yield* issued(everyScope))
        const { isError, structuredContent } = reply.body.result
        assert.isTrue(isError)
        assert.deepInclude(structuredContent.error, { code: "UNKNOWN_FIELD", param: stray })
      })
    )
  }
})
