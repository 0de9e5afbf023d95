/** What is loaded when first needed is loaded once, and a load that failed stands in nobody's way. */
import { assert, describe, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { loadOnce } from "../../../adapters/loading/load-once.ts"
import * as Answer from "../../../adapters/providers/answer.ts"

const broken = () => Promise.reject(new Error("The file is away."))

describe("what is loaded when first needed", () => {
  it("is loaded once for all who ask", async () => {
    const load = vi.fn(async () => ({}))
    const once = loadOnce(load)
    assert.isUndefined(await once.current())
    const [first, second] = await Promise.all([once.get(), once.get()])
    assert.strictEqual(first, second)
    assert.strictEqual(await once.current(), first)
    assert.strictEqual(load.mock.calls.length, 1)
  })

  it("is loaded anew after a load that failed", async () => {
    const load = vi.fn(async () => "here")
    load.mockImplementationOnce(broken)
    const once = loadOnce(load)
    const failed = once.get()
    assert.isUndefined(await once.current())
    assert.strictEqual(await failed.catch(() => "failed"), "failed")
    assert.strictEqual(await once.get(), "here")
  })
})

it.effect(
  "a provider is asked again after its client could not be loaded, and closes quietly",
  () =>
    Effect.gen(function* () {
      let isAway = true
      vi.doMock("undici", async (original) => {
        if (isAway) throw new Error("The file is away.")
        return await original<typeof import("undici")>()
      })
      const open = yield* Answer.connections
      const attempt = Effect.promise(() =>
        open().then(
          () => "open",
          () => "failed"
        )
      )
      assert.strictEqual(yield* attempt, "failed")
      yield* Effect.scoped(
        Effect.flatMap(Answer.connections, (away) => Effect.exit(Effect.tryPromise(away)))
      )
      isAway = false
      assert.strictEqual(yield* attempt, "open")
    }).pipe(Effect.scoped, Effect.ensuring(Effect.sync(() => vi.doUnmock("undici"))))
)
