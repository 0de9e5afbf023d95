/** One idempotency key over two surfaces at once: fifty calls, one payment request. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as FreshDatabase from "../support/fresh-database.ts"
import { realWorld } from "./real-world.ts"
import * as Scene from "./scenes.ts"

it.live("the same create call, 50 times over REST and tools mixed, makes one request", () =>
  Effect.gen(function* () {
    const { callsOver, ...world } = yield* realWorld(FreshDatabase.engine, "REST")
    const vault = yield* Scene.vault(world)
    const input = { walletMappingId: vault.walletMappingId, amountUsd: 12 }
    const surfaces = [callsOver("REST"), callsOver("tools")] as const
    const callers = Array.from({ length: 50 }, (_, index) => surfaces[index % 2] ?? surfaces[0])
    const answers = yield* Effect.all(
      callers.map((calls) => {
        const call = calls.create_payment_request(input, "order-1")
        const patient: typeof call = Effect.catchTag(call, "Refused", (refused) =>
          refused.code === "IDEMPOTENCY_IN_PROGRESS"
            ? Effect.andThen(Effect.sleep("5 millis"), patient)
            : Effect.fail(refused)
        )
        return patient
      }),
      { concurrency: "unbounded" }
    )
    assert.strictEqual(new Set(answers.map((answer) => JSON.stringify(answer))).size, 1)
    const listed = yield* world.calls.list_payment_requests({
      walletMappingId: vault.walletMappingId
    })
    assert.strictEqual(listed.payment_requests.length, 1)
  }).pipe(Effect.scoped)
)
