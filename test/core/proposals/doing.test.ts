/** What the caller of a proposal is told while it executes: what happens now, and whether something stands in its way. */
import { assert, it } from "@effect/vitest"
import { bridge } from "../../../core/bridges/bridge.ts"
import { whileExecuting } from "../../../core/proposals/doing.ts"

it("says what happens now, in the kind's own words where it has any", () => {
  assert.strictEqual(
    whileExecuting({}, { subStatus: "broadcast", statusReason: null }),
    "Executing. It was sent to the chain and waits for a block. Poll get_proposal for the result."
  )
  assert.match(
    whileExecuting(bridge, { subStatus: "attesting", statusReason: null }),
    /^Executing\. It left the first chain, .* Poll get_proposal for the result\.$/u
  )
})

it("leads to the reason of what does not go on, and never says then that nobody has to act", () => {
  assert.strictEqual(
    whileExecuting(bridge, { subStatus: "queued", statusReason: "The relayer has too little." }),
    "Executing. It waits for its turn to be signed. statusReason says why it waits. Poll get_proposal for the result."
  )
})
