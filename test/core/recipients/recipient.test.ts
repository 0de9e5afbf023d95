/** The cooldown of a recipient, at its boundary to the millisecond. */
import { assert, describe, it } from "@effect/vitest"
import { DateTime } from "effect"
import { isApproved, type Recipient, view } from "../../../core/recipients/recipient.ts"
import * as Value from "../../support/chain-values.ts"

const added = DateTime.makeUnsafe("2026-11-21T12:00:00.000Z")
const recipient: Recipient = {
  id: "r",
  accountId: "a",
  label: "Supplier",
  address: Value.address("0x8Ba1f109551bD432803012645Ac136ddd64DBA72"),
  chainId: "local",
  status: "pending",
  cooldownEndsAt: DateTime.add(added, { hours: 24 }),
  isOwn: false,
  requiredMemo: null,
  createdAt: added
}
const atEnd = (milliseconds: number) => DateTime.add(recipient.cooldownEndsAt, { milliseconds })

describe("A recipient", () => {
  it("may be paid from the end of its 24 hours on, and not a millisecond before", () => {
    assert.isFalse(isApproved(recipient, atEnd(-1)))
    assert.isTrue(isApproved(recipient, atEnd(0)))
    assert.isTrue(isApproved(recipient, atEnd(1)))
  })

  it("shows its cooldown while it lasts", () => {
    assert.include(view(recipient, atEnd(-1)), { status: "pending", cooldownActive: true })
    assert.include(view(recipient, atEnd(0)), { status: "approved", cooldownActive: false })
  })

  it("that was revoked is never approved by the passage of time", () => {
    const revoked = { ...recipient, status: "revoked" as const }
    assert.isFalse(isApproved(revoked, atEnd(1)))
    assert.include(view(revoked, atEnd(1)), { status: "revoked", cooldownActive: false })
  })

  it("that was approved at once is, whatever is left of its cooldown", () => {
    const approved = { ...recipient, status: "approved" as const }
    assert.isTrue(isApproved(approved, atEnd(-1)))
    assert.include(view(approved, atEnd(-1)), { status: "approved", cooldownActive: false })
  })
})
