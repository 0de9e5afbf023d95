/** What goes wrong before an operation is told as such, whether it is thrown at once or fails later. */
import { assert, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { RequestId } from "../../../adapters/http/edge/request-id.ts"
import { internal, nothingHappened } from "../../../adapters/http/edge/unexpected.ts"

const broken = () => new Error("broken")

const told = <A>(begin: () => Effect.Effect<A>) =>
  Effect.exit(Effect.provideService(nothingHappened(begin), RequestId, "req_1"))

it.effect("a fault that is thrown at once is one before the operation", () =>
  Effect.gen(function* () {
    const refusal = Exit.fail(internal("req_1", "not_executed"))
    const thrown = yield* told((): Effect.Effect<never> => {
      throw broken()
    })
    assert.deepStrictEqual(thrown, refusal)
    assert.deepStrictEqual(yield* told(() => Effect.die(broken())), refusal)
    assert.deepStrictEqual(
      yield* told(() => Effect.andThen(Effect.yieldNow, Effect.die(broken()))),
      refusal
    )
  })
)

it("what is known at once stays known", () => {
  assert.deepStrictEqual(
    nothingHappened(() => Effect.succeed(1)),
    Exit.succeed(1)
  )
})
