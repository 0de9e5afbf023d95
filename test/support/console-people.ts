/** People at the console of the small treasury: a visitor, a one-time link, and somebody who has enrolled by one. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { issueEnrolment } from "../../core/humans/issue-enrolment.ts"
import type { Role } from "../../core/operation/role.ts"
import { Atomically } from "../../core/ports/atomically.ts"
import { Visitor } from "./console-visitor.ts"
import { AccountId, siteUrl } from "./small-treasury.ts"
import { Origin } from "./surfaces.ts"

export const visitor = (options: { readonly synced?: boolean } = {}) =>
  Effect.map(Origin, (address) => new Visitor(address, siteUrl, options))

export const link = Effect.fnUntraced(function* (hours = 24, role: Role = "owner") {
  const accountId = yield* AccountId
  const wanted = { accountId, purpose: "operator", name: "Ada", role, hours } as const
  const { url } = yield* (yield* Atomically).run(issueEnrolment(wanted, "operator"))
  return url
})

export const enrolled = Effect.fnUntraced(function* ({
  role,
  ...options
}: {
  readonly synced?: boolean
  readonly role?: Role
} = {}) {
  const ada = yield* visitor(options)
  const done = yield* ada.enrol(yield* link(24, role))
  assert.strictEqual(done.status, 200)
  return ada
})

export const whoIs = (ada: Visitor) => ada.post("passkeys/options")

/** Signs for one input, and sends another if it is told to. */
export const signedCall = Effect.fnUntraced(function* (
  ada: Visitor,
  name: string,
  input: object,
  sent: object = input
) {
  const asked = yield* ada.post(`sign/${name}/options`, { input })
  if (asked.status !== 200) return asked
  const { passkeyChallengeId, options } = asked.body.data
  const answer = ada.authenticator.sign(options)
  return yield* ada.post(`sign/${name}/verify`, { input: sent, passkeyChallengeId, answer })
})
