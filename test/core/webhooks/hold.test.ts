/** Which of the endpoints that are held are asked for more, when all of them want some. */
import { assert, it } from "@effect/vitest"
import type { LeasedDelivery } from "../../../core/webhooks/delivery-store.ts"
import * as Hold from "../../../core/webhooks/hold.ts"
import * as Rows from "../../support/rows.ts"

const heldSince = (sinceMs: number): Hold.Hold => {
  const event = Rows.anEvent("account")
  const row: LeasedDelivery = {
    delivery: Rows.aDelivery(event, Rows.anEndpoint("account")),
    body: "{}",
    sealedSecrets: [],
    standardHeaders: false,
    isAiling: false,
    isFailing: false,
    lease: `lease-${sinceMs}`
  }
  const hold = Hold.make([row], sinceMs)
  // All of a batch was answered, and more is due.
  return Object.assign(hold, { ready: [], hasMore: true, answered: Hold.maxAhead })
}

it("all that want no more than fits are asked for, and all others the next time", () => {
  const all = Array.from({ length: 20 }, (_, at) => ({ hold: heldSince(at) }))
  const most = 7 * Hold.maxAhead
  const order: Array<string> = []
  for (let nowMs = 100; nowMs < 103; nowMs++) {
    const asked = Hold.together(all, nowMs, most)
    for (const { hold } of asked) {
      assert.strictEqual(Hold.asking(hold, nowMs).wanted, Hold.maxAhead)
      Object.assign(hold, { isAsking: false, hasMore: true, answered: Hold.maxAhead })
      order.push(hold.lease)
    }
  }
  const leases = all.map(({ hold }) => hold.lease)
  assert.deepStrictEqual(order, [...leases, ...leases.slice(0, 1)])
  for (const { hold } of all) hold.answered = 0
  assert.lengthOf(Hold.together(all, 103, most), all.length)
})

it("what was asked for with nothing in hand, and is handed nothing, was given back with that", () => {
  const idle = heldSince(0)
  Hold.asking(idle, 1)
  // Somebody tells of more meanwhile: it is taken anew for that.
  idle.hasMore = true
  Object.assign(idle, { isAsking: false })
  Hold.handed(idle, [])
  assert.isTrue(Hold.isDone(idle, 0, 2))
  const recording = heldSince(0)
  recording.recording.add("delivery")
  assert.deepStrictEqual(Hold.asking(recording, 1).inHand, ["delivery"])
  recording.recording.clear()
  Object.assign(recording, { isAsking: false, hasMore: true })
  Hold.handed(recording, [])
  assert.isFalse(Hold.isDone(recording, 0, 2))
})
