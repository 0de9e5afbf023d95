/** What a person reads of a proposal that takes time: what happens now, who does it, and for how long at most. */
import { assert, it } from "@effect/vitest"
import { messageOf, type View } from "../../../adapters/pages/console/proposal-words.ts"
import { bridge } from "../../../core/bridges/bridge.ts"
import { swap } from "../../../core/swaps/swap.ts"

const executing = (kind: "bridge" | "swap", subStatus: View["subStatus"]) =>
  messageOf(
    { kind, subStatus, status: "executing", nextAction: [] } as unknown as View,
    true,
    { bridge, swap }[kind]
  )

it("says of each step of a bridge who does it, and when somebody is told", () => {
  const said = {
    ordering: /^The bridge is asked .* within 10 minutes, .* nothing was moved\.$/u,
    attesting: /the token's issuer attests .* after 30 minutes the account is told/u,
    minting: /The service receives it .* after 30 minutes the account is told/u,
    fulfilling: /solvers may fill .* after 10 minutes, the service takes it back/u,
    refunding: /the first chain gives back .* after 30 minutes the account is told/u,
    stuck: /the account was told\. Nothing is lost and nobody has to do anything here/u
  } as const
  for (const [subStatus, words] of Object.entries(said)) {
    assert.match(executing("bridge", subStatus as keyof typeof said), words)
  }
})

it("says of an order of a swap when it ends, and nothing of bridges", () => {
  assert.match(executing("swap", "filling"), /within 20 minutes; else it ends by itself\.$/u)
  assert.strictEqual(executing("swap", "ordering"), "An order is being placed.")
})
