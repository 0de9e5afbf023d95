/** The guide is the first thing an agent reads: it names no operation that is not there, and tells how each errand is run. */
import { assert, describe, it } from "@effect/vitest"
import { topics } from "../../../core/guide/topics.ts"
import { operations } from "../../../core/operations.ts"

const names: ReadonlySet<string> = new Set(operations.map(({ name }) => name))
/** Statuses and outcomes, which are written like operations. */
const states = new Set(["not_executed", "partially_paid", "requires_action", "personal_sign"])

const namedIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/(?<![\w.])[a-z]+(?:_[a-z]+)+(?![\w]|\.\w)/gu)].map(([name]) => name)

describe("the guide", () => {
  const bodies = Object.values(topics)
    .flat()
    .map(({ body }) => body)

  it("names only operations that there are", () => {
    const unknown = bodies.flatMap(namedIn).filter((name) => !names.has(name) && !states.has(name))
    assert.deepStrictEqual(unknown, [])
  })

  it("tells how to get paid, to send, to add a recipient, to co-sign and to prove", () => {
    const told = new Set(topics.workflows.flatMap(({ body }) => namedIn(body)))
    for (const name of [
      ...["create_checkout_session", "propose_transfer", "confirm_proposal", "add_recipient"],
      ...["invite_cosigner", "approve_cosigner_action", "get_audit_checkpoint"]
    ]) {
      assert.isTrue(told.has(name), name)
    }
  })
})
