/** People at the console of the small treasury: a visitor, a one-time link, and somebody who has enrolled by one. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { issueEnrolment } from "../../core/humans/issue-enrolment.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { Visitor } from "./console-visitor.ts"
import { AccountId, siteUrl } from "./small-treasury.ts"
import { Origin } from "./surfaces.ts"

export const visitor = (options: { readonly synced?: boolean } = {}) =>
  Effect.map(Origin, (address) => new Visitor(address, siteUrl, options))

export const link = Effect.fnUntraced(function* (hours = 24) {
  const accountId = yield* AccountId
  const wanted = { accountId, purpose: "operator", name: "Ada", hours } as const
  const { url } = yield* (yield* Atomically).run(issueEnrolment(wanted, "operator"))
  return url
})

export const enrolled = Effect.fnUntraced(function* (options: { readonly synced?: boolean } = {}) {
  const ada = yield* visitor(options)
  const done = yield* ada.enrol(yield* link())
  assert.strictEqual(done.status, 200)
  return ada
})

export const whoIs = (ada: Visitor) => ada.post("passkeys/options")
