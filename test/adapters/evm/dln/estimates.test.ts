/** The service of limit orders in every trouble: what cannot be read is no answer, and a wait without end is no wait. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import * as Estimates from "../../../../adapters/evm/dln/estimates.ts"
import { type Answering, answering, says } from "../../../support/scripted-service.ts"

const question = {
  ...{ fromNumber: 8453, fromToken: "0x05", toNumber: 42161, toToken: "0x06" },
  units: 1_000_000_000n
}

const estimateOf = (seconds: string, amount = "999000000") =>
  `{"estimation":{"dstChainTokenOut":{"amount":"${amount}","recommendedAmount":"${amount}"}},` +
  `"fixFee":"1000000000000000","order":{"approximateFulfillmentDelay":${seconds}}}`

const asked = (answer: Answering) =>
  Effect.gen(function* () {
    const { url } = yield* answering(answer)
    const service = yield* Estimates.make({ url, deadlineMs: 500 })
    return yield* service.estimate(question)
  }).pipe(Effect.scoped)

it.live("an estimate is as it was told, in whole seconds", () =>
  Effect.gen(function* () {
    for (const [told, seconds] of [
      ["2.5", 3],
      ["0", 1],
      ["86400", 86_400]
    ] as const) {
      const { arrives, seconds: read } = yield* asked(says(200, estimateOf(told)))
      assert.deepStrictEqual([arrives, read], [999_000_000n, seconds])
    }
  })
)

it.live("nothing that lies, is slow or fails is an estimate", () =>
  Effect.gen(function* () {
    const troubles: ReadonlyArray<Answering> = [
      () => undefined,
      says(200, estimateOf("1e400")),
      says(200, estimateOf("1e20")),
      says(200, estimateOf("-1")),
      says(200, estimateOf('"soon"')),
      says(200, estimateOf("1", "-5")),
      says(200, estimateOf("1", "1.5")),
      says(200, "[]"),
      says(200, "<html>"),
      says(429, { error: "slow down" }),
      says(500, { error: "broken" }),
      says(400, { errorId: "ERROR_UNKNOWN" })
    ]
    for (const trouble of troubles) {
      assert.strictEqual((yield* Effect.flip(asked(trouble)))._tag, "BridgeUnavailable")
    }
    const small = says(400, { errorId: "ERROR_LOW_GIVE_AMOUNT" })
    assert.strictEqual((yield* Effect.flip(asked(small)))._tag, "OutOfBounds")
  })
)
