/** When an endpoint is failing, as a pure rule. */
import { assert, it } from "@effect/vitest"
import { hasFailed } from "../../../core/webhooks/endpoint.ts"
import { at } from "../../support/rows.ts"

const health = { failures: 5, firstFailedAt: at(0), failingSince: null }

it("five failures over a minute make an endpoint failing, one less or one instant sooner do not", () => {
  assert.isTrue(hasFailed(health, at(60)))
  assert.isFalse(hasFailed(health, at(59.999)))
  assert.isFalse(hasFailed({ ...health, failures: 4 }, at(3600)))
  assert.isTrue(hasFailed({ ...health, failures: 50 }, at(3600)))
})

it("an endpoint becomes failing once", () => {
  assert.isFalse(hasFailed({ ...health, failingSince: at(60) }, at(61)))
})
