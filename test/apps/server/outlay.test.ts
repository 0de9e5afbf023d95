/** The caps of outlay as settings: read whole or refused in a sentence. */
import { assert, describe, it } from "vitest"
import { outlay } from "../../../apps/server/chains.ts"
import { read } from "../../../apps/server/configuration.ts"
import { SettingRefused } from "../../../apps/server/setting.ts"
import { defaultCaps } from "../../../core/policy/outlay.ts"

const set = (environment: Readonly<Record<string, string>>) =>
  outlay(read({ BURSAR_CHAINS: "base,base-sepolia", ...environment }), environment)

describe("BURSAR_OUTLAY_<CHAIN>", () => {
  it("is as by default where nobody says otherwise", () => {
    assert.deepStrictEqual(set({}), defaultCaps)
  })

  it("bounds its own chain alone, in the chain's coin", () => {
    const caps = set({ BURSAR_OUTLAY_BASE_SEPOLIA: "0.1/1/10" })
    assert.deepStrictEqual(caps["base-sepolia"], {
      personal: 10n ** 17n,
      startup: 10n ** 18n,
      installation: 10n ** 19n
    })
    assert.deepStrictEqual(caps.base, defaultCaps.base)
  })

  it("is refused when it cannot be read, with the setting's name", () => {
    for (const wrong of ["1", "1/2", "2/1/3", "1/2/x", ""]) {
      assert.throws(() => set({ BURSAR_OUTLAY_BASE: wrong }), SettingRefused, undefined, wrong)
    }
  })
})
