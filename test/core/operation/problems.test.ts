/** What is wrong with an input is told in words, once. */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { decode } from "../../../core/operation/input.ts"
import { recoverMerchantWebhook } from "../../../core/webhooks/recover.ts"

it.effect("what two checks of a field refuse in the same words is one problem", () =>
  Effect.gen(function* () {
    const input = { id: "wh", since: "yesterday" }
    const { details } = yield* Effect.flip(decode(recoverMerchantWebhook, input))
    const message = "since must be an ISO 8601 time with its zone, such as 2030-01-31T12:00:00Z."
    assert.deepStrictEqual<unknown>(details, { problems: [{ param: "since", message }] })
  })
)
