/** The contracts that may be allowed to take tokens are written down as addresses are shown. */
import { assert, it } from "@effect/vitest"
import * as Address from "../../../core/chains/address.ts"
import { knownSpenders } from "../../../core/trade/spender.ts"

it("every known spender is written with its checksum", () => {
  assert.isNotEmpty(knownSpenders)
  for (const { address, label } of knownSpenders) {
    assert.strictEqual(address, Address.shown("ethereum", address), label)
    assert.isDefined(Address.parse("ethereum", address.toLowerCase()), label)
  }
})
